#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/least_split.h"
#include "kernels/shape_curve.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom::test {

/// Height → smallest width over every execution of the kernel, found by trying all of them.
using WidthByHeight = std::map<std::int64_t, std::int64_t>;

/// Tries all (c, k) of the convolutions from `index` on.
inline void try_all(const Kernel& kernel, const KernelLimits& limits, Execution& execution,
                    std::size_t index, WidthByHeight& best) {
  if (index == convolution_total(kernel)) {
    if (compute_time(kernel, execution, limits.time_denominator) > limits.time) return;
    if (memory_words(kernel, execution) > limits.memory_words) return;
    if (!has_room(kernel, execution, limits.buffers)) return;
    const Extent size = extent(kernel, execution);
    const auto [held, inserted] = best.emplace(size.height, size.width);
    if (!inserted) held->second = std::min(held->second, size.width);
    return;
  }
  const Convolution& conv = kernel.convolutions[index];
  for (std::int64_t c = 1; c <= conv.in4 / 4; ++c) {
    for (std::int64_t k = 1; k <= conv.out4 / 4; ++k) {
      execution.c.at(index) = c;
      execution.k.at(index) = k;
      try_all(kernel, limits, execution, index + 1, best);
    }
  }
}

/// The Pareto front of all executions with both sides at most `largest_side`.
inline std::vector<Extent> slow_front(const Kernel& kernel, const KernelLimits& limits,
                                      std::int64_t largest_side) {
  WidthByHeight best;
  for (std::int64_t h = 1; h <= kernel.height; ++h) {
    for (std::int64_t w = 1; w <= kernel.width; ++w) {
      Execution execution{h, w, {}, {}};
      try_all(kernel, limits, execution, 0, best);
    }
  }
  std::vector<Extent> front;
  for (const auto& [height, width] : best) {
    if (height > largest_side || width > largest_side) continue;
    if (front.empty() || width < front.back().width) front.push_back(Extent{width, height});
  }
  return front;
}

inline std::vector<Extent> sizes(const std::vector<Shape>& front) {
  std::vector<Extent> result;
  for (const Shape& shape : front) result.push_back(shape.size);
  return result;
}

/// A kernel small enough to try everything: at most a few thousand executions.
inline KernelFormal tiny_formal(RandomKernels& random) {
  switch (random.between(0, 2)) {
    case 0:
      return random.conv(7);
    case 1:
      return DblockFormal{random.between(1, 4), random.between(1, 4), random.between(4, 9)};
    default:
      return CblockFormal{random.between(1, 3), random.between(1, 3), random.between(4, 7)};
  }
}

}  // namespace waferloom::test
