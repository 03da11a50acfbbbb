#include "placer/free/infeasible_position.h"

#include <doctest/doctest.h>

#include <string>

#include "placer/free/infeasible_kernel.h"
#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

/// Two kernels of extents 3·k × (c + 1), c up to 3 and k up to 2: 6×2 to 3×4 at the fastest time.
ProblemData pair_data() {
  return test::problem_data({test::dense(3, 2), test::dense(3, 2)}, {{0, 1}}, Wafer{30, 20});
}
Execution flat() {  // 6 wide, 2 high
  Execution execution;
  execution.c[0] = 1;
  execution.k[0] = 2;
  return execution;
}

std::string reason(const ProblemData& data) {
  const Problem problem(data);
  const ShapeLibrary library(problem);
  const auto found = infeasible_position(library, ClearSpace(library.problem()));
  const auto whole = infeasible_kernel(library, ClearSpace(library.problem()));
  CHECK(whole.has_value() == found.has_value());
  return found ? found->message : "";
}

TEST_CASE("a fixed kernel is told where it fits and where not") {
  ProblemData data = pair_data();
  const auto fixed_at = [&](std::int64_t x, std::int64_t y, bool rotated) {
    data.constraints.fixed = {FixedKernel{0, x, y, rotated, flat()}};
    return reason(data);
  };
  CHECK(fixed_at(24, 18, false).empty());
  CHECK(fixed_at(25, 18, false) ==
        "kernel k1 is fixed on 6x2 tiles at (25, 18), where it is not allowed to lie");
  CHECK(fixed_at(28, 14, true).empty());
  CHECK(fixed_at(28, 15, true) ==
        "kernel k1 is fixed on 2x6 tiles at (28, 15), where it is not allowed to lie");
  data.wafer.dead = {{10, 10, 1, 1}};
  CHECK(fixed_at(11, 10, false).empty());
  CHECK_FALSE(fixed_at(10, 9, false).empty());
  data.memory_limit = memory_words(make_kernel(test::dense(3, 2)), flat());
  CHECK(fixed_at(0, 0, false).empty());
  --data.memory_limit;
  CHECK(fixed_at(0, 0, false) ==
        "kernel k1 is fixed with an execution that needs " + std::to_string(data.memory_limit + 1) +
            " words a tile, the limit is " + std::to_string(data.memory_limit));
}

TEST_CASE("a kernel that is fixed without execution may have any shape that fits there") {
  ProblemData data = pair_data();
  const auto fixed_at = [&](std::int64_t x, std::int64_t y, bool rotated) {
    data.constraints.fixed = {FixedKernel{1, x, y, rotated, {}}};
    return reason(data);
  };
  // The smallest shape is 3 wide and 2 high.
  CHECK(fixed_at(27, 18, false).empty());
  CHECK(fixed_at(28, 18, false) ==
        "kernel k2 is fixed at (28, 18) R0, where none of its shapes is allowed");
  CHECK(fixed_at(28, 17, true).empty());
  CHECK(fixed_at(28, 18, true) ==
        "kernel k2 is fixed at (28, 18) R90, where none of its shapes is allowed");
}

TEST_CASE("what regions and dead tiles leave is compared with the smallest shapes") {
  ProblemData data = pair_data();
  const auto inside = [&](const Rectangle& area) {
    data.constraints.regions = {Region{{1}, area, RegionRule::inside, {}}};
    return reason(data);
  };
  CHECK(inside({5, 5, 2, 3}).empty());
  CHECK(inside({5, 5, 2, 2}) ==
        "kernel k2 has no shape that fits where it has to lie, 2x2 tiles at (5, 5)");
  CHECK(inside({-8, 19, 20, 5}) ==
        "kernel k2 has no shape that fits where it has to lie, 12x1 tiles at (0, 19)");
  CHECK(inside({31, 0, 9, 9}) ==
        "kernel k2 has to lie inside of regions that share no tile of the wafer");
  data.constraints.regions = {Region{{1}, {2, 2, 9, 9}, RegionRule::inside, {}},
                              Region{{1}, {2, 2, 9, 9}, RegionRule::outside, {}}};
  CHECK(reason(data) ==
        "kernel k2 has to lie outside of all that its other regions and the wafer leave");
  data.constraints.regions.pop_back();
  data.wafer.dead = {{5, 0, 1, 20}, {8, 0, 1, 20}};  // two columns between them
  CHECK(reason(data).empty());
  CHECK(inside({6, 0, 2, 20}).empty());
  CHECK(inside({5, 0, 3, 2}) == "kernel k2 has no shape that fits between the dead tiles");
}

TEST_CASE("clear rectangles too small for any shape are told, however many they are") {
  // A chessboard of blocks of 2x2 tiles leaves 5,000 clear ones, which share no side.
  ProblemData data = pair_data();
  data.wafer = Wafer{200, 200};
  for (std::int64_t y = 0; y < 100; ++y) {
    for (std::int64_t x = y % 2; x < 100; x += 2) data.wafer.dead.push_back({2 * x, 2 * y, 2, 2});
  }
  CHECK(reason(data) ==
        "kernel k1 has no shape that fits between the dead tiles: the largest clear rectangle has "
        "4 tiles (2x2), its smallest shape needs 6 tiles (3x2)");
  data.wafer.dead.pop_back();  // 4x2 clear tiles in the corner
  CHECK(reason(data).empty());
  data.wafer.dead = {{0, 0, 200, 200}};
  CHECK(reason(data) == "kernel k1 finds all tiles dead");
}

TEST_CASE("what has a legal placement is not called impossible") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed ", seed);
    CHECK(reason(test::constrained_problem(seed, test::kAllBind).data()).empty());
  }
}

}  // namespace
}  // namespace waferloom::placer
