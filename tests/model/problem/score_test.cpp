#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "model/placement.h"
#include "tests/support/small_problems.h"

namespace waferloom {

TEST_CASE("the contest's worked example") {
  const Problem problem = test::contest_example();
  const Score result = score(problem, test::contest_example_placement());
  CHECK(problem.time_denominator() == 4);
  CHECK(time_text(problem, result.time) == "50176");
  CHECK(distance_text(result.half_distance) == "517");
  CHECK(result.adapter == 0);
  const CostModel costs(problem);
  CHECK(total_text(costs, costs.total(result)) == "50693");
}

TEST_CASE("distances are taken between centres in half tiles") {
  CHECK(half_distance(Rectangle{0, 0, 3, 2}, Rectangle{5, 7, 4, 2}) == (14 - 3) + (16 - 2));
  CHECK(half_distance(Rectangle{5, 7, 4, 2}, Rectangle{0, 0, 3, 2}) == 25);
  CHECK(half_distance(Rectangle{0, 0, 9, 9}, Rectangle{3, 3, 3, 3}) == 0);
  CHECK(half_distance(Rectangle{-4, 0, 1, 1}, Rectangle{0, 0, 1, 1}) == 8);
  CHECK(distance_text(25) == "12.5");
}

TEST_CASE("parallel edges count each, edges at terminals not at all") {
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  data.connections.push_back(Connection{0, 1, {}});
  data.connections.push_back(Connection{1, 0, {}});
  data.terminals.push_back(Terminal{9, "in", Terminal::Kind::input, TensorShape{1, 1, 8}});
  data.terminal_connections.push_back(TerminalConnection{0, 0, {}});
  const Problem problem(std::move(data));
  // 3 × 3 tiles at (0, 0) and 3 × 4 tiles at (10, 0): 10 + 0.5 apart, c = 2 and 3.
  const Placement placement{{PlacedKernel{Execution{1, 1, {2}, {1}}, 0, 0, false},
                             PlacedKernel{Execution{1, 1, {3}, {1}}, 10, 0, false}}};
  const Score result = score(problem, placement);
  CHECK(result.half_distance == 3 * 21);
  CHECK(result.adapter == 3);
  CHECK(result.time == 4 * 8);  // ceil(8/2)·ceil(8/1), the slower of the two
}

TEST_CASE("totals are exact in units of the scale") {
  ProblemData data = test::chain({ConvFormal{1, 1, 1, 1, 3, 1, 3, 1}, test::kPixel});
  data.weights = Weights{Decimal6{500'001}, Decimal6{250'000}, Decimal6{1}};
  const Problem problem(std::move(data));
  const CostModel costs(problem);
  CHECK(problem.time_denominator() == 3);
  CHECK(costs.scale() == 6'000'000);  // lcm(3, 2)·10⁶
  CHECK(costs.per_time() == 2 * 500'001);
  CHECK(costs.per_half_distance() == 3 * 250'000);
  CHECK(costs.per_adapter() == 6);
  const Int128 total = costs.total(Score{9, 5, 2});
  // 9/3·0.500001 + 2.5·0.25 + 2·0.000001
  CHECK(total_text(costs, total) == "2.125005");
  CHECK(time_text(problem, 10) == "3.333333333333");
}

TEST_CASE("weights of edges multiply distances, not adapters") {
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  data.connections[0].weight = Decimal6{2'500'000};
  data.connections.push_back(Connection{1, 0, {}, decimal6(3)});
  data.weights = Weights{decimal6(1), decimal6(4), decimal6(10)};
  const Problem problem(std::move(data));
  CHECK(problem.distance_denominator() == 2);
  CHECK_FALSE(problem.has_unit_edges());
  CHECK(problem.edge_units(problem.connections()[0]) == 5);
  CHECK(problem.edge_units(problem.connections()[1]) == 6);
  // Centres 10.5 apart, c = 2 and 3 at both edges.
  const Placement placement{{PlacedKernel{Execution{1, 1, {2}, {1}}, 0, 0, false},
                             PlacedKernel{Execution{1, 1, {3}, {1}}, 10, 0, false}}};
  const Score result = score(problem, placement);
  CHECK(result.half_distance == 21 * 5 + 21 * 6);
  CHECK(distance_text(problem, result.half_distance) == "57.75");
  CHECK(result.adapter == 2);
  const CostModel costs(problem);
  CHECK(total_text(costs, costs.total(result)) == "283");  // 32 + 4·57.75 + 10·2
  CHECK(costs.per_half_distance(problem.connections()[0]) == 5 * costs.per_half_distance());
  CHECK(costs.scale() == 4'000'000);
}

TEST_CASE("whole weights of edges leave the units as they are") {
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  CHECK(Problem(data).has_unit_edges());
  data.connections[0].weight = kMaxEdgeWeight;
  const Problem problem(std::move(data));
  CHECK(problem.distance_denominator() == 1);
  CHECK(CostModel(problem).scale() == 2'000'000);
}

TEST_CASE("preferred regions cost by their distance from the centre") {
  CHECK(half_distance_to_area(Rectangle{0, 0, 3, 3}, Rectangle{0, 0, 9, 9}) == 0);
  CHECK(half_distance_to_area(Rectangle{10, 0, 3, 3}, Rectangle{0, 0, 9, 9}) == 23 - 18);
  CHECK(half_distance_to_area(Rectangle{10, 10, 3, 2}, Rectangle{0, 0, 9, 9}) == 5 + 4);
  CHECK(half_distance_to_area(Rectangle{0, 0, 2, 2}, Rectangle{5, 3, 1, 1}) == 8 + 4);
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  data.constraints.regions = {
      Region{{0, 1}, Rectangle{0, 0, 9, 9}, RegionRule::prefer, Decimal6{250'000}},
      Region{{1}, Rectangle{0, 0, 1, 1}, RegionRule::outside, decimal6(1)}};
  const Problem problem(std::move(data));
  const Placement placement{{PlacedKernel{Execution{1, 1, {2}, {1}}, 0, 0, false},
                             PlacedKernel{Execution{1, 1, {2}, {1}}, 10, 0, false}}};
  const Score result = score(problem, placement);
  CHECK(result.preference == 5 * 250'000);
  CHECK(preference_text(result.preference) == "0.625");
  const CostModel costs(problem);
  CHECK(costs.total(result) ==
        costs.total(Score{result.time, result.half_distance, result.adapter}) +
            costs.scale() * 625 / 1000);
}

TEST_CASE("scores of random placements are sums over their edges") {
  const std::uint64_t seed = 23;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 300; ++round) {
    INFO("round ", round);
    const Problem problem = test::random_problem(random);
    const Placement placement = test::random_placement(random, problem);
    Score expected;
    for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
      expected.time =
          std::max(expected.time, compute_time(problem.kernel(i), placement.kernels[i].execution,
                                               problem.time_denominator()));
    }
    for (const Connection& edge : problem.connections()) {
      const PlacedKernel& from = placement.kernels[edge.producer];
      const PlacedKernel& to = placement.kernels[edge.consumer];
      const Rectangle a = rectangle(problem.kernel(edge.producer), from);
      const Rectangle b = rectangle(problem.kernel(edge.consumer), to);
      expected.half_distance += (std::abs(2 * a.x + a.width - 2 * b.x - b.width) +
                                 std::abs(2 * a.y + a.height - 2 * b.y - b.height)) *
                                edge.weight.millionths * problem.distance_denominator() / 1'000'000;
      if (is_shape_list(problem.kernel(edge.producer)) ||
          is_shape_list(problem.kernel(edge.consumer))) {
        expected.adapter +=
            adapter_mismatches(signature(problem.kernel(edge.producer), from.execution),
                               signature(problem.kernel(edge.consumer), to.execution));
        continue;
      }
      const auto last = problem.kernel(edge.producer).convolution_count == 1 ? 0U : 2U;
      expected.adapter += int{from.execution.h != to.execution.h} +
                          int{from.execution.w != to.execution.w} +
                          int{from.execution.c[last] != to.execution.c[0]};
    }
    CHECK(score(problem, placement) == expected);
  }
}

TEST_CASE("a distance beyond 2^62 half tiles is an error, not a wrong number") {
  ProblemData data = test::chain({test::kPixel, test::kPixel});
  data.weights.distance = Decimal6{0};
  data.connections.assign(600'000, Connection{0, 1, {}});
  const Problem problem(std::move(data));
  const Execution execution{1, 1, {1}, {1}};
  const Placement far{{PlacedKernel{execution, -kMaxCoordinate, -kMaxCoordinate, false},
                       PlacedKernel{execution, kMaxCoordinate, kMaxCoordinate, false}}};
  CHECK_THROWS_AS(score(problem, far), std::overflow_error);
}

}  // namespace waferloom
