#pragma once

#include <string>
#include <vector>

#include "model/problem.h"

namespace waferloom {

/// Kernel indices so that every producer comes before its consumers; among those that are free to
/// come next the one closest behind its latest producer (depth first), then the smallest index, so
/// that chains stay together. Empty if the graph has a cycle. O(n log n + m).
std::vector<KernelIndex> topological_order(const Problem& problem);

/// The kernels of one directed cycle in order, without repeating the first; empty if there is none.
std::vector<KernelIndex> find_cycle(const Problem& problem);

/// For each kernel the kernel at the other end of each of its edges, parallel ones repeated.
using Neighbours = std::vector<std::vector<KernelIndex>>;
Neighbours graph_neighbours(const Problem& problem);

/// For each kernel the indices in Problem::connections() of the edges that touch it, ascending.
std::vector<std::vector<std::size_t>> incident_connections(const Problem& problem);

/// Throws InputError for a graph with a cycle, naming it: placing needs an order.
void check_acyclic(const Problem& problem, const std::string& source);

}  // namespace waferloom
