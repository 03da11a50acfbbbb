#pragma once

#include <string>
#include <string_view>

#include "model/dataflow_graph.h"

namespace waferloom {

/// Most kernels and most tensors of a file.
inline constexpr std::size_t kMaxDataflowKernels = 100'000;
inline constexpr std::size_t kMaxDataflowTensors = 1'000'000;

/// Reads a graph of kernels and tensors (model/schemas/network.schema.json), in any order, and
/// sorts its kernels topologically, those of the file's order first. Throws InputError with
/// source:line:column for unknown keys, names that no kernel has, and cycles, which it names.
DataflowGraph read_dataflow_graph(std::string_view text, const std::string& source);

}  // namespace waferloom
