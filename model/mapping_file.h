#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/dataflow_graph.h"

namespace waferloom {

/// Reads partitions of a graph's kernels (model/schemas/mapping.schema.json): lists of names, in
/// the order in which they run on a chip. Throws InputError with source:line:column for unknown
/// keys, the name of another network, names that no kernel has, kernels that stand twice or
/// nowhere, partitions without kernels, and a kernel that runs before one whose tensor it takes.
/// Members are sorted by index.
std::vector<std::vector<std::size_t>> read_mapping(std::string_view text, const std::string& source,
                                                   const DataflowGraph& graph);

}  // namespace waferloom
