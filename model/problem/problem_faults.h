#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/problem.h"

namespace waferloom {

/// Which part of a ProblemData breaks an invariant of Problem.
enum class FaultPlace {
  name,
  wafer,
  memory_limit,
  replicas,
  weights,
  kernels,  ///< all of them together
  kernel,
  terminal,
  connection,
  terminal_connection,
  dead,   ///< a dead rectangle of the wafer
  fixed,  ///< a fixed kernel of the constraints
  region
};

/// One broken invariant: `index` counts within the part's list, `message` is "expected …, found …".
struct ProblemFault {
  FaultPlace place{};
  std::size_t index = 0;
  std::string message;
};

/// Every invariant of Problem that `data` breaks, in the order of the enum, at most `most`. The one
/// home of these rules: Problem throws the first, readers give each its line and column.
std::vector<ProblemFault> find_faults(const ProblemData& data, std::size_t most);

/// Least common multiple of the kernels' time denominators; 0 if it reaches 2^62. Looks at
/// their formal parameters alone, which must be in range.
std::int64_t common_time_denominator(const std::vector<ProblemKernel>& kernels);

/// Smallest d of which all weights of edges are multiples of 1/d; divides 10⁶.
std::int64_t common_distance_denominator(const std::vector<Connection>& connections);

}  // namespace waferloom
