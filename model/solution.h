#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/formal.h"
#include "kernels/kernel.h"
#include "model/errors.h"
#include "model/placement.h"
#include "model/problem.h"

namespace waferloom {

/// `k1 = conv( … )`: what a solution file claims of one kernel. Parameters as read, unchecked. A
/// solution does not repeat a list of shapes: ShapesFormal is empty there.
struct SolutionKernel {
  std::string name;
  KernelFormal formal;
  Execution execution;
  TextPosition position;
};

/// `k1 : place(x y R0)`.
struct SolutionPlace {
  std::string name;
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool rotated = false;
  TextPosition position;
};

/// The content of a solution file, in its order; may well be wrong (that is for verify to say).
struct Solution {
  std::vector<SolutionKernel> kernels;
  std::vector<SolutionPlace> places;
};

/// A placement as a solution, kernels in the problem's order, without positions.
Solution to_solution(const Problem& problem, const Placement& placement);

/// The placement that a solution describes; demands that verify finds nothing missing, duplicate
/// or unknown in it (std::logic_error otherwise).
Placement to_placement(const Problem& problem, const Solution& solution);

/// What of a solution can be started from, whatever else is wrong with it: the kernels of the
/// problem that it gives exactly one line of parameters, of the right type and formal parameters
/// and within limits, and exactly one place.
PartialPlacement to_partial_placement(const Problem& problem, const Solution& solution);

/// Reads a solution in the contest's format (docs/formats.md); `include …`, `name(…)`,
/// `k1 : name('k1)` and `kmap = union( k1 k2 )` lines, as other placers write them, are passed
/// over. Throws InputError with source:line:column for what is not of that form, numbers
/// beyond ± kMaxCoordinate included; what is of the form but wrong is left to verify.
Solution read_solution(std::string_view text, const std::string& source);

/// Writes a solution in the contest's format, kernels first, then places.
std::string write_solution(const Solution& solution);

}  // namespace waferloom
