#include "optimize/ways/cut_way.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "model/errors.h"
#include "optimize/plan.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_estimates.h"
#include "tests/support/cut_run.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

struct Cut {
  Workload workload = test::preset_workload("bert_base");
  Hardware hardware = test::preset_hardware("palm_wafer");
  sim::SimulateOptions simulation;
  planner::PlanSpace space;

  Cut() {
    hardware.wafer.width = 4;
    hardware.wafer.height = 3;
    for (auto* ports : {&hardware.dram_ports, &hardware.host_ports}) {
      for (EdgePort& port : *ports) port.position = std::min<std::int64_t>(port.position, 2);
    }
    space.batch = 4;
    space.operators = static_cast<std::int64_t>(workload.operators.size());
    space.mesh = hardware.wafer;
    space.routings = {Routing::planned};
  }
};

PlannedWay cut_of(const PlanGround& ground, const planner::PlanSpace& space, int threads,
                  const RunControl& control = {}) {
  SearchControl search;
  static_cast<RunControl&>(search) = control;
  search.threads = threads;
  PlannedWay way{"cut"};
  const bool is_estimated = estimate_cut(ground, space, 0, search, way);
  CHECK(is_estimated == (way.samples_per_s > 0));
  CHECK(is_estimated == way.is_priced);
  if (!way.is_possible()) return way;
  const double estimate = way.samples_per_s;
  const std::optional<Plan> plan = find_cut(ground, space, search, way);
  CHECK(plan.has_value() == !way.is_priced);
  if (plan && is_estimated) CHECK(way.samples_per_s > 0.3 * estimate);
  return way;
}

TEST_CASE("a cut of few tiles is what the whole search finds") {
  Cut cut;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const PlannedWay way = cut_of(ground, cut.space, 2);
  REQUIRE(way.is_possible());
  const PlanFindings found = plan_network({}, ground, cut.space, {});
  CHECK_FALSE(way.is_priced);
  CHECK(way.samples_per_s == found.winner().trial.trial.measured->metrics.samples_per_s);
  CHECK(way.bottleneck->binds.name == found.winner().trial.trial.measured->bottleneck->binds.name);
  CHECK(way.tiles <= 12);
  CHECK(way.latency_s > 0);
  CHECK(way.how.rfind("TP", 0) == 0);
}

TEST_CASE("a graph of kernels is cut, and takes its products' operations at least") {
  Cut cut;
  // Six products, 2 · 6 · 512^3 operations, and what is behind them.
  cut.workload = {};
  cut.workload.name = "graph";
  cut.workload.operators = {{"product", GemmOperator{6, 512, 512, 512, false}, {}},
                            {"turn", ExchangeOperator{6 * 512 * 512}, {0}},
                            {"sum", ReduceOperator{6 * 512 * 512, 6}, {1}}};
  cut.space.operators = 3;
  cut.space.base.schedule = Schedule::inference;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const PlannedWay way = cut_of(ground, cut.space, 2);
  REQUIRE(way.is_possible());
  CHECK_FALSE(way.is_priced);
  const double products = 2.0 * 6 * 512 * 512 * 512;
  const auto peak = static_cast<double>(cut.hardware.peak_flop_per_s_per_tile.at("fp16"));
  CHECK(way.samples_per_s < 12 * peak / products);
  // The sorts that no cut trains are named.
  cut.workload.operators.push_back({"order", SortOperator{6}, {2}});
  cut.space.base.schedule = Schedule::one_forward_one_backward;
  CHECK_THROWS_WITH_AS(cut_of(ground, cut.space, 1), doctest::Contains("graph: order is a sort"),
                       UnknownKeyError);
}

TEST_CASE("on meshes of many tiles nothing is simulated") {
  Cut cut;
  cut.hardware.wafer.width = 70;
  cut.hardware.wafer.height = 70;
  cut.space.mesh = cut.hardware.wafer;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const PlannedWay way = cut_of(ground, cut.space, 2);
  CHECK(way.is_priced);
  CHECK(way.note.find("not simulated") != std::string::npos);
  // Beside what is far better the first few are enough; beside what is not, all are looked at.
  const auto estimated = [&](double rival_per_s) {
    PassedOverCounts passed_over;
    PlanEstimates estimates(ground, cut.space, passed_over);
    estimates.set_rival(rival_per_s);
    return estimates.proposed({}, {}).size();
  };
  CHECK(estimated(0.5 * way.samples_per_s) == estimated(0));
  CHECK(estimated(1e6 * way.samples_per_s) < estimated(0));
  CHECK(estimated(1e6 * way.samples_per_s) > 0);
  for (const double times : {0.5, 1e6}) {
    PlannedWay beside{"cut"};
    REQUIRE(estimate_cut(ground, cut.space, times * way.samples_per_s, {}, beside));
    CHECK((times < 1 ? beside.samples_per_s == way.samples_per_s
                     : beside.samples_per_s <= way.samples_per_s));
    CHECK(beside.samples_per_s > 0);
  }
}

TEST_CASE("a network without room says what is short") {
  Cut cut;
  cut.workload = test::preset_workload("t_1t");
  cut.space.operators = static_cast<std::int64_t>(cut.workload.operators.size());
  cut.hardware = test::preset_hardware("wse2");
  cut.hardware.wafer.width = cut.hardware.wafer.height = 3;
  for (EdgePort& port : cut.hardware.host_ports)
    port.position = std::min<std::int64_t>(port.position, 2);
  cut.hardware.dram_ports.clear();
  cut.hardware.dram_bytes_per_tile = 1'000'000;
  cut.space.mesh = cut.hardware.wafer;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  CHECK_THROWS_WITH_AS(cut_of(ground, cut.space, 1), doctest::Contains("TP"), InfeasibleError);
}

TEST_CASE("a cut that is stopped has no price yet, or keeps what is priced by then") {
  const Cut cut;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const test::CutRun whole;
  cut_of(ground, cut.space, 1, whole.control());
  REQUIRE(whole.questions() >= 20);
  int priced = 0;
  for (const int most : {0, 1, whole.questions() / 2, whole.questions() - 1}) {
    CAPTURE(most);
    const test::CutRun stopped(most);
    try {
      const PlannedWay way = cut_of(ground, cut.space, 1, stopped.control());
      ++priced;
      CHECK(way.samples_per_s > 0);
    } catch (const RunCut&) {
      CHECK(most < whole.questions() - 1);
    }
  }
  CHECK(priced > 0);
}

}  // namespace
}  // namespace waferloom::optimize
