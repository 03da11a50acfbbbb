#include <doctest/doctest.h>

#include <string>

#include "model/errors.h"
#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Kernels on a row of four tiles that share a sample: a byte in 1,000 ps, 1,000 ps a hop,
/// 10^12 FLOP/s a tile, numbers of two bytes, a port without limit.
struct GraphOnRow {
  Hardware hardware = small_fabric(4, 1);
  Workload workload;
  Plan plan;

  explicit GraphOnRow(std::vector<Operator> operators) {
    hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000;
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
    workload.name = "graph";
    workload.operators = std::move(operators);
    plan.tensor = 4;
    plan.schedule = Schedule::inference;
  }
  PlannedPipeline planned() const {
    return plan_pipeline(workload, plan, hardware, {{0, 0, 4, 1}}, Contention::simulated,
                         MemoryModel::ignored);
  }
  StageService service() const { return planned().services[0]; }
};

TEST_CASE("a lone product takes its operations over the tiles' peak") {
  // Four products, one on each tile: 2 · 4 · 64 · 32 · 48 operations at 4 · 10^12 a second.
  GraphOnRow graph({{"product", GemmOperator{4, 64, 32, 48, false}, {}}});
  constexpr Picoseconds kAlone = 2 * 4 * 64 * 32 * 48 / 4;
  CHECK(graph.service().forward == kAlone);
  CHECK(graph.service().exchanges.empty());
  // Inputs come without delay.
  graph.hardware.link = graph.hardware.group_link = {};
  graph.plan.micro_batches = 5;
  SimulateOptions options;
  options.network = NetworkKind::analytic;
  const PlanReport report = simulate_plan(graph.planned(), graph.hardware, options);
  CHECK(report.samples_per_s == close_to(1e12 / kAlone));
  // Both products of backward as long each.
  graph.plan.schedule = Schedule::gpipe;
  CHECK(graph.service().backward == 2 * kAlone);
}

TEST_CASE(
    "all inputs of kernels enter, and all outputs that nobody takes leave, unless it trains") {
  GraphOnRow graph({{"first", GemmOperator{1, 64, 32, 48, false}, {}},
                    {"taken", GemmOperator{1, 8, 32, 16, false}, {}},
                    {"last", ElementOperator{8 * 16, 1}, {1}}});
  using Ends = std::vector<std::pair<std::string, std::int64_t>>;
  const auto ends = [&](bool input) {
    Ends found;
    for (const StageEnd& end : graph.planned().cut.ends) {
      if (end.input == input) found.emplace_back(end.name, end.bytes);
    }
    return found;
  };
  // Both sides of each product.
  const Ends inputs{{"first", (64 * 32 + 32 * 48) * 2}, {"taken", (8 * 32 + 32 * 16) * 2}};
  CHECK(ends(true) == inputs);
  CHECK(ends(false) == Ends{{"first", 64 * 48 * 2}, {"last", 8 * 16 * 2}});
  // What is taken by an operator that takes no part leaves too.
  graph.plan.leave_out = {"last"};
  CHECK(ends(false) == Ends{{"first", 64 * 48 * 2}, {"taken", 8 * 16 * 2}});
  graph.plan.leave_out.clear();
  graph.plan.schedule = Schedule::gpipe;
  CHECK(ends(true) == inputs);
  CHECK(ends(false).empty());
}

TEST_CASE("tiles that share a product gather its right side, and add up its gradient") {
  GraphOnRow graph({{"product", GemmOperator{1, 64, 32, 48, true}, {}}});
  constexpr Picoseconds kComputing = 2 * 64 * 32 * 48 / 4;
  // A ring of four in a row, whose last tile sends three hops back: three steps of a quarter.
  constexpr Picoseconds kGather = 3 * (32 * 48 * 2 / 4 * 1'000 + 3 * 1'000);
  CHECK(graph.service().forward_exchange == kGather);
  CHECK(graph.service().forward == kComputing + kGather);
  graph.plan.schedule = Schedule::gpipe;
  CHECK(graph.service().backward == 2 * kComputing + 2 * kGather);
}

TEST_CASE("a lone exchange takes what crosses the middle of its tiles") {
  // Each tile has 100 numbers of 400, and sends every other one a quarter of them: both links
  // through the middle carry two senders' quarters to two tiles, three hops at most.
  GraphOnRow graph({{"scale", ElementOperator{400, 4}, {}}, {"turn", ExchangeOperator{400}, {0}}});
  constexpr Picoseconds kComputing = 4 * 400 / 4;
  constexpr Picoseconds kExchange = 2 * 2 * (100 * 2 / 4) * 1'000 + 3 * 1'000;
  CHECK(graph.service().forward_exchange == kExchange);
  CHECK(graph.service().forward == kComputing + kExchange);
  // Twelve flows of a quarter each; all ways of the row together are 20 hops.
  const PlannedPipeline planned = graph.planned();
  const StageService& service = planned.services[0];
  REQUIRE(service.exchanges.size() == 1);
  CHECK(service.exchanges[0].kind == CollectiveKind::all_to_all);
  std::int64_t bytes = 0;
  std::int64_t hops = 0;
  for (const Phase& phase :
       exchange_phases(graph.plan, graph.hardware, {0, 0, 4, 1}, service.exchanges[0])) {
    for (const Flow& flow : phase.flows) {
      bytes += flow.share.bytes_of(service.exchanges[0].bytes);
      hops += std::abs(flow.from.x - flow.to.x);
    }
  }
  CHECK(bytes == 12 * 50);
  CHECK(hops == 20);
  // Gradients take the same way back.
  graph.plan.schedule = Schedule::gpipe;
  CHECK(graph.service().backward_exchange == kExchange);
}

TEST_CASE("tiles exchange with those that have the same samples alone") {
  // Two replicas of two tiles: each hands its neighbour half of the 200 numbers that it has.
  GraphOnRow graph({{"scale", ElementOperator{400, 4}, {}}, {"turn", ExchangeOperator{400}, {0}}});
  graph.plan.tensor = graph.plan.data = 2;
  CHECK(graph.service().forward_exchange == 200 * 2 / 2 * 1'000 + 1'000);
  graph.plan.tensor = 1;
  graph.plan.data = 4;
  CHECK(graph.service().forward_exchange == 0);
}

TEST_CASE("fewer sums than tiles are added up among them") {
  GraphOnRow graph({{"sum", ReduceOperator{400, 2}, {}}});
  // 2 numbers of 2 bytes, a byte in each of 6 steps around the row.
  CHECK(graph.service().forward == 400 / 4 + 6 * (1'000 + 3 * 1'000));
  graph.workload.operators = {{"sum", ReduceOperator{400, 4}, {}}};
  CHECK(graph.service().forward == 400 / 4);
}

TEST_CASE(
    "what a kernel of a graph takes and leaves is on its tiles once, and the right side of a "
    "product on all") {
  GraphOnRow graph({{"scale", ElementOperator{400, 4}, {}}});
  const auto working = [&] {
    const PlanCut cut = cut_plan(graph.workload, graph.plan, graph.hardware);
    return plan_memory(graph.workload, graph.plan, graph.hardware, cut).stages[0].working;
  };
  CHECK(working() == (400 + 400) * 2);
  graph.workload.operators = {{"product", GemmOperator{1, 64, 32, 48, false}, {}}};
  CHECK(working() == (64 * 32 + 4 * 32 * 48 + 64 * 48) * 2);
}

TEST_CASE("rows of tables are not added up where an exchange says what tiles hand each other") {
  // Eight rows of 1,000 of 16 numbers become 32 sums; eight numbers of each tile turn.
  GraphOnRow graph(
      {{"tables", EmbeddingOperator{8, 1'000, 16}, {}}, {"pooling", ReduceOperator{128, 32}, {0}}});
  CHECK(graph.service().forward_exchange == 6 * (8 * 16 * 2 / 4 * 1'000 + 3 * 1'000));
  graph.workload.operators.push_back({"vectors", ExchangeOperator{32}, {1}});
  CHECK(graph.service().forward_exchange == 4 * (8 * 2 / 4) * 1'000 + 3 * 1'000);
}

TEST_CASE("a sort is shared and handed on once, and not trained") {
  // Eight numbers of 1,024 on four tiles: 10 comparisons each.
  GraphOnRow graph({{"order", SortOperator{1'024}, {}}});
  CHECK(graph.service().forward == 1'024 * 10 / 4 + 4 * (256 * 2 / 4) * 1'000 + 3 * 1'000);
  graph.plan.schedule = Schedule::gpipe;
  CHECK_THROWS_WITH_AS(graph.service(), doctest::Contains("graph: order is a sort"), RequestError);
}

}  // namespace
}  // namespace waferloom::sim
