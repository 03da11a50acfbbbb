#include "placer/starts/chain_viterbi.h"

#include <doctest/doctest.h>

#include "benchmarks_ispd2020/cases.h"
#include "model/placement.h"
#include "placer/bounds/bounds.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

/// The plan's kernels in one row, centred up to a half tile, whatever the wafer.
Placement in_one_row(const Problem& problem, const std::vector<KernelIndex>& path,
                     const ChainPlan& plan) {
  Placement placement;
  placement.kernels.resize(problem.kernel_count());
  std::int64_t x = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    PlacedKernel placed{plan.executions[i], x, 0, plan.rotated[i]};
    const Rectangle tiles = rectangle(problem.kernel(path[i]), placed);
    placed.y = (problem.wafer().height - tiles.height) / 2;
    x += tiles.width;
    placement.kernels[path[i]] = placed;
  }
  return placement;
}

TEST_CASE("a plan's parts are those of the row that it describes") {
  test::Draw draw(8);
  int planned = 0;
  for (int round = 0; round < 60; ++round) {
    ProblemData data = test::random_case(draw, 4, Wafer{90, 90});
    data.connections.clear();
    for (const auto& [from, to] : test::Edges{{1, 0}, {1, 2}, {3, 2}}) {
      data.connections.push_back(Connection{from, to, {}});
    }
    const Problem problem(data);
    const ShapeLibrary library(problem);
    const PortClasses classes(library);
    const std::vector<KernelIndex> path{0, 1, 2, 3};
    CHECK(as_chain(problem) == path);
    const ChainViterbi chain(library, classes, path);
    const std::int64_t time = draw.between(5, 90) * problem.time_denominator();
    const auto plan =
        chain.cheapest(time, ChainPrices{draw.between(0, 3), draw.between(0, 9), 0, 0});
    if (!plan) continue;
    ++planned;
    const Score judged = score(problem, in_one_row(problem, path, *plan));
    CHECK(judged.half_distance == plan->half_distance);
    CHECK(judged.adapter == plan->adapter);
    CHECK(judged.time <= time);
  }
  CHECK(planned > 30);
}

TEST_CASE("the plan of two kernels is the best of all pairs of options") {
  test::Draw draw(21);
  for (int round = 0; round < 40; ++round) {
    ProblemData data = test::random_case(draw, 2, Wafer{40, 30});
    data.connections = {Connection{1, 0, {}}, Connection{1, 0, {}}};
    const Problem problem(data);
    const ShapeLibrary library(problem);
    const PortClasses classes(library);
    const std::int64_t time = draw.between(5, 90) * problem.time_denominator();
    const ChainPrices prices{draw.between(0, 3), draw.between(0, 9), draw.between(0, 2),
                             draw.between(0, 1)};
    const auto list = [&](KernelIndex kernel) {
      return classes.options(library.type_of(kernel), time, SeenPorts{true, true, true},
                             PortRule::executions);
    };
    const PortOptions consumer = list(0);
    const PortOptions producer = list(1);
    std::optional<Price> least;
    for (const PortOption& a : producer.options) {
      for (const PortOption& b : consumer.options) {
        const Signature& out = producer.ports[a.port].ports;
        const Signature& in = consumer.ports[b.port].ports;
        Price cost = 2 * adapter_mismatches(out, in) * prices.mismatch;
        cost += (a.thin + b.thin) * (2 * prices.half_tile + prices.thin);
        if (a.length % 2 != b.length % 2) cost += 2 * prices.half_tile;
        cost += (a.area() + b.area()) * prices.area;
        if (!least || cost < *least) least = cost;
      }
    }
    const auto plan = ChainViterbi(library, classes, {0, 1}).cheapest(time, prices);
    REQUIRE(plan.has_value() == least.has_value());
    if (plan) CHECK(plan->cost == *least);
  }
}

TEST_CASE("graphs that are no chain are told") {
  const auto problem = [](const test::Edges& edges, std::size_t count) {
    const std::vector<KernelFormal> formals(count, test::dense(2, 2));
    return Problem(test::problem_data(formals, edges, Wafer{30, 30}));
  };
  CHECK(as_chain(problem({}, 1)) == std::vector<KernelIndex>{0});
  CHECK(as_chain(problem({{0, 2}, {2, 1}, {2, 1}}, 3)) == std::vector<KernelIndex>{0, 2, 1});
  CHECK_FALSE(as_chain(problem({{0, 1}}, 3)).has_value());
  CHECK_FALSE(as_chain(problem({{0, 1}, {1, 2}, {0, 2}}, 3)).has_value());
  CHECK_FALSE(as_chain(problem({{0, 1}, {0, 2}, {0, 3}}, 4)).has_value());
}

TEST_CASE("the contest's chains whose optimum is known, in one row at its time") {
  struct Known {
    const char* name;
    std::int64_t time, half_distance, adapter;
  };
  for (const Known& known : {Known{"K", 504, 423, 9}, Known{"N", 1599, 893, 9},
                             Known{"Q", 1152, 291, 1}, Known{"T", 4849, 361, 1}}) {
    INFO("case ", known.name);
    const Problem problem = ispd2020::make_case(known.name);
    const ShapeLibrary library(problem);
    const PortClasses classes(library);
    const auto path = as_chain(problem);
    REQUIRE(path.has_value());
    const CostModel costs(problem);
    const ChainPrices prices{static_cast<Price>(costs.per_half_distance()),
                             static_cast<Price>(costs.per_adapter()), 0, 0};
    const std::int64_t time = known.time * problem.time_denominator();
    const auto plan = ChainViterbi(library, classes, *path).cheapest(time, prices);
    REQUIRE(plan.has_value());
    const Score best{time, known.half_distance, known.adapter};
    CHECK(costs.total(Score{time, plan->half_distance, plan->adapter}) <= costs.total(best));
    CHECK(plan->row_length <= problem.wafer().width);
  }
}

}  // namespace
}  // namespace waferloom::placer
