#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "interchange/onnx.h"
#include "model/workload.h"
#include "tests/interchange/onnx/layer_model.h"
#include "tests/interchange/onnx/model_bytes.h"
#include "tests/support/complaint.h"

namespace waferloom::interchange {
namespace {

using test::Behind;
using test::Ending;
using test::layer;
using test::ModelBytes;
using test::Numbers;

/// The operators of a model as planners read them.
Workload workload_of(const ModelBytes& model, const OnnxOptions& options = {}) {
  return read_workload(network_text(import_onnx_network(model.bytes(), "m.onnx", options).file),
                       "network");
}

TEST_CASE("a layer of a transformer is one operator") {
  ModelBytes model = layer(Ending::network);
  const Workload workload = workload_of(model);
  REQUIRE(workload.operators.size() == 1);
  CHECK(workload.tokens == 16);
  const auto& found = std::get<TransformerOperator>(workload.operators[0].kind);
  CHECK(found.hidden == 32);
  CHECK(found.heads == 4);
  CHECK(found.key_value_heads == 4);
  CHECK(found.feed_forward == 64);
  CHECK(found.biases == Biases::none);
  CHECK(found.norm == Norm::layer);
}

bool has_note(const ImportedNetwork& network, const std::string& part) {
  return std::any_of(network.notes.begin(), network.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST_CASE("a layer of experts is taken only with the multiply-adds of its nodes") {
  const Workload workload = workload_of(layer(Ending::experts));
  REQUIRE(workload.operators.size() == 1);
  const auto& found = std::get<TransformerOperator>(workload.operators[0].kind);
  REQUIRE(found.experts.has_value());
  CHECK(found.experts->count == 2);
  CHECK(found.experts->active == 1);
  // The same matrices, but one of them works on the last token alone.
  const ImportedNetwork other =
      import_onnx_network(layer(Ending::experts, Behind::last_token).bytes(), "m.onnx");
  CHECK(has_note(other, "multiply-adds differ from those of a layer"));
  CHECK(other.file.entries.size() > 1);
}

TEST_CASE("nodes that have names of layers, or of what networks begin with, get others") {
  ModelBytes model = layer(Ending::network);
  model.weight("w", {32, 32}).node("MatMul", {"y", "w"}, {"layer_1"});
  model.node("MatMul", {"layer_1", "w"}, {"input"});
  const Workload workload = workload_of(model);
  REQUIRE(workload.operators.size() == 3);
  CHECK(workload.operators[0].name == "layer_1_2");
  CHECK(workload.operators[1].name == "layer_1");
  CHECK(workload.operators[2].name == "input_2");
}

TEST_CASE("what is no layer stays single, and says why") {
  const ImportedNetwork network = import_onnx_network(layer(Ending::none).bytes(), "m.onnx");
  const Workload workload = read_workload(network_text(network.file), "network");
  CHECK(workload.operators.size() == 8);
  CHECK(has_note(network, "attention at 'z' is no layer"));
  // All products are there: six matrices, scores and values.
  CHECK(count(workload).matrix_flop ==
        2 * (4 * 16 * 32 * 32 + 2 * 16 * 32 * 64 + 2 * 4 * 16 * 16 * 8));
}

TEST_CASE("convolutions, pools, sums and matrices") {
  ModelBytes model;
  model.input("x", {1, 4, 9, 9})
      .weight("w", {8, 2, 3, 3})
      .weight("v", {8})
      .weight("u", {8, 8, 1, 1})
      .weight("m", {8, 5})
      .node("Conv", {"x", "w"}, {"c"},
            {{"group", 2}, {"strides", Numbers{2, 2}}, {"pads", Numbers{1, 1, 1, 1}}})
      .node("BatchNormalization", {"c", "v", "v", "v", "v"}, {"n"})
      .node("Relu", {"n"}, {"r"})
      .node("Conv", {"r", "u"}, {"d"})
      .node("Add", {"d", "r"}, {"s"})
      .node("GlobalAveragePool", {"s"}, {"p"})
      .node("Flatten", {"p"}, {"f"})
      .node("Gemm", {"f", "m"}, {"y"})
      .output("y");
  const Workload workload = workload_of(model);
  REQUIRE(workload.operators.size() == 5);
  const auto& conv = std::get<ConvOperator>(workload.operators[0].kind);
  CHECK(conv.groups == 2);
  CHECK(conv.normalised);
  CHECK(conv.out_height() == 5);
  CHECK_FALSE(std::get<ConvOperator>(workload.operators[1].kind).normalised);
  CHECK(workload.operators[2].after == std::vector<std::size_t>{1, 0});
  CHECK(std::get<PoolOperator>(workload.operators[3].kind).window.height == 5);
  CHECK_FALSE(std::get<LinearOperator>(workload.operators[4].kind).bias);
}

TEST_CASE(
    "where fewer numbers are taken a reduction stands between, where more the network begins") {
  ModelBytes model;
  model.input("x", {1, 6})
      .weight("w", {6, 8})
      .weight("u", {4, 2})
      .weight("v", {12, 2})
      .wholes("from", {0})
      .wholes("to", {4})
      .wholes("axis", {1})
      .wholes("pads", {0, 0, 0, 4})
      .node("MatMul", {"x", "w"}, {"a"})
      .node("Slice", {"a", "from", "to", "axis"}, {"s"})
      .node("MatMul", {"s", "u"}, {"b"})
      .node("Pad", {"a", "pads"}, {"p"})
      .node("MatMul", {"p", "v"}, {"c"});
  const Workload workload = workload_of(model);
  REQUIRE(workload.operators.size() == 4);
  CHECK(std::holds_alternative<ReduceOperator>(workload.operators[1].kind));
  CHECK(workload.operators[2].after == std::vector<std::size_t>{1});
  CHECK(workload.operators[3].after.empty());
}

TEST_CASE("a network tells the share of what is left out of it") {
  const ModelBytes model = ModelBytes()
                               .input("x", {1, 6})
                               .weight("w", {6, 2})
                               .node("Own", {"x"}, {"y"})
                               .node("MatMul", {"y", "w"}, {"z"});
  const ImportedNetwork network =
      import_onnx_network(model.bytes(), "m.onnx", {.skip_unsupported = true});
  CHECK(has_note(network, "left out: 'Own', 1 node"));
  CHECK(has_note(network, "75.00 % of all elements are left out"));
}

TEST_CASE("a node of more than 2^60 operations is refused by its name") {
  // 3 * 2^58 multiply-adds, of two operations each.
  const ModelBytes model = ModelBytes()
                               .input("x", {1 << 20, 1 << 10})
                               .input("y", {3 << 18, 1 << 10})
                               .weight("v", {1 << 10, 3 << 18})
                               .weight("w", {1 << 10, 1 << 20})
                               .node("MatMul", {"x", "v"}, {"a"})
                               .node("MatMul", {"y", "w"}, {"b"})
                               .node("MatMul", {"a", "b"}, {"c"});
  CHECK(test::complaint_of([&] { import_onnx_network(model.bytes(), "m"); }) ==
        "m: node 'c' ('MatMul'): expected at most 2^60 operations, found more");
}

TEST_CASE("networks without products are their elements") {
  const Workload workload = workload_of(
      ModelBytes().input("x", {1, 6}).node("Relu", {"x"}, {"y"}).node("Exp", {"y"}, {"z"}));
  REQUIRE(workload.operators.size() == 2);
  CHECK(std::get<ElementOperator>(workload.operators[1].kind).elements == 6);
}

TEST_CASE("an operator behind too many others is refused by its node") {
  ModelBytes model;
  model.input("x", {1, 8}).weight("w", {8, 8});
  std::vector<std::string> products;
  for (int i = 0; i <= 1'000; ++i) {
    products.push_back("m" + std::to_string(i));
    model.node("MatMul", {"x", "w"}, {products.back()});
  }
  model.node("Sum", products, {"all"}).node("MatMul", {"all", "w"}, {"y"});
  CHECK(test::complaint_of([&] {
          workload_of(model);
        }).find("node 'all' ('Sum'): expected inputs of at most 1000 operators, found 1001") !=
        std::string::npos);
}

TEST_CASE("convolutions in three directions are products") {
  const Workload workload = workload_of(ModelBytes()
                                            .input("x", {1, 4, 6, 7, 8})
                                            .weight("w", {8, 2, 3, 3, 3})
                                            .node("Conv", {"x", "w"}, {"y"}, {{"group", 2}}));
  REQUIRE(workload.operators.size() == 1);
  CHECK(count(workload).matrix_flop == 2 * (4 * 5 * 6) * 27 * 2 * 8);
  CHECK(count(workload).parameters == 27 * 2 * 8);
}

}  // namespace
}  // namespace waferloom::interchange
