#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "model/run_control.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/order_ideals.h"

namespace waferloom::planner {

// The best mapping by dynamic programming over order ideals. A mapping is a chain of ideals
// {} = I0 < I1 < … < Ik = all, and its cost a sum over the differences, so
//
//     best(J) = min over ideals I < J of best(I) + cost(J \ I)
//
// is exact whatever the cost of a partition. Two things make it fast, both without loss:
//
//   1. With I fixed, a partition's compute, memory, network, SRAM and live DRAM are sums over its
//      kernels: which tensors of a kernel come from I is known, and a tensor between two kernels
//      of the partition is counted as cut when its maker comes in and taken back when its taker
//      does. Weights that are streamed are weighed when the sums are priced (CostSums::total_s).
//      All J above I are walked by adding kernels by ascending index; every ideal is met once, each
//      from another one, at five additions. SRAM only grows on the way (chip_mapping.h), so a walk
//      ends where it is full.
//   2. An ideal from which even a bound on the rest leads to no less than a known mapping is not
//      left: rest >= max(its compute, its network, what it has to read).

struct IdealProgramOptions {
  /// Partitions of the mapping; nothing: as many as are best.
  std::optional<std::size_t> partitions{};
  /// Total of a mapping known already: ideals that lead to more are passed over.
  double known_total_s = std::numeric_limits<double>::infinity();
  /// Seconds of compute of a partition, at least as long as any of its subsets; instead of the sum
  /// over kernels (cycle_model.h). Asked only where the other parts leave room for improvement.
  PartitionCompute compute_s{};
  RunControl control{};  ///< asked now and then; the search ends without a result once it is cut
};

struct IdealProgramResult {
  Partitions partitions;  ///< empty: there is no such mapping, or none better than known
  bool was_stopped = false;
  std::uint64_t transitions = 0;  ///< pairs of ideals that were priced
};

/// Ideals of problem.graph, with orders or without. O(pairs of ideals) time; memory O(ideals ·
/// partitions).
IdealProgramResult best_chain(const MappingProblem& problem, const OrderIdeals& ideals,
                              const IdealProgramOptions& options);

}  // namespace waferloom::planner
