#include "placer/shapes/wire.h"

#include <doctest/doctest.h>

#include "tests/placer/placer_cases.h"
#include "tests/support/close_to.h"

namespace waferloom::placer {
namespace {

using test::close_to;

TEST_CASE("the cost of centres is what the score says of distance and preferences") {
  test::Draw draw(31);
  for (int round = 0; round < 200; ++round) {
    INFO("round ", round);
    ProblemData data = test::random_case(draw, 4, Wafer{90, 90});
    data.connections.clear();
    for (const auto& [from, to] : test::Edges{{1, 0}, {1, 2}, {3, 2}}) {
      Connection edge{from, to, {}};
      edge.weight = Decimal6{draw.between(0, 40) * Decimal6::kOne / 10};
      data.connections.push_back(edge);
    }
    data.weights.distance = Decimal6{draw.between(0, 5) * Decimal6::kOne};
    const auto side = [&] { return draw.between(1, 30); };
    data.constraints.regions.push_back(
        Region{{0, 2},
               {draw.between(-20, 90), draw.between(-20, 90), side(), side()},
               RegionRule::prefer,
               Decimal6{draw.between(0, 30) * Decimal6::kOne / 10}});
    const Problem problem(data);
    const CostModel costs(problem);
    Placement placement;
    std::vector<DoubledCentre> centres;
    for (KernelIndex i = 0; i < 4; ++i) {
      Execution execution;
      execution.h = execution.w = 1;
      for (std::size_t c = 0; c < convolution_total(problem.kernel(i)); ++c) {
        execution.c[c] = execution.k[c] = 1;
      }
      placement.kernels.push_back(PlacedKernel{execution, draw.between(0, 60), draw.between(0, 60),
                                               draw.between(0, 1) == 1});
      const Rectangle tiles = rectangle(problem.kernel(i), placement.kernels.back());
      centres.push_back(DoubledCentre{static_cast<std::int32_t>(2 * tiles.x + tiles.width),
                                      static_cast<std::int32_t>(2 * tiles.y + tiles.height)});
    }
    Score judged = score(problem, placement);
    judged.time = 0;
    judged.adapter = 0;
    const Wire wire(problem);
    const auto whole = static_cast<double>(costs.total(judged));
    CHECK(wire.cost(centres) == close_to(whole).within(1e-12));
    // Kernel by kernel every edge counts at both of its ends, a preference once.
    double by_kernel = 0;
    for (KernelIndex i = 0; i < 4; ++i) by_kernel += wire.cost_of(i, centres);
    judged.half_distance = 0;
    const auto preferences = static_cast<double>(costs.total(judged));
    CHECK(by_kernel == close_to(2 * whole - preferences).within(1e-12));
  }
}

TEST_CASE("what a kernel's place decides changes the cost by as much") {
  test::Draw draw(32);
  for (int round = 0; round < 50; ++round) {
    INFO("round ", round);
    ProblemData data = test::random_case(draw, 5, Wafer{90, 90});
    data.constraints.regions.push_back(
        Region{{0, 3}, {10, 20, 30, 5}, RegionRule::prefer, decimal6(2)});
    data.constraints.regions.push_back(Region{{1}, {0, 0, 9, 9}, RegionRule::inside, decimal6(2)});
    const Problem problem(data);
    const Wire wire(problem);
    const auto anywhere = [&] { return static_cast<std::int32_t>(draw.between(0, 180)); };
    std::vector<DoubledCentre> centres(5);
    for (DoubledCentre& centre : centres) centre = DoubledCentre{anywhere(), anywhere()};
    for (KernelIndex i = 0; i < 5; ++i) {
      const double before = wire.cost(centres) - wire.cost_of(i, centres);
      centres[i] = DoubledCentre{anywhere(), anywhere()};
      CHECK(wire.cost(centres) - wire.cost_of(i, centres) == close_to(before));
    }
  }
}

}  // namespace
}  // namespace waferloom::placer
