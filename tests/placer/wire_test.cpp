#include "placer/wire.h"

#include <doctest/doctest.h>

#include "tests/placer/placer_cases.h"

namespace waferloom {
namespace {

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
    CHECK(Wire(problem).cost(centres) ==
          doctest::Approx(static_cast<double>(costs.total(judged))).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace waferloom
