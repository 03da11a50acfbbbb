#include "optimize/ways/cut_way.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "model/text.h"
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
    space.routings = {Routing::planned};
  }
};

PlannedWay cut_of(const PlanGround& ground, const planner::PlanSpace& space, int threads,
                  double to_beat = 0, const RunControl& control = {}) {
  PlannedWay way{"cut"};
  find_cut(ground, space, to_beat, threads, control, way);
  return way;
}

TEST_CASE("few degrees are all priced, and the best are simulated as the whole search does") {
  Cut cut;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const PlannedWay way = cut_of(ground, cut.space, 2);
  REQUIRE(way.is_possible());
  PlanJob job;
  const SearchControl control;
  const PlanFindings found = plan_network(job, ground, cut.space, control);
  double best = 0;
  for (const PlanCandidate& candidate : found.candidates) {
    best = std::max(best, candidate.dfmodel.samples_per_s);
  }
  CHECK(way.note.find("DFModel's best is " + significant_text(best)) != std::string::npos);
  CHECK(!way.is_priced);
  // Four of the plans are simulated that the search simulates sixteen of.
  const double whole = found.winner().trial.trial.measured->metrics.samples_per_s;
  CAPTURE(way.how);
  CAPTURE(found.winner().trial.trial.name);
  CHECK(way.samples_per_s <= whole * (1 + 1e-9));
  CHECK(way.samples_per_s > 0.8 * whole);
  CHECK(way.tiles <= 12);
  CHECK(way.latency_s > 0);
  CHECK(way.how.rfind("TP", 0) == 0);
  const PlannedWay again = cut_of(ground, cut.space, 1);
  CHECK(again.samples_per_s == way.samples_per_s);
  CHECK(again.how == way.how);
}

TEST_CASE("on meshes of many tiles what cannot beat the other ways is not simulated") {
  Cut cut;
  cut.hardware.wafer.width = 70;
  cut.hardware.wafer.height = 70;
  cut.space.mesh = cut.hardware.wafer;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const PlannedWay way = cut_of(ground, cut.space, 2, 1e12);
  CHECK(way.is_priced);
  CHECK(way.note.find("not simulated") != std::string::npos);
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
  const PlannedWay way = cut_of(ground, cut.space, 1);
  CHECK(!way.is_possible());
  CHECK(way.lacks.find("TP") != std::string::npos);
  CHECK(way.samples_per_s == close_to(0));
}

TEST_CASE("a cut that is stopped has no price yet, or keeps what is priced by then") {
  const Cut cut;
  const PlanGround ground(cut.workload, cut.hardware, cut.simulation);
  const test::CutRun whole;
  cut_of(ground, cut.space, 1, 0, whole.control());
  REQUIRE(whole.questions() >= 20);
  int priced = 0;
  for (const int most : {0, 1, whole.questions() / 2, whole.questions() - 1}) {
    CAPTURE(most);
    const test::CutRun stopped(most);
    try {
      const PlannedWay way = cut_of(ground, cut.space, 1, 0, stopped.control());
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
