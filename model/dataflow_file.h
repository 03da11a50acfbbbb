#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/dataflow_graph.h"

namespace waferloom {

/// Most kernels and most tensors of a file.
inline constexpr std::size_t kMaxDataflowKernels = 100'000;
inline constexpr std::size_t kMaxDataflowTensors = 1'000'000;

/// Reads a graph of kernels and tensors (model/schemas/network.schema.json), in any order, and
/// sorts its kernels topologically, those of the file's order first. Throws InputError with
/// source:line:column for unknown keys, names that no kernel has, and cycles, which it names.
DataflowGraph read_dataflow_graph(std::string_view text, const std::string& source);

/// Reads partitions of a graph's kernels (model/schemas/mapping.schema.json): lists of names, in
/// the order in which they run on a chip. Throws InputError with source:line:column for unknown
/// keys, the name of another network, names that no kernel has, kernels that stand twice or
/// nowhere, partitions without kernels, and a kernel that runs before one whose tensor it takes.
/// Members are sorted by index.
std::vector<std::vector<std::size_t>> read_mapping(std::string_view text, const std::string& source,
                                                   const DataflowGraph& graph);

}  // namespace waferloom
