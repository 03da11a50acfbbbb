#pragma once

#include <string>
#include <string_view>

#include "interchange/onnx/graph.h"

namespace waferloom::interchange {

/// Largest number of elements of an input or an initialiser, and of any value.
inline constexpr std::int64_t kMostDeclared = std::int64_t{1} << 36;
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 50;
/// Most nodes of a graph.
inline constexpr std::size_t kMostNodes = 100'000;
/// Most sizes of a tensor.
inline constexpr std::size_t kMostRank = 64;

/// Reads the graph of an ONNX model. Weights are passed over, external data is not opened. Throws
/// InputError: "byte N: …" for what is no model, else with the node's or value's name: nodes
/// without an operator, values that two nodes make, that no node makes, or that need themselves,
/// and tensors of impossible sizes.
Graph read_graph(std::string_view bytes, const std::string& source);

}  // namespace waferloom::interchange
