#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "model/placement.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

/// The worked example of the contest as a solution.
Solution example() {
  Solution solution = to_solution(test::contest_example(), test::contest_example_placement());
  for (std::size_t i = 0; i < 3; ++i) {
    solution.kernels[i].position = TextPosition{static_cast<int>(i) + 1, 1};
    solution.places[i].position = TextPosition{static_cast<int>(i) + 4, 1};
  }
  return solution;
}

std::vector<Violation> after(const std::function<void(Solution&)>& spoil) {
  Solution solution = example();
  spoil(solution);
  return verify(test::contest_example(), solution);
}

/// Checks that there is one violation, of this kind and about this kernel; returns its message.
std::string only(const std::vector<Violation>& violations, ViolationKind kind,
                 const std::string& kernel) {
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].kind == kind);
  REQUIRE_FALSE(violations[0].kernels.empty());
  CHECK(violations[0].kernels[0] == kernel);
  return violations[0].message;
}

}  // namespace

TEST_CASE("the contest's example is legal") {
  CHECK(verify(test::contest_example(), example()).empty());
}

TEST_CASE("missing parameters and places") {
  CHECK(only(after([](Solution& s) { s.kernels.erase(s.kernels.begin() + 1); }),
             ViolationKind::missing_kernel, "k2") == "kernel 'k2' has no parameters");
  CHECK(only(after([](Solution& s) { s.places.pop_back(); }), ViolationKind::missing_place, "k3") ==
        "kernel 'k3' has no place");
  CHECK(verify(test::contest_example(), Solution{}).size() == 6);
}

TEST_CASE("parameters and places given twice; the first counts") {
  const auto kernel = after([](Solution& s) {
    s.kernels.push_back(s.kernels[0]);
    s.kernels.back().execution.h = 999;
    s.kernels.back().position = TextPosition{9, 1};
  });
  CHECK(only(kernel, ViolationKind::duplicate_kernel, "k1") ==
        "kernel 'k1' is given parameters more than once");
  CHECK(kernel[0].position == TextPosition{9, 1});
  CHECK(only(after([](Solution& s) {
               s.places.push_back(s.places[2]);
               s.places.back().x = -7;
             }),
             ViolationKind::duplicate_place,
             "k3") == "kernel 'k3' is given its place more than once");
}

TEST_CASE("unknown kernels") {
  const auto found = after([](Solution& s) {
    s.kernels.push_back(s.kernels[0]);
    s.kernels.back().name = "k9";
    s.places.push_back(s.places[0]);
    s.places.back().name = "k8";
  });
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == ViolationKind::unknown_kernel);
  CHECK(found[0].message == "the problem has no kernel named 'k9'");
  CHECK(found[1].message == "the problem has no kernel named 'k8'");
}

TEST_CASE("wrong types hide what depends on them") {
  const auto found = after([](Solution& s) {
    s.kernels[0].formal = CblockFormal{56, 56, 256};
    s.places[0].x = -1;
  });
  CHECK(only(found, ViolationKind::wrong_type, "k1") == "kernel 'k1' is a dblock, given as cblock");
}

TEST_CASE("wrong formal parameters are listed with both values") {
  CHECK(only(after([](Solution& s) {
               s.kernels[0].formal = DblockFormal{56, 55, 128};
             }),
             ViolationKind::wrong_formal,
             "k1") == "kernel 'k1' has W = 56 given as 55, F = 256 given as 128");
}

TEST_CASE("execution parameters below one and above what they split") {
  CHECK(only(after([](Solution& s) { s.kernels[0].execution.h = 0; }),
             ViolationKind::nonpositive_parameter, "k1") == "kernel 'k1' has h = 0, below 1");
  CHECK(only(after([](Solution& s) { s.kernels[2].execution.w = 29; }),
             ViolationKind::oversized_parameter, "k3") == "kernel 'k3' has w = 29 above 28");
  const auto both = after([](Solution& s) {
    s.kernels[1].execution.c[3] = 257;
    s.kernels[1].execution.k[0] = -4;
    s.kernels[1].execution.k[1] = 129;
  });
  REQUIRE(both.size() == 2);
  CHECK(both[0].message == "kernel 'k2' has k1 = -4, below 1");
  CHECK(both[1].message == "kernel 'k2' has c4 = 257 above 256, k2 = 129 above 128");
}

TEST_CASE("each execution parameter is limited by what it splits, exactly") {
  ProblemData data = test::problem_data({ConvFormal{3, 4, 1, 1, 5, 6, 1, 1}});
  data.memory_limit = kMaxMemoryLimit;
  const Problem problem(std::move(data));
  const auto violations_of = [&](const Execution& execution) {
    Solution solution;
    solution.kernels.push_back(
        SolutionKernel{"k1", ConvFormal{3, 4, 1, 1, 5, 6, 1, 1}, execution, {}});
    solution.places.push_back(SolutionPlace{"k1", 0, 0, false, {}});
    return verify(problem, solution);
  };
  CHECK(violations_of(Execution{3, 4, {5}, {6}}).empty());
  for (const Execution& wrong : {Execution{4, 4, {5}, {6}}, Execution{3, 5, {5}, {6}},
                                 Execution{3, 4, {6}, {6}}, Execution{3, 4, {5}, {7}}}) {
    CHECK(only(violations_of(wrong), ViolationKind::oversized_parameter, "k1").size() > 0);
  }
}

TEST_CASE("memory is limited inclusively and told in words") {
  // One pixel, 8 → 8 features: 8/c·8/k + 8/k words.
  ProblemData data = test::problem_data({test::kPixel});
  data.memory_limit = 18;
  const Problem problem(std::move(data));
  const auto with_k = [&](std::int64_t k) {
    return verify(
        problem,
        to_solution(problem, Placement{{PlacedKernel{Execution{1, 1, {1}, {k}}, 0, 0, false}}}));
  };
  CHECK(with_k(4).empty());  // 16 + 2
  CHECK(only(with_k(3), ViolationKind::memory, "k1") ==
        "kernel 'k1' needs 24 words of memory a tile, the limit is 18");
}

TEST_CASE("kernels must lie wholly on the wafer") {
  // k3 is 144 × 144 tiles.
  const auto at = [](std::int64_t x, std::int64_t y) {
    return after([x, y](Solution& s) {
      s.places[2].x = x;
      s.places[2].y = y;
    });
  };
  CHECK(at(633 - 144, 633 - 144).empty());
  CHECK(only(at(633 - 143, 300), ViolationKind::out_of_bounds, "k3") ==
        "kernel 'k3' of 144x144 tiles at (490, 300) is not wholly on the wafer of 633x633");
  CHECK(at(300, 490).size() == 1);
  CHECK(at(300, -1).size() == 2);  // it also meets k2
  const auto left = at(-200, 400);
  CHECK(only(left, ViolationKind::out_of_bounds, "k3").size() > 0);
  CHECK(left[0].tiles == Rectangle{-200, 400, 144, 144});
  CHECK(left[0].position == TextPosition{6, 1});
}

TEST_CASE("coordinates at the ends of the type do not overflow") {
  for (const std::int64_t far :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
        kMaxCoordinate, -kMaxCoordinate, kMaxCoordinate + 1}) {
    INFO("coordinate ", far);
    CHECK(only(after([far](Solution& s) { s.places[0].x = s.places[0].y = far; }),
               ViolationKind::out_of_bounds, "k1")
              .size() > 0);
  }
}

TEST_CASE("overlaps name both kernels and the shared tiles") {
  // k1 covers (0, 148)–(264, 292), k2 (150, 0)–(423, 144).
  CHECK(after([](Solution& s) { s.places[0].y = 144; }).empty());
  const auto found = after([](Solution& s) { s.places[0].y = 143; });
  REQUIRE(found.size() == 2);  // k3 covers (0, 0)–(144, 144)
  CHECK(found[0].kind == ViolationKind::overlap);
  CHECK(found[0].kernels == std::vector<std::string>{"k1", "k2"});
  CHECK(found[0].tiles == Rectangle{150, 143, 114, 1});
  CHECK(found[0].message == "kernels 'k1' and 'k2' share 114x1 tiles at (150, 143)");
  CHECK(found[1].kernels == std::vector<std::string>{"k1", "k3"});
  CHECK(found[1].tiles == Rectangle{0, 143, 144, 1});
}

TEST_CASE("violations come in the order of their kinds, then of the kernels") {
  const auto found = after([](Solution& s) {
    s.places[0] = SolutionPlace{"k1", -1, -1, false, {}};
    s.places[2] = SolutionPlace{"nobody", 0, 0, false, {}};
    s.kernels[1].formal = CblockFormal{56, 56, 511};
    std::reverse(s.kernels.begin(), s.kernels.end());
  });
  std::vector<ViolationKind> kinds;
  for (const Violation& violation : found) kinds.push_back(violation.kind);
  CHECK(kinds == std::vector<ViolationKind>{ViolationKind::missing_place,
                                            ViolationKind::unknown_kernel,
                                            ViolationKind::wrong_formal,
                                            ViolationKind::out_of_bounds, ViolationKind::overlap});
}

TEST_CASE("a thousand kernels on one heap are judged") {
  const Problem problem(
      test::problem_data(std::vector<KernelFormal>(1000, KernelFormal(test::kPixel))));
  Placement placement;
  placement.kernels.assign(problem.kernel_count(),
                           PlacedKernel{Execution{1, 1, {8}, {8}}, 0, 0, false});
  const auto heap = verify(problem, to_solution(problem, placement));
  CHECK(heap.size() == kMaxListedOverlaps);
  // 24 × 9 tiles each, ten a row: of 100 rows 70 are on the wafer.
  for (std::size_t i = 0; i < placement.kernels.size(); ++i) {
    placement.kernels[i].x = static_cast<std::int64_t>(i % 10) * 24;
    placement.kernels[i].y = static_cast<std::int64_t>(i / 10) * 9;
  }
  const auto rows = verify(problem, to_solution(problem, placement));
  CHECK(rows.size() == 300);
  CHECK(std::all_of(rows.begin(), rows.end(), [](const Violation& violation) {
    return violation.kind == ViolationKind::out_of_bounds;
  }));
}

TEST_CASE("verdicts on random placements equal a direct reading of the rules") {
  const std::uint64_t seed = 555;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  int legal = 0;
  for (int round = 0; round < 2000; ++round) {
    INFO("round ", round);
    const Problem problem = test::random_problem(random);
    const Placement placement = test::random_placement(random, problem);
    std::size_t expected = 0;
    std::vector<Rectangle> tiles;
    for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
      const PlacedKernel& placed = placement.kernels[i];
      tiles.push_back(rectangle(problem.kernel(i), placed));
      const Rectangle& r = tiles.back();
      expected +=
          std::size_t{memory_words(problem.kernel(i), placed.execution) > problem.memory_limit()};
      expected += std::size_t{r.x < 0 || r.y < 0 || r.x + r.width > problem.wafer().width ||
                              r.y + r.height > problem.wafer().height};
      for (std::size_t j = 0; j < i; ++j) expected += std::size_t{overlap(tiles[j], r)};
    }
    CHECK(verify(problem, to_solution(problem, placement)).size() == expected);
    legal += int{expected == 0};
  }
  CHECK(legal > 20);
}

TEST_CASE("kinds have the names that reports use") {
  CHECK(kind_name(ViolationKind::missing_kernel) == "missing_kernel");
  CHECK(kind_name(ViolationKind::nonpositive_parameter) == "nonpositive_parameter");
  CHECK(kind_name(ViolationKind::oversized_parameter) == "oversized_parameter");
  CHECK(kind_name(ViolationKind::out_of_bounds) == "out_of_bounds");
  CHECK(kind_name(ViolationKind::overlap) == "overlap");
}

namespace {

/// Two kernels of one pixel, 3 × 3 tiles each, at (0, 0) and (10, 0).
std::vector<Violation> pixels_under(const std::function<void(ProblemData&)>& change) {
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  data.wafer = Wafer{20, 10};
  change(data);
  const Problem problem(std::move(data));
  const Execution cut{1, 1, {2}, {1}};
  return verify(problem, to_solution(problem, Placement{{PlacedKernel{cut, 0, 0, false},
                                                         PlacedKernel{cut, 10, 0, true}}}));
}

}  // namespace

TEST_CASE("dead tiles may not be covered") {
  CHECK(pixels_under([](ProblemData& d) {
          d.wafer.dead = {{3, 0, 7, 10}, {0, 3, 20, 7}};
        }).empty());
  const auto found = pixels_under([](ProblemData& d) {
    d.wafer.dead = {{3, 0, 2, 2}, {11, 2, 5, 5}};
  });
  CHECK(only(found, ViolationKind::dead_tiles, "k2") ==
        "kernel 'k2' covers 2x1 tiles at (11, 2) of the dead rectangle of 5x5 at (11, 2)");
  CHECK(found[0].tiles == Rectangle{11, 2, 2, 1});
  CHECK(pixels_under([](ProblemData& d) {
          d.wafer.dead = {{0, 0, 20, 1}, {0, 1, 20, 1}};
        }).size() == 4);
}

TEST_CASE("fixed kernels lie where they are fixed, cut as they are fixed") {
  const auto fixed = [](const FixedKernel& wanted) {
    return pixels_under([&](ProblemData& d) { d.constraints.fixed = {wanted}; });
  };
  CHECK(fixed({1, 10, 0, true, {}}).empty());
  CHECK(fixed({1, 10, 0, true, Execution{1, 1, {2}, {1}}}).empty());
  CHECK(only(fixed({1, 10, 1, true, {}}), ViolationKind::fixed, "k2") ==
        "kernel 'k2' is fixed at (10, 1) R90, given at (10, 0) R90");
  CHECK(only(fixed({1, 10, 0, false, {}}), ViolationKind::fixed, "k2") ==
        "kernel 'k2' is fixed at (10, 0) R0, given at (10, 0) R90");
  CHECK(only(fixed({0, 0, 0, false, Execution{1, 1, {2}, {2}}}), ViolationKind::fixed, "k1") ==
        "kernel 'k1' is fixed with other execution parameters");
}

TEST_CASE("regions hold kernels in or keep them out") {
  const auto region = [](std::vector<std::size_t> kernels, const Rectangle& area, RegionRule rule) {
    return pixels_under([&](ProblemData& d) {
      d.constraints.regions = {Region{std::move(kernels), area, rule, decimal6(1)}};
    });
  };
  CHECK(region({0}, {0, 0, 3, 3}, RegionRule::inside).empty());
  CHECK(only(region({0, 1}, {-5, 0, 17, 3}, RegionRule::inside), ViolationKind::inside, "k2") ==
        "kernel 'k2' of 3x3 tiles at (10, 0) is not wholly inside the region of 17x3 at (-5, 0)");
  CHECK(region({0, 1}, {3, 0, 7, 10}, RegionRule::outside).empty());
  const auto found = region({0, 1}, {3, 0, 8, 10}, RegionRule::outside);
  CHECK(only(found, ViolationKind::outside, "k2") ==
        "kernel 'k2' of 3x3 tiles at (10, 0) is not outside the region of 8x10 at (3, 0)");
  CHECK(found[0].tiles == Rectangle{10, 0, 1, 3});
  CHECK(region({0, 1}, {19, 9, 1, 1}, RegionRule::prefer).empty());
}

TEST_CASE("an option has to be one of the list") {
  const ShapesFormal shapes{std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{{3, 2, 1'000'000, 10}, {2, 3, 1'000'000, 99}})};
  ProblemData data = test::chain({shapes});
  data.memory_limit = 50;
  const Problem problem(std::move(data));
  const auto option = [&](std::int64_t number) {
    return verify(
        problem,
        to_solution(problem, Placement{{PlacedKernel{option_execution(number), 0, 0, false}}}));
  };
  CHECK(option(1).empty());
  CHECK(only(option(2), ViolationKind::memory, "k1") ==
        "kernel 'k1' needs 99 words of memory a tile, the limit is 50");
  CHECK(only(option(3), ViolationKind::oversized_parameter, "k1") ==
        "kernel 'k1' has option = 3 above 2");
  CHECK(only(option(0), ViolationKind::nonpositive_parameter, "k1") ==
        "kernel 'k1' has option = 0, below 1");
}

}  // namespace waferloom
