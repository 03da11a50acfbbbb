#pragma once

#include <cstdint>

#include "model/placement.h"
#include "model/problem.h"

namespace waferloom::test {

/// A problem with a placement to draw.
struct SamplePlan {
  Problem problem;
  Placement placement;
};

/// A chain of residual blocks and convolutions with some skip edges, an input, an output, packed
/// onto shelves as fast as a bisection over the kernels' time finds it: legal, not good.
/// The same every time. The wafer must have room for `kernels` ≥ 1 small kernels.
SamplePlan sample_plan(std::size_t kernels, const Wafer& wafer);

/// A chain of equal convolutions of 48 × 64 tiles in rows from the lower left, without gaps.
SamplePlan grid_plan(std::size_t kernels, const Wafer& wafer);

/// Two convolutions with 1 × 1 splits, 3 × 2 tiles each, side by side from (0, 0), joined by an
/// edge, named as given.
struct TwoNames {
  const char* first = "k1";
  const char* second = "k2";
};
SamplePlan two_small_kernels(const Wafer& wafer, const TwoNames& names = {});

}  // namespace waferloom::test
