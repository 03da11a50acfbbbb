#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/order_ideals.h"

namespace waferloom::planner {

// The best mapping as a mixed-integer linear program for CBC, where a graph has more ideals than
// the dynamic program can go through (DFModel, section V, gives it to Gurobi). With z(i, p) = 1 if
// kernel i runs in partition p or before, x(i, p) = z(i, p) - z(i, p - 1), and b(j, p) = 1 if both
// ends of tensor j are in p:
//
//     z(i, p) <= z(i, p + 1)             z(i, last) = 1
//     z(to, p) <= z(from, p)             for every tensor and every order
//     b <= x(from, p), b <= x(to, p), b >= x(from, p) + x(to, p) - 1
//     c(p) >= sum compute x
//     c(p) >= sum tensor bytes (x(from, p) + x(to, p) - 2 b) / DRAM rate + sum kernel bytes x
//     c(p) >= sum network x
//     SRAM >= sum weights x + sum bytes / pieces (2 (x(from, p) + x(to, p) - b) + (d - 1) b)
//     DRAM >= sum bytes (z(from, p) - z(to, p - 1) - b)
//     minimise the sum of c(p); partitions without kernels come last
//
// where d is the difference of levels: cut tensors take 2 pieces and those inside d + 1; and
// x(from, p) + x(to, p) - 2 b is the |x(from, p) - x(to, p)| of the paper's matrix D.

struct MappingProgramOptions {
  std::optional<std::size_t> partitions{};  ///< exactly so many
  std::vector<Precedence> orders{};         ///< besides tensors
  Partitions start{};                       ///< a mapping that is known; may be empty
  double time_limit_s = 60;
  std::int64_t most_nodes = 1'000'000;  ///< of the branch-and-bound tree
};

struct MappingProgramResult {
  Partitions partitions;   ///< as the solver says, not re-evaluated; empty: none found
  double bound_s = 0;      ///< no mapping takes less, within the solver's tolerances (about 1e-7)
  bool is_proven = false;  ///< the solver says that nothing is better, or that there is none
  std::int64_t nodes = 0;
};

/// More than so many variables z and b are left to heuristics.
inline constexpr std::size_t kMostMappingVariables = 60'000;

/// Partitions that a best mapping needs at most, where nothing but SRAM limits them: two
/// neighbours that fit together cost no more as one (the maximum of sums is at most the sum of
/// maxima), so some best mapping has no such pair, and then floor(P / 2) of its pairs hold more
/// than the SRAM together. With T = weights + bytes / pieces · max(4, d + 1) over all tensors:
/// P <= 2 ceil(T / SRAM) - 1; never more than kernels.
std::size_t most_partitions(const MappingProblem& problem);

/// How many variables z and b the program has for so many partitions.
std::size_t mapping_variables(const MappingProblem& problem, std::size_t partitions);

/// Not for several threads at once: the solver has state of its own.
MappingProgramResult solve_mapping_program(const MappingProblem& problem,
                                           const MappingProgramOptions& options);

}  // namespace waferloom::planner
