#include "optimize/plans/large_mesh.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "optimize/plan.h"
#include "optimize/run_control.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

/// A network on a wafer of more tiles than are estimated one by one.
struct Large {
  Workload workload = test::preset_workload("bert_base");
  Hardware hardware = test::preset_hardware("wse2_dfmodel");
  sim::SimulateOptions simulation;
  planner::PlanSpace space = planner::plan_space_of(workload, hardware, {}, 64);
  SearchControl control;

  /// A part of the wafer that still is large, and so many bytes behind each port.
  explicit Large(std::int64_t port_bytes) {
    test::keep_part(hardware, 80, 80);
    space.mesh = hardware.wafer;
    for (EdgePort& port : hardware.host_ports) port.capacity_bytes = port_bytes;
    for (EdgePort& port : hardware.dram_ports) port.capacity_bytes = port_bytes;
    control.threads = 2;
  }
  PlanFindings plan(RankingModel model = RankingModel::palm) {
    const PlanGround ground(workload, hardware, simulation);
    PlanJob job;
    job.model = model;
    job.top = 1;
    return plan_network(job, ground, space, control);
  }
};

TEST_CASE("on a large mesh plans are looked at until some fit, whatever ranks first") {
  // Of each of 160 ports. Until one fits, and the largest.
  constexpr std::int64_t kMost = 4600;
  bool fits = false;
  for (const std::int64_t megabytes : {230L, 460L, 690L, 920L, 1380L, 2300L, kMost}) {
    if (fits && megabytes < kMost) continue;
    CAPTURE(megabytes);
    Large large(megabytes * 1'000'000);
    try {
      const PlanFindings found = large.plan();
      fits = true;
      CHECK(found.counts.candidates > 0);
      CHECK(found.counts.degrees < found.counts.plans);
      CHECK(found.counts.degrees > 100);
    } catch (const SearchEnded& ended) {
      // More memory never takes a plan away.
      CHECK_FALSE(fits);
      CHECK(ended.reason() == EndReason::infeasible);
      CHECK(std::string(ended.what()).find("bytes") != std::string::npos);
    }
  }
  CHECK(fits);
}

TEST_CASE("plans of a large mesh are ranked by the model that was asked for") {
  Large large(1'000'000'000'000);
  const PlanGround ground(large.workload, large.hardware, large.simulation);
  planner::PlanTimer timer(large.workload, large.hardware);
  const auto first = [&](RankingModel model) {
    const PromisingPlans found = promising_plans(ground, large.space, timer, model, large.control);
    REQUIRE(found.plans.size() > 8);
    std::vector<std::string> names;
    for (const Plan& plan : found.plans) names.push_back(planner::plan_name(plan));
    std::vector<std::string> once = names;
    std::sort(once.begin(), once.end());
    CHECK(std::adjacent_find(once.begin(), once.end()) == once.end());
    return found.plans.front();
  };
  const Plan dfmodel = first(RankingModel::dfmodel);
  const Plan amped = first(RankingModel::amped);
  CHECK(planner::plan_name(dfmodel) != planner::plan_name(amped));
  CHECK(timer.dfmodel(dfmodel).samples_per_s >= timer.dfmodel(amped).samples_per_s);
  CHECK(timer.amped(amped)->samples_per_s >= timer.amped(dfmodel)->samples_per_s);
}

}  // namespace
}  // namespace waferloom::optimize
