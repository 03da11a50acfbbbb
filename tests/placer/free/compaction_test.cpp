#include "placer/free/compaction.h"

#include <doctest/doctest.h>

#include "placer/place.h"
#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

std::int64_t wire_of(const Problem& problem, const Placement& placement) {
  return score(problem, placement).half_distance;
}

/// A placement that some start of the problem makes.
Placement some_placement(const Problem& problem) {
  PlaceOptions options;
  options.strategy = "bisection";
  const PlaceResult result = place(problem, options);
  REQUIRE(result.placement.has_value());
  return *result.placement;
}

TEST_CASE("compaction keeps a placement legal and its shapes, and shortens the wire") {
  int shorter = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem = test::medium_problem(9, Weights{}, seed);
    const ClearSpace space(problem);
    const Placement before = some_placement(problem);
    const Placement after = compact(problem, space, before, RunControl{});
    CHECK(test::violations(problem, after) == 0);
    CHECK(wire_of(problem, after) <= wire_of(problem, before));
    CHECK(score(problem, after).time == score(problem, before).time);
    CHECK(score(problem, after).adapter == score(problem, before).adapter);
    CHECK(compact(problem, space, after, RunControl{}) == after);
    shorter += wire_of(problem, after) < wire_of(problem, before) ? 1 : 0;
  }
  CHECK(shorter > 10);
}

TEST_CASE("whatever binds is kept along both axes, and edges count what they weigh") {
  int cheaper = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed ", seed);
    ProblemData data = test::constrained_problem(seed, test::kAllBind).data();
    for (std::size_t i = 0; i < data.connections.size(); ++i) {
      data.connections[i].weight = decimal6(1 + 4 * static_cast<std::int64_t>(i % 3));
    }
    const Problem problem(data);
    PlaceOptions options;
    options.strategy = "free-rectangles";
    const PlaceResult result = place(problem, options);
    if (!result.placement) continue;
    const CostModel costs(problem);
    const Placement after = compact(problem, ClearSpace(problem), *result.placement, RunControl{});
    CHECK(test::violations(problem, after) == 0);
    const Int128 total = costs.total(score(problem, after));
    CHECK(total <= costs.total(result.score));
    cheaper += total < costs.total(result.score) ? 1 : 0;
  }
  CHECK(cheaper > 10);
}

/// Three pixels far from each other in a row of tiles.
struct Pixels {
  ProblemData data =
      test::problem_data(std::vector<KernelFormal>(3, test::kPixel), test::chain(3), Wafer{60, 40});
  Placement far() const {
    Placement placement;
    for (const std::int64_t x : {2, 22, 50}) {
      placement.kernels.push_back({Execution{1, 1, {8}, {1}}, x, 10 + x / 4, false});
    }
    return placement;
  }
  Placement compacted() const {
    const Problem problem(data);
    const Placement result = compact(problem, ClearSpace(problem), far(), RunControl{});
    CHECK(test::violations(problem, result) == 0);
    return result;
  }
};

TEST_CASE("kernels slide together along both axes") {
  const Placement together = Pixels{}.compacted();
  const Problem problem(Pixels{}.data);
  const std::int64_t width = rectangle(problem.kernel(0), together.kernels[0]).width;
  CHECK(together.kernels[1].x == together.kernels[0].x + width);
  CHECK(together.kernels[2].x == together.kernels[1].x + width);
  CHECK(together.kernels[0].y == together.kernels[1].y);
  CHECK(together.kernels[1].y == together.kernels[2].y);
}

TEST_CASE("nothing slides over dead tiles, off its place or out of a region") {
  Pixels pixels;
  pixels.data.wafer.dead = {{30, 0, 2, 40}};
  const Placement parted = pixels.compacted();
  CHECK(parted.kernels[1].x < 30);
  CHECK(parted.kernels[2].x == 32);

  Pixels pinned;
  pinned.data.constraints.fixed.push_back(FixedKernel{0, 2, 10, false, std::nullopt});
  const Placement at_pin = pinned.compacted();
  CHECK(at_pin.kernels[0] == pinned.far().kernels[0]);
  CHECK(at_pin.kernels[2].x < 10);

  Pixels fenced = pinned;
  Region fence;
  fence.kernels = {2};
  fence.rule = RegionRule::inside;
  fence.area = {45, 0, 15, 40};
  fenced.data.constraints.regions.push_back(fence);
  CHECK(fenced.compacted().kernels[2].x == 45);
  fenced.data.constraints.regions.back().rule = RegionRule::outside;
  fenced.data.constraints.regions.back().area = {40, 0, 9, 40};
  CHECK(fenced.compacted().kernels[2].x == 49);
}

TEST_CASE("kernels slide to a region that they prefer as far as it outweighs their edges") {
  for (const int weight : {0, 5}) {
    Pixels pixels;
    pixels.data.constraints.fixed.push_back(FixedKernel{0, 2, 10, false, std::nullopt});
    Region wish;
    wish.kernels = {2};
    wish.rule = RegionRule::prefer;
    wish.area = {58, 20, 2, 20};
    wish.weight = decimal6(weight);
    pixels.data.constraints.regions.push_back(wish);
    const Placement placement = pixels.compacted();
    INFO("weight ", weight);
    CHECK((placement.kernels[2].x > 50) == (weight == 5));
  }
}

}  // namespace
}  // namespace waferloom::placer
