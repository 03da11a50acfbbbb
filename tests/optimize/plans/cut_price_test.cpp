#include "optimize/plans/cut_price.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "optimize/plan.h"
#include "tests/support/close_to.h"
#include "tests/support/cut_run.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

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
  }
};

TEST_CASE("few degrees are all priced, and the best is the one that the whole search ranks first") {
  Cut cut;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const planner::WaferWay way = price_cut(ground, cut.space, 2);
  REQUIRE(way.is_possible());
  PlanJob job;
  job.top = 1;
  const SearchControl control;
  const PlanFindings found = plan_network(job, ground, cut.space, control);
  double best = 0;
  for (const PlanCandidate& candidate : found.candidates) {
    best = std::max(best, candidate.dfmodel.samples_per_s);
  }
  CHECK(way.samples_per_s == close_to(best).within(1e-9));
  CHECK(way.tiles <= 12);
  CHECK(way.latency_s > 0);
  CHECK(way.how.rfind("TP", 0) == 0);
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
  const planner::WaferWay way = price_cut(ground, cut.space, 1);
  CHECK(!way.is_possible());
  CHECK(way.lacks.find("TP") != std::string::npos);
  CHECK(way.samples_per_s == close_to(0));
}

TEST_CASE("the price of a cut ends at the first question that cuts it") {
  const Cut cut;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  test::check_cut([&](const RunControl& control) { price_cut(ground, cut.space, 1, control); }, 20);
}

}  // namespace
}  // namespace waferloom::optimize
