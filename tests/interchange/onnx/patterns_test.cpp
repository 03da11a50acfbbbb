#include "interchange/onnx/patterns.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/inference.h"
#include "interchange/onnx/transformer_layers.h"
#include "tests/interchange/onnx/model_bytes.h"

namespace waferloom::interchange {
namespace {

using test::ModelBytes;

/// The name of the pattern that makes a value, and the value that it is made of.
std::string found_at(const ModelBytes& model, const std::string& name) {
  Graph graph = read_graph(model.bytes(), "m");
  infer_sizes(graph, {}, false);
  const GraphView view(graph);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].name != name) continue;
    const auto match = match_at(view, i);
    if (!match) return "";
    return std::string(match->pattern->name) + " of " + graph.values[match->values.at('x')].name;
  }
  return "no such value";
}

ModelBytes layer_norm(bool is_exchanged) {
  ModelBytes model;
  model.input("a", {2, 8})
      .reals("two", {2})
      .reals("small", {1e-5F})
      .weight("w", {8})
      .weight("b", {8})
      .node("ReduceMean", {"a"}, {"mean"}, {{"axes", test::Numbers{-1}}})
      .node("Sub", {"a", "mean"}, {"moved"})
      .node("Pow", {"moved", "two"}, {"squares"})
      .node("ReduceMean", {"squares"}, {"variance"}, {{"axes", test::Numbers{-1}}})
      .node("Add", {"variance", "small"}, {"sum"})
      .node("Sqrt", {"sum"}, {"root"})
      .node("Cast", {"root"}, {"cast"}, {{"to", 1}})
      .node("Div", {"moved", "cast"}, {"d"});
  if (is_exchanged) {
    return model.node("Mul", {"w", "d"}, {"m"}).node("Add", {"b", "m"}, {"y"});
  }
  return model.node("Mul", {"d", "w"}, {"m"}).node("Add", {"m", "b"}, {"y"});
}

TEST_CASE("LayerNorm is nine nodes, in any order of sums and products, casts between") {
  CHECK(found_at(layer_norm(false), "y") == "LayerNorm of a");
  CHECK(found_at(layer_norm(true), "y") == "LayerNorm of a");
  CHECK(found_at(layer_norm(false), "d").empty());
}

TEST_CASE("a form inside of another one is no norm of its own") {
  Graph graph = read_graph(layer_norm(false).bytes(), "m");
  infer_sizes(graph, {}, false);
  const std::vector<FoundNorm> norms = find_norms(GraphView(graph));
  REQUIRE(norms.size() == 1);
  CHECK(norms[0].kind == Norm::layer);
  CHECK(norms[0].features == 8);
  CHECK(graph.values[norms[0].input].name == "a");
}

TEST_CASE("activations") {
  ModelBytes model;
  model.input("a", {2, 8}).reals("n", {0.5F}).input("other", {2, 8});
  model.node("Sigmoid", {"a"}, {"s"})
      .node("Mul", {"s", "a"}, {"silu"})
      .node("Mul", {"s", "other"}, {"gate"})
      .node("Div", {"a", "n"}, {"d"})
      .node("Erf", {"d"}, {"e"})
      .node("Add", {"e", "n"}, {"f"})
      .node("Mul", {"a", "f"}, {"g"})
      .node("Mul", {"g", "n"}, {"gelu"});
  CHECK(found_at(model, "silu") == "SiLU of a");
  CHECK(found_at(model, "gate").empty());
  CHECK(found_at(model, "gelu") == "GELU of a");
}

/// Writes the graph that a form describes: letters are inputs, # are weights, and of the names of
/// an operator one is taken: the first, or the last.
class FormWriter {
 public:
  FormWriter(std::string_view form, bool is_last) : left_(form), is_last_(is_last) {}

  /// The value that the whole form makes.
  std::string write(ModelBytes& model) {
    const std::size_t end = left_.find_first_of("(,)");
    const std::string term(left_.substr(0, end));
    left_.remove_prefix(std::min(end, left_.size()));
    if (term == "#") {
      const std::string name = "w" + std::to_string(count_++);
      model.weight(name, {1});
      return name;
    }
    if (term.size() == 1) {
      if (inputs_.insert(term).second) model.input(term, {1, 1});
      return term;
    }
    std::vector<std::string> inputs;
    do {
      left_.remove_prefix(left_.starts_with(", ") ? 2 : 1);
      inputs.push_back(write(model));
    } while (!left_.starts_with(")"));
    left_.remove_prefix(1);
    const std::string name = "v" + std::to_string(count_++);
    // npos + 1 is 0: a lone name is the first and the last.
    model.node(is_last_ ? term.substr(term.rfind('|') + 1) : term.substr(0, term.find('|')), inputs,
               {name});
    return name;
  }

 private:
  std::string_view left_;
  bool is_last_;
  std::set<std::string> inputs_;
  int count_ = 0;
};

TEST_CASE("every form of the table is found where it is written out") {
  for (const Pattern& pattern : patterns()) {
    CAPTURE(pattern.form);
    for (const bool is_last : {false, true}) {
      ModelBytes model;
      const std::string made = FormWriter(pattern.form, is_last).write(model);
      CHECK(found_at(model, made) == std::string(pattern.name) + " of x");
    }
  }
}

}  // namespace
}  // namespace waferloom::interchange
