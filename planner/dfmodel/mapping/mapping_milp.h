#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/order_ideals.h"

namespace waferloom::planner {

// The best mapping as a mixed-integer linear program for CBC. It is for graphs with more ideals
// than the dynamic program can handle (DFModel, section V, uses Gurobi). Variables:
//
//     z(i, p) = 1 if kernel i runs in partition p or before
//     x(i, p) = z(i, p) - z(i, p - 1): 1 if kernel i runs in partition p
//     b(j, p) = 1 if both ends of tensor j are in p
//     c(p)    = the time of partition p
//     s(p)    = bytes of weights that p streams, where the chip can (loaded_weight_bytes)
//
// The program:
//
//     z(i, p) <= z(i, p + 1)             z(i, last) = 1
//     z(to, p) <= z(from, p)             for every tensor and every order
//     b <= x(from, p), b <= x(to, p), b >= x(from, p) + x(to, p) - 1
//     c(p) >= sum compute x
//     c(p) >= sum tensor bytes (x(from, p) + x(to, p) - 2 b) / DRAM rate + sum kernel bytes x
//             + s(p) / DRAM rate
//     c(p) >= sum network x
//     s(p) <= sum weights x
//     SRAM >= sum weights x - s(p) + sum bytes / pieces (2 (x(from, p) + x(to, p) - b) + (d - 1) b)
//     DRAM >= sum bytes (z(from, p) - z(to, p - 1) - b)
//     minimise the sum of c(p) - s(p) · seconds per byte loaded; partitions without kernels come
//     last
//
// Here d is the difference of levels: a cut tensor takes 2 pieces, a tensor inside takes d + 1. The
// term x(from, p) + x(to, p) - 2 b is the |x(from, p) - x(to, p)| of the paper's matrix D.

struct MappingProgramOptions {
  std::optional<std::size_t> partitions{};  ///< exactly this number
  std::vector<Precedence> orders{};         ///< besides tensors
  Partitions start{};                       ///< a known mapping to start from; may be empty
  double time_limit_s = 60;
  std::int64_t most_nodes = 1'000'000;  ///< of the branch-and-bound tree
};

struct MappingProgramResult {
  Partitions partitions;   ///< the solver's answer, not priced again; empty: none found
  double bound_s = 0;      ///< no mapping takes less, within the solver's tolerances (about 1e-7)
  bool is_proven = false;  ///< the solver says that nothing is better, or that there is none
  std::int64_t nodes = 0;
};

/// A program with more variables z and b than this is left to heuristics.
inline constexpr std::size_t kMostMappingVariables = 60'000;

/// An upper bound on the partitions P that a best mapping needs. Two neighbours that fit together
/// cost no more when they are merged: the maximum of sums is at most the sum of maxima. So some
/// best mapping has no such pair. Then each of floor(P / 2) pairs needs more than the SRAM. With
/// T = weights + bytes / pieces · max(4, d + 1) over all tensors: P <= 2 ceil(T / SRAM) - 1. P is
/// never more than the number of kernels. Where DRAM is limited too, only that last bound holds.
std::size_t most_partitions(const MappingProblem& problem);

/// The number of variables z and b of the program for `partitions` partitions.
std::size_t mapping_variables(const MappingProblem& problem, std::size_t partitions);

/// Must not run on several threads at once: the solver has global state.
MappingProgramResult solve_mapping_program(const MappingProblem& problem,
                                           const MappingProgramOptions& options);

}  // namespace waferloom::planner
