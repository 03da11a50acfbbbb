#pragma once

#include <cstdint>
#include <string>

#include "tests/interchange/onnx/model_bytes.h"

namespace waferloom::test {

/// Two experts of 64 features on `read`, of which the gate chooses one for each token.
inline void add_experts(ModelBytes& model, const std::string& read, const std::string& made) {
  model.weight("gate", {32, 2})
      .wholes("one", {1})
      .node("MatMul", {read, "gate"}, {"logits"})
      .node("Softmax", {"logits"}, {"shares"})
      .node("TopK", {"shares", "one"}, {"top", "which"})
      .node("ScatterElements", {"shares", "which", "top"}, {"chosen"}, {{"axis", -1}})
      .node("Split", {"chosen"}, {"share0", "share1"}, {{"axis", 2}});
  for (const std::string each : {"0", "1"}) {
    model.weight("up" + each, {32, 64})
        .weight("down" + each, {64, 32})
        .node("MatMul", {read, "up" + each}, {"u" + each})
        .node("Relu", {"u" + each}, {"a" + each})
        .node("MatMul", {"a" + each, "down" + each}, {"d" + each})
        .node("Mul", {"d" + each, "share" + each}, {"e" + each});
  }
  model.node("Add", {"e0", "e1"}, {made});
}

/// What a layer has behind its attention, and what lies between that and its matrix.
enum class Ending : std::uint8_t { network, experts, none };
enum class Behind : std::uint8_t { all_tokens, last_token };

/// Attention of four heads on 16 tokens of 32 features, with all of a layer around it.
inline ModelBytes layer(Ending ending, Behind behind = Behind::all_tokens) {
  ModelBytes model;
  model.input("x", {1, 16, 32}).weight("s", {32}).weight("t", {32});
  model.node("LayerNormalization", {"x", "s", "t"}, {"n"});
  for (const char* name : {"q", "k", "v"}) {
    const std::string each = name;
    model.weight(each + ".w", {32, 32})
        .node("MatMul", {"n", each + ".w"}, {each + ".m"})
        .node("Reshape", {each + ".m", "heads"}, {each + ".h"})
        .node("Transpose", {each + ".h"}, {each},
              {{"perm", each == "k" ? Numbers{0, 2, 3, 1} : Numbers{0, 2, 1, 3}}});
  }
  model.wholes("heads", {1, 16, 4, 8})
      .wholes("tokens", {1, 16, 32})
      .weight("o.w", {32, 32})
      .weight("up", {32, 64})
      .weight("down", {64, 32})
      .node("MatMul", {"q", "k"}, {"scores"})
      .node("Softmax", {"scores"}, {"p"})
      .node("MatMul", {"p", "v"}, {"z"})
      .node("Transpose", {"z"}, {"zt"}, {{"perm", Numbers{0, 2, 1, 3}}})
      .node("Reshape", {"zt", "tokens"}, {"zr"})
      .wholes("last", {15})
      .wholes("end", {16})
      .node("Slice", {"zr", "last", "end", "axis"}, {"zl"})
      .wholes("axis", {1})
      .node("MatMul", {behind == Behind::last_token ? "zl" : "zr", "o.w"}, {"o"})
      .node("Add", {"x", "o"}, {"r"})
      .node("LayerNormalization", {"r", "s", "t"}, {"n2"});
  if (ending == Ending::experts) {
    add_experts(model, "n2", "d");
  } else {
    model.node("MatMul", {"n2", "up"}, {"u"})
        .node("Relu", {"u"}, {"a"})
        .node("MatMul", {"a", "down"}, {"d"});
  }
  if (ending != Ending::none) model.node("Add", {"r", "d"}, {"y"}).output("y");
  return model;
}

}  // namespace waferloom::test
