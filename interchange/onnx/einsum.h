#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "interchange/onnx/graph.h"

namespace waferloom::interchange {

/// The equation of an Einsum, with a letter for each size: dots became letters of their own, and an
/// equation without an arrow has the output that it implies.
struct EinsumEquation {
  std::vector<std::string> operands;
  std::string output;
  std::map<char, std::int64_t> sizes;  ///< of the letters

  bool has(const std::string& letters, char letter) const {
    return letters.find(letter) != std::string::npos;
  }
};

/// Reads the equation of a node whose inputs' sizes are known. Throws InputError with the node's
/// name for what is no equation of these inputs, and for more than two operands: what those
/// multiply depends on their order.
EinsumEquation einsum_equation(const Graph& graph, const Node& node);

}  // namespace waferloom::interchange
