#include "placer/shapes/clear_space.h"

#include <doctest/doctest.h>

#include "tests/placer/free/tile_grid.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

Wafer random_wafer(test::Draw& draw, std::int64_t most_side, std::int64_t most_dead) {
  Wafer wafer{draw.between(1, most_side), draw.between(1, most_side)};
  for (std::int64_t i = draw.between(0, most_dead); i > 0; --i) {
    wafer.dead.push_back(test::random_rectangle(draw, wafer, draw.between(1, most_side)));
  }
  return wafer;
}

/// `count` kernels without edges; where they may lie is all that matters.
ProblemData data_on(const Wafer& wafer, std::size_t count) {
  return test::problem_data(std::vector<KernelFormal>(count, test::kPixel), {}, wafer);
}

/// The sizes of windows that none of them exceeds in both sides, widest first, pair by pair.
std::vector<Extent> largest_sizes(const std::vector<Rectangle>& windows) {
  std::vector<Extent> largest;
  for (const Rectangle& window : windows) {
    const Extent size{window.width, window.height};
    const bool exceeded = std::any_of(windows.begin(), windows.end(), [&](const Rectangle& other) {
      return other.width >= size.width && other.height >= size.height &&
             (other.width > size.width || other.height > size.height);
    });
    const bool listed = std::any_of(largest.begin(), largest.end(),
                                    [&](const Extent& other) { return other.width == size.width; });
    if (!exceeded && !listed) largest.push_back(size);
  }
  std::sort(largest.begin(), largest.end(),
            [](const Extent& a, const Extent& b) { return a.width > b.width; });
  return largest;
}

TEST_CASE("a kernel may lie where every tile is clear and in its regions") {
  test::Draw draw(41);
  for (int round = 0; round < 200; ++round) {
    INFO("round ", round);
    const Wafer wafer = random_wafer(draw, 30, 40);
    const test::TileGrid grid(wafer);
    ProblemData data = data_on(wafer, 3);
    const auto any_area = [&] {
      return Rectangle{draw.between(-10, 25), draw.between(-10, 25), draw.between(1, 40),
                       draw.between(1, 40)};
    };
    const RegionRule rules[] = {RegionRule::inside, RegionRule::outside, RegionRule::prefer};
    for (std::int64_t i = draw.between(0, 4); i > 0; --i) {
      data.constraints.regions.push_back(
          Region{{0, 1}, any_area(), rules[draw.between(0, 2)], Decimal6{}});
    }
    const Problem problem(data);
    const ClearSpace space(problem);
    const auto is_plainly_allowed = [&](KernelIndex kernel, const Rectangle& tiles) {
      if (!grid.is_free(tiles)) return false;
      for (const Region& region : problem.constraints().regions) {
        if (kernel == 2) break;  // in no region
        if (region.rule == RegionRule::inside && !contains(region.area, tiles)) return false;
        if (region.rule == RegionRule::outside && overlap(region.area, tiles)) return false;
      }
      return true;
    };
    for (int i = 0; i < 300; ++i) {
      const Rectangle tiles{draw.between(-3, 30), draw.between(-3, 30), draw.between(1, 8),
                            draw.between(1, 8)};
      for (KernelIndex kernel = 0; kernel < 3; ++kernel) {
        CHECK(space.allows(kernel, tiles) == is_plainly_allowed(kernel, tiles));
      }
    }
  }
}

TEST_CASE("regions to lie in that share no tile leave a kernel nowhere") {
  ProblemData data = data_on(Wafer{9, 9}, 2);
  data.constraints.regions = {Region{{0}, {0, 0, 4, 9}, RegionRule::inside, {}},
                              Region{{0}, {4, 0, 5, 9}, RegionRule::inside, {}},
                              Region{{0}, {-5, -5, 9, 9}, RegionRule::inside, {}}};
  const Problem problem(data);
  const ClearSpace space(problem);
  CHECK(space.binds());
  CHECK(space.domain(0).width == 0);
  CHECK(space.domain(1) == Rectangle{0, 0, 9, 9});
  for (std::int64_t x = 0; x < 9; ++x) CHECK_FALSE(space.allows(0, Rectangle{x, 0, 1, 1}));
}

TEST_CASE("what binds is told, and what does not is not") {
  ProblemData data = data_on(Wafer{9, 9}, 2);
  data.constraints.regions = {Region{{0}, {0, 0, 4, 9}, RegionRule::prefer, decimal6(1)}};
  CHECK_FALSE(ClearSpace(Problem(data)).binds());
  SUBCASE("dead tiles") { data.wafer.dead = {{0, 0, 1, 1}}; }
  SUBCASE("a region") { data.constraints.regions.front().rule = RegionRule::outside; }
  SUBCASE("a fixed kernel") { data.constraints.fixed = {FixedKernel{1, 3, 4, true, {}}}; }
  const Problem problem(data);
  const ClearSpace space(problem);
  CHECK(space.binds());
  CHECK(space.fixed(0) == nullptr);
  const bool is_fixed = !problem.constraints().fixed.empty();
  CHECK(space.fixed(1) == (is_fixed ? &problem.constraints().fixed.front() : nullptr));
}

TEST_CASE("all dead rectangles that share tiles are visited, until the visitor has enough") {
  test::Draw draw(42);
  for (int round = 0; round < 100; ++round) {
    INFO("round ", round);
    const Wafer wafer = random_wafer(draw, 40, 60);
    const Problem problem(data_on(wafer, 1));
    const ClearSpace space(problem);
    for (int i = 0; i < 100; ++i) {
      const Rectangle tiles = test::random_rectangle(draw, wafer, 12);
      std::vector<Rectangle> visited;
      CHECK(space.for_dead_in(tiles, [&](const Rectangle& dead) {
        visited.push_back(dead);
        return true;
      }));
      std::vector<Rectangle> expected;
      for (const Rectangle& dead : wafer.dead) {
        if (overlap(dead, tiles)) expected.push_back(dead);
      }
      const auto once = [](std::vector<Rectangle> rectangles) {
        rectangles = test::sorted(std::move(rectangles));
        rectangles.erase(std::unique(rectangles.begin(), rectangles.end()), rectangles.end());
        return rectangles;
      };
      CHECK(once(visited) == once(expected));
      int calls = 0;
      const bool all = space.for_dead_in(tiles, [&](const Rectangle&) { return ++calls < 1; });
      CHECK(all == expected.empty());
      CHECK(calls == (expected.empty() ? 0 : 1));
    }
  }
}

TEST_CASE("what a visitor has cut off is not visited any more") {
  test::Draw draw(46);
  for (int round = 0; round < 100; ++round) {
    INFO("round ", round);
    const Wafer wafer = random_wafer(draw, 40, 60);
    const Problem problem(data_on(wafer, 1));
    const ClearSpace space(problem);
    Rectangle left{0, 0, wafer.width, wafer.height};
    const bool all = space.for_dead_in(left, [&](const Rectangle& dead) {
      CHECK(overlap(dead, left));
      // What is above, to the right or to the left of it, as long as that has tiles.
      const std::int64_t right = left.x + left.width;
      const std::int64_t top = left.y + left.height;
      if (dead.y + dead.height < top) {
        left = {left.x, dead.y + dead.height, left.width, top - dead.y - dead.height};
      } else if (dead.x + dead.width < right) {
        left = {dead.x + dead.width, left.y, right - dead.x - dead.width, left.height};
      } else if (left.x < dead.x) {
        left.width = dead.x - left.x;
      } else {
        return false;
      }
      return true;
    });
    if (all) CHECK(space.allows(0, left));
  }
}

TEST_CASE("very many dead rectangles that cover much of a wafer many times over are no burden") {
  test::Draw draw(45);
  Wafer wafer{kMaxWaferSide, kMaxWaferSide};
  for (std::size_t i = 0; i < kMaxDeadRectangles; ++i) {
    Rectangle dead = test::random_rectangle(draw, Wafer{kMaxWaferSide, 30'000}, kMaxWaferSide);
    dead.y += 2'000;
    wafer.dead.push_back(dead);
  }
  const Problem problem(data_on(wafer, 1));
  const ClearSpace space(problem);
  CHECK(space.allows(0, {0, 0, kMaxWaferSide, 2'000}));
  for (int i = 0; i < 30; ++i) {
    const Rectangle tiles = test::random_rectangle(draw, wafer, 3'000);
    CHECK(space.allows(0, tiles) == is_clear(wafer, tiles));
  }
  const ClearWindows clear = clear_windows(wafer, 1);
  REQUIRE(clear.windows.size() == 1);
  CHECK(clear.windows.front().width == kMaxWaferSide);
  CHECK(is_clear(wafer, clear.windows.front()));
}

TEST_CASE("clear windows are all maximal clear rectangles, largest first") {
  test::Draw draw(43);
  for (int round = 0; round < 400; ++round) {
    INFO("round ", round);
    const Wafer wafer = random_wafer(draw, 9, round % 20);
    const ClearWindows clear = clear_windows(wafer, 1'000);
    CHECK(clear.exact);
    CHECK(test::sorted(clear.windows) == test::sorted(test::TileGrid(wafer).maximal_free()));
    const auto area = [](const Rectangle& window) { return window.width * window.height; };
    CHECK(
        std::is_sorted(clear.windows.begin(), clear.windows.end(),
                       [&](const Rectangle& a, const Rectangle& b) { return area(a) > area(b); }));
    const auto most = static_cast<std::size_t>(draw.between(0, 5));
    const ClearWindows few = clear_windows(wafer, most);
    CHECK(few.largest == largest_sizes(clear.windows));
    CHECK_FALSE(few.rounded);
    CHECK(few.exact == (clear.windows.size() <= most));
    const std::size_t count = std::min(most, clear.windows.size());
    CHECK(few.windows ==
          std::vector<Rectangle>(clear.windows.begin(),
                                 clear.windows.begin() + static_cast<std::ptrdiff_t>(count)));
  }
}

TEST_CASE("clear windows of plain wafers") {
  const auto windows = [](const Wafer& wafer) { return clear_windows(wafer, 9).windows; };
  CHECK(windows(Wafer{1, 1}) == std::vector<Rectangle>{{0, 0, 1, 1}});
  CHECK(windows(Wafer{1, 1, {{0, 0, 1, 1}}}).empty());
  CHECK(windows(Wafer{7, 5}) == std::vector<Rectangle>{{0, 0, 7, 5}});
  CHECK(windows(Wafer{7, 5, {{0, 0, 4, 5}, {3, 0, 4, 5}}}).empty());
  CHECK(windows(Wafer{7, 5, {{2, 0, 1, 5}}}) == std::vector<Rectangle>{{3, 0, 4, 5}, {0, 0, 2, 5}});
}

TEST_CASE("windows of a wafer with too many edges are rounded and clear") {
  test::Draw draw(44);
  for (const bool turned : {false, true}) {
    INFO("turned ", turned);
    Wafer wafer{20'000, 40};
    for (int i = 0; i < 1'500; ++i) {
      wafer.dead.push_back({draw.between(0, 19'989), draw.between(0, 39), draw.between(1, 11), 1});
    }
    if (turned) {
      std::swap(wafer.width, wafer.height);
      for (Rectangle& dead : wafer.dead) {
        std::swap(dead.x, dead.y);
        std::swap(dead.width, dead.height);
      }
    }
    const ClearWindows clear = clear_windows(wafer, 100'000);
    CHECK_FALSE(clear.exact);
    CHECK(clear.rounded);
    CHECK(clear.windows.size() > 100);
    for (const Rectangle& window : clear.windows) CHECK(is_clear(wafer, window));
  }
}

}  // namespace
}  // namespace waferloom::placer
