#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interchange/onnx.h"
#include "interchange/onnx/graph.h"

namespace waferloom::interchange {

/// The operators of a graph that nobody knows, by name. What is the same for every sample does not
/// count.
std::vector<LeftOutOperator> unknown_operators(const Graph& graph);

/// Throws InputError that names them all, where there are any.
void refuse_unknown(const Graph& graph, const std::vector<LeftOutOperator>& unknown);

/// Throws InputError for the first node whose outputs have no sizes although its inputs have some.
void refuse_unsized(const Graph& graph);

}  // namespace waferloom::interchange
