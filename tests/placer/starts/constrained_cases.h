#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "placer/shapes/clear_space.h"
#include "tests/placer/free/tile_grid.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::test {

/// What binds the kernels of a constrained problem.
struct Binding {
  bool dead = false;
  bool fixed_cut = false;  ///< kernel 0, with its execution
  bool fixed = false;      ///< kernel 1, rotated, without
  bool inside = false;     ///< kernels 2 and 3
  bool outside = false;    ///< kernels 3 and 4
  bool prefer = false;     ///< kernel 4
};
inline constexpr Binding kAllBind{true, true, true, true, true, true};

/// The shape with the least long side under a cap.
inline Shape squarest(const placer::ShapeLibrary& library, KernelIndex kernel, std::int64_t time) {
  const std::vector<Shape> front = library.front(library.type_of(kernel), time);
  return *std::min_element(front.begin(), front.end(), [](const Shape& a, const Shape& b) {
    return std::max(a.size.width, a.size.height) < std::max(b.size.width, b.size.height);
  });
}

/// A chain of five kernels or more with a skip on a wafer of 70×60, with room to choose.
///
///   60 +------------------------+
///      |   outside: 3, 4        |   dead rectangles above the lowest 20 rows
///      |        +---------------|
///      |   inside: 2, 3 (right half)
///   20 |                        |
///      | 0 fixed    1 fixed R90 |
///      +------------------------+
inline Problem constrained_problem(std::uint64_t seed, const Binding& binding,
                                   std::size_t kernels = 6) {
  const Problem plain =
      medium_problem(kernels, Weights{decimal6(1), decimal6(2), decimal6(5)}, seed);
  ProblemData data = plain.data();
  Draw draw(seed);
  const Wafer upper{70, 38};
  for (int i = 0; i < 12 && binding.dead; ++i) {
    Rectangle dead = random_rectangle(draw, upper, 5);
    dead.y += 22;
    data.wafer.dead.push_back(dead);
  }
  const placer::ShapeLibrary library(plain);
  const Shape small = squarest(library, 0, 4 * roomy_time(library));
  if (binding.fixed_cut) {
    data.constraints.fixed.push_back(FixedKernel{0, 2, 1, false, small.execution});
  }
  if (binding.fixed) data.constraints.fixed.push_back(FixedKernel{1, 36, 0, true, {}});
  const auto add = [&](std::vector<std::size_t> members, const Rectangle& area, RegionRule rule) {
    data.constraints.regions.push_back(Region{std::move(members), area, rule, decimal6(1)});
  };
  if (binding.inside) add({2, 3}, {30, 0, 50, 60}, RegionRule::inside);
  if (binding.outside) add({3, 4}, {-5, 50, 90, 15}, RegionRule::outside);
  if (binding.prefer) add({4}, {60, 0, 10, 10}, RegionRule::prefer);
  return Problem(data);
}

/// Every kernel in some shape under a cap, anywhere on the wafer or a little off it, overlapping
/// as it comes.
inline Placement scattered(const placer::ShapeLibrary& library, std::int64_t time, Draw& draw) {
  const Wafer& wafer = library.problem().wafer();
  Placement placement;
  for (KernelIndex i = 0; i < library.problem().kernel_count(); ++i) {
    const std::vector<Shape> front = library.front(library.type_of(i), time);
    const auto shape = static_cast<std::size_t>(draw.between(0, std::ssize(front) - 1));
    placement.kernels.push_back(PlacedKernel{front[shape].execution, draw.between(-9, wafer.width),
                                             draw.between(-9, wafer.height),
                                             draw.between(0, 1) == 1});
  }
  return placement;
}

}  // namespace waferloom::test
