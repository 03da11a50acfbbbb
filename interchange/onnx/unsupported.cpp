#include "interchange/onnx/unsupported.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "interchange/onnx/inference.h"
#include "interchange/onnx/operators.h"
#include "model/errors.h"
#include "model/text.h"

namespace waferloom::interchange {
namespace {

/// The sizes of a node's inputs: "[1, 64], [64]".
std::string input_sizes(const Graph& graph, const Node& node) {
  std::string text;
  for (const std::size_t input : node.inputs) {
    if (input == kNoValue) continue;
    const Value& value = graph.values[input];
    text += (text.empty() ? "" : ", ") + (value.sizes ? sizes_text(*value.sizes) : "unknown");
  }
  return text.empty() ? "none" : text;
}

bool makes_anything(const Graph& graph, const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](std::size_t output) {
    return output != kNoValue && !graph.values[output].is_fixed;
  });
}

}  // namespace

std::vector<LeftOutOperator> unknown_operators(const Graph& graph) {
  std::map<std::string, LeftOutOperator> found;
  for (const Node& node : graph.nodes) {
    const bool is_unknown = role_of(node) == Role::other;
    if (!is_unknown || (operator_row(node) != nullptr && !makes_anything(graph, node))) continue;
    LeftOutOperator& row = found[node.full_op()];
    if (row.count == 0) {
      row.name = node.full_op();
      row.node = node.name;
      row.inputs = input_sizes(graph, node);
    }
    ++row.count;
    for (const std::size_t output : node.outputs) {
      if (output == kNoValue || !graph.values[output].sizes) continue;
      row.elements += elements_of(*graph.values[output].sizes);
    }
  }
  std::vector<LeftOutOperator> rows;
  for (auto& [name, row] : found) rows.push_back(std::move(row));
  return rows;
}

void refuse_unknown(const Graph& graph, const std::vector<LeftOutOperator>& unknown) {
  if (unknown.empty()) return;
  constexpr std::size_t kMostNamed = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(unknown.size(), kMostNamed); ++i) {
    const LeftOutOperator& row = unknown[i];
    text += (i == 0 ? "" : "; ") + quoted_name(row.name) + ", " + counted_text(row.count, "node") +
            " (" + quoted_name(row.node) + ", inputs " + row.inputs + ")";
  }
  if (unknown.size() > kMostNamed) {
    text += fmt::format("; and {} more", unknown.size() - kMostNamed);
  }
  throw InputError(
      graph.source, kWholeSource,
      "expected operators that are known, found " + text + "; --skip-unsupported leaves them out");
}

void refuse_unsized(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    for (const std::size_t output : node.outputs) {
      if (output == kNoValue || graph.values[output].sizes || graph.values[output].is_fixed) {
        continue;
      }
      fail_at(graph, node,
              "expected an output whose sizes follow from the inputs' sizes and constants of the "
              "file, found " +
                  quoted_name(graph.values[output].name) +
                  "; --skip-unsupported takes it to be as its input");
    }
  }
}

}  // namespace waferloom::interchange
