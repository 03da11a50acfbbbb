#include "placer/free/free_layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

bool same(const std::vector<DoubledCentre>& a, const std::vector<DoubledCentre>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const DoubledCentre& p, const DoubledCentre& q) { return p.x == q.x && p.y == q.y; });
}

std::vector<Rectangle> tiles_of(const FreeLayout& layout) {
  std::vector<Rectangle> tiles;
  for (std::size_t i = 0; i < layout.tiles().size(); ++i) tiles.push_back(layout.tiles().at(i));
  return tiles;
}

/// All that a layout is.
struct State {
  std::vector<Rectangle> tiles;
  std::vector<DoubledCentre> centres;
  Placement placement;
  std::int64_t time = 0;
  explicit State(const FreeLayout& layout)
      : tiles(tiles_of(layout)),
        centres(layout.centres()),
        placement(layout.placement()),
        time(layout.shapes().time()) {}
};
void check_same(const State& a, const State& b) {
  CHECK(a.tiles == b.tiles);
  CHECK(same(a.centres, b.centres));
  CHECK(a.placement == b.placement);
  CHECK(a.time == b.time);
}

/// Recomputes everything and holds it against the constraints.
void check(const Problem& problem, const ClearSpace& space, const FreeLayout& layout) {
  const Placement placement = layout.placement();
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    INFO("kernel ", i);
    const Rectangle tiles = layout.tiles().at(i);
    CHECK(space.allows(i, tiles));
    CHECK(tiles.width == layout.shapes().size(i).width);
    CHECK(tiles.height == layout.shapes().size(i).height);
    CHECK(rectangle(problem.kernel(i), placement.kernels[i]) == tiles);
    CHECK(layout.centres()[i].x == 2 * tiles.x + tiles.width);
    CHECK(layout.centres()[i].y == 2 * tiles.y + tiles.height);
    const FixedKernel* fixed = space.fixed(i);
    if (fixed == nullptr) continue;
    CHECK(placement.kernels[i].x == fixed->x);
    CHECK(placement.kernels[i].y == fixed->y);
    CHECK(placement.kernels[i].rotated == fixed->rotated);
    if (fixed->execution) CHECK(placement.kernels[i].execution == *fixed->execution);
  }
}

/// A problem with all kinds of constraints, and a start that breaks all of them.
struct Bound {
  Problem problem;
  ShapeLibrary library;
  ClearSpace space;
  Placement start;
  explicit Bound(std::uint64_t seed)
      : problem(test::constrained_problem(seed, test::kAllBind)), library(problem), space(problem) {
    test::Draw draw(seed);
    start = test::scattered(library, test::roomy_time(library), draw);
  }
};

TEST_CASE("settling puts every kernel where it may lie") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed ", seed);
    const Bound bound(seed);
    FreeLayout layout(bound.library, bound.space, bound.start);
    RandomStream random({seed, 0, 0});
    REQUIRE(layout.settle(random));
    CHECK_FALSE(layout.changed());
    check(bound.problem, bound.space, layout);
  }
}

TEST_CASE("settling finds a place for what lies far off, though the nearest corner is dead") {
  ProblemData data = test::medium_problem(4, Weights{}, 2).data();
  data.wafer.dead = {{0, 0, 20, 20}, {50, 0, 20, 20}, {0, 40, 20, 20}, {50, 40, 20, 20}};
  const Problem problem(data);
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  test::Draw draw(2);
  Placement start = test::scattered(library, test::roomy_time(library), draw);
  for (KernelIndex i = 0; i < 4; ++i) {
    start.kernels[i].x = i % 2 == 0 ? -30'000 : 60'000;
    start.kernels[i].y = i < 2 ? -30'000 : 60'000;
  }
  FreeLayout layout(library, space, start);
  const std::int64_t time = layout.shapes().time();
  RandomStream random({2, 0, 0});
  REQUIRE(layout.settle(random));
  CHECK(layout.shapes().time() == time);
  check(problem, space, layout);
}

TEST_CASE("settling moves nothing that may stay") {
  const Bound bound(3);
  FreeLayout layout(bound.library, bound.space, bound.start);
  RandomStream random({3, 0, 0});
  REQUIRE(layout.settle(random));
  const State settled(layout);
  REQUIRE(layout.settle(random));
  check_same(State(layout), settled);
  FreeLayout again(bound.library, bound.space, layout.placement());
  REQUIRE(again.settle(random));
  CHECK(tiles_of(again) == settled.tiles);
}

TEST_CASE("a kernel without an allowed place is not settled") {
  ProblemData data = test::medium_problem(4, Weights{}, 2).data();
  SUBCASE("dead everywhere") { data.wafer.dead = {{0, 0, 70, 60}}; }
  SUBCASE("regions that share nothing") {
    data.constraints.regions = {Region{{2}, {0, 0, 30, 60}, RegionRule::inside, {}},
                                Region{{2}, {30, 0, 40, 60}, RegionRule::inside, {}}};
  }
  SUBCASE("fixed on dead tiles") {
    data.wafer.dead = {{5, 5, 1, 1}};
    data.constraints.fixed = {FixedKernel{1, 5, 5, false, {}}};
  }
  const Problem problem(data);
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  test::Draw draw(2);
  FreeLayout layout(library, space, test::scattered(library, test::roomy_time(library), draw));
  RandomStream random({2, 0, 0});
  CHECK_FALSE(layout.settle(random));
}

TEST_CASE("settling ends when it is told to, without moving anything more") {
  const Bound bound(3);
  FreeLayout layout(bound.library, bound.space, bound.start);
  const State before(layout);
  std::atomic<bool> raised{true};
  RandomStream random({3, 0, 0});
  CHECK_FALSE(layout.settle(random, RunControl{.stop = &raised}));
  check_same(State(layout), before);
  CHECK(layout.settle(random));
}

TEST_CASE("whatever is proposed keeps all constraints, and is undone exactly") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed ", seed);
    const Bound bound(seed);
    FreeLayout layout(bound.library, bound.space, bound.start);
    RandomStream random({seed, 1, 0});
    REQUIRE(layout.settle(random));
    std::int64_t overlap = layout.tiles().total();
    int possible = 0;
    for (int move = 0; move < 3'000; ++move) {
      const State before(layout);
      if (!layout.propose(random)) {
        layout.undo();
        check_same(State(layout), before);
        continue;
      }
      ++possible;
      check(bound.problem, bound.space, layout);
      const std::int64_t after = layout.overlap(overlap);
      CHECK(after == layout.tiles().total());
      if (random.coin()) {
        layout.undo();
        check_same(State(layout), before);
      } else {
        layout.commit();
        overlap = after;
      }
      CHECK_FALSE(layout.changed());
    }
    CHECK(possible > 1'000);
  }
}

TEST_CASE("several moves of one transaction are priced and undone together") {
  const Bound bound(4);
  FreeLayout layout(bound.library, bound.space, bound.start);
  RandomStream random({4, 2, 0});
  REQUIRE(layout.settle(random));
  for (int transaction = 0; transaction < 500; ++transaction) {
    const State before(layout);
    const std::int64_t overlap = layout.tiles().total();
    for (std::uint32_t moves = 1 + random.below(3); moves > 0; --moves) {
      layout.propose_place(random.below(6), random);
    }
    CHECK(layout.overlap(overlap) == layout.tiles().total());
    layout.undo();
    check_same(State(layout), before);
  }
}

TEST_CASE("the overlap after moves of few among many kernels is that of all pairs") {
  const Problem problem = test::medium_problem(24, Weights{}, 5);
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  test::Draw draw(5);
  FreeLayout layout(library, space, test::scattered(library, test::roomy_time(library), draw));
  RandomStream random({5, 0, 0});
  REQUIRE(layout.settle(random));
  std::int64_t overlap = layout.tiles().total();
  for (int move = 0; move < 2'000; ++move) {
    if (!layout.propose(random)) {
      layout.undo();
      continue;
    }
    const std::vector<Rectangle> tiles = tiles_of(layout);
    overlap = layout.overlap(overlap);
    CHECK(overlap == layout.tiles().total());
    CHECK(tiles_of(layout) == tiles);
    layout.commit();
  }
}

TEST_CASE("exchanging with what was before goes back, and again is nothing") {
  const Bound bound(5);
  FreeLayout layout(bound.library, bound.space, bound.start);
  RandomStream random({5, 3, 0});
  REQUIRE(layout.settle(random));
  for (int move = 0; move < 1'000; ++move) {
    const std::vector<Rectangle> before = tiles_of(layout);
    const std::vector<DoubledCentre> centres_before = layout.centres();
    layout.propose_place(random.below(6), random);
    if (random.coin()) layout.propose_place(random.below(6), random);
    const std::vector<Rectangle> after = tiles_of(layout);
    const std::vector<DoubledCentre> centres_after = layout.centres();
    layout.exchange_with_before();
    CHECK(tiles_of(layout) == before);
    CHECK(same(layout.centres(), centres_before));
    layout.exchange_with_before();
    CHECK(tiles_of(layout) == after);
    CHECK(same(layout.centres(), centres_after));
    layout.undo();
  }
}

TEST_CASE("other caps keep all constraints") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed ", seed);
    const Bound bound(seed);
    FreeLayout layout(bound.library, bound.space, bound.start);
    RandomStream random({seed, 4, 0});
    REQUIRE(layout.settle(random));
    int possible = 0;
    for (int round = 0; round < 100; ++round) {
      const State before(layout);
      const std::int64_t percent = 80 + random.below(60);
      if (layout.set_time(before.time * percent / 100, random)) {
        ++possible;
        CHECK(layout.shapes().time() == before.time * percent / 100);
        check(bound.problem, bound.space, layout);
        layout.commit();
      } else {
        layout.undo();
        check_same(State(layout), before);
      }
    }
    CHECK(possible > 10);
  }
}

TEST_CASE("a snapshot brings everything back") {
  const Bound bound(6);
  FreeLayout layout(bound.library, bound.space, bound.start);
  RandomStream random({6, 5, 0});
  REQUIRE(layout.settle(random));
  const State then(layout);
  const FreeLayout::Snapshot snapshot = layout.snapshot();
  for (int move = 0; move < 200; ++move) layout.propose(random) ? layout.commit() : layout.undo();
  layout.propose(random);  // left open
  layout.restore(snapshot);
  check_same(State(layout), then);
  CHECK_FALSE(layout.changed());
}

TEST_CASE("a square kernel that is fixed keeps its rotation") {
  ProblemData data =
      test::problem_data({test::dense(3, 2), test::dense(3, 2)}, {{0, 1}}, Wafer{30, 30});
  data.constraints.fixed = {FixedKernel{0, 4, 5, true, {}}};
  const Problem problem(data);
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  Execution square;  // c 2, k 1: 3 wide, 3 high
  square.c[0] = 2;
  square.k[0] = 1;
  const Placement start{{PlacedKernel{square, 4, 5, true}, PlacedKernel{square, 9, 9, false}}};
  FreeLayout layout(library, space, start);
  RandomStream random({1, 0, 0});
  REQUIRE(layout.settle(random));
  for (int move = 0; move < 2'000; ++move) {
    layout.propose(random) ? layout.commit() : layout.undo();
    CHECK(layout.placement().kernels[0].rotated);
  }
}

}  // namespace
}  // namespace waferloom::placer
