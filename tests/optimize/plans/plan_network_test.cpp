#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "optimize/plan.h"
#include "optimize/run_control.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

/// A search for a plan, with a time limit that it does not reach.
struct Chain {
  Workload workload = test::preset_workload("bert_base");
  Hardware hardware = test::preset_hardware("palm_wafer");
  sim::SimulateOptions simulation;
  planner::PlanSpace space;
  PlanJob job;
  std::atomic<bool> stop = false;
  SearchControl control;

  Chain() {
    space.batch = 4;
    space.operators = static_cast<std::int64_t>(workload.operators.size());
    space.mesh = hardware.wafer;
    simulation.control.stop = &stop;
    control.time_limit = std::chrono::hours(1);
    control.stop = &stop;
    job.top = 2;
  }
  PlanFindings run() {
    const PlanGround ground(workload, hardware, simulation);
    return plan_network(job, ground, space, control);
  }
  /// Raises the stop flag when the search says that it does this.
  void stop_at(const std::string& begin) {
    control.on_progress = [this, begin](const ProgressNote& note) {
      if (note.text.rfind(begin, 0) == 0) stop = true;
    };
  }
};

TEST_CASE("parts of a search that is cut are those of the plan that was simulated before") {
  for (const Schedule schedule : {Schedule::one_forward_one_backward, Schedule::inference}) {
    CAPTURE(static_cast<int>(schedule));
    Chain chain;
    chain.space.base.schedule = schedule;
    chain.stop_at("simulating 2 ");
    const PlanFindings found = chain.run();
    CHECK(found.ended_by == "interrupted");
    const Measured& measured = *found.winner().trial.trial.measured;
    CHECK(found.comparison.report.samples_per_s ==
          close_to(measured.metrics.samples_per_s).within(1e-9));
    CHECK(found.comparison.report.run.bound_by == measured.bound_by);
    CHECK_FALSE(found.comparison.report.run.stopped);
    const double total = found.comparison.simulated.total_s();
    CHECK(total * 1e12 ==
          close_to(static_cast<double>(found.comparison.report.batch)).within(1e-9));
    if (schedule == Schedule::inference) continue;  // the rate leaves the filling out
    CHECK(total * measured.metrics.samples_per_s == close_to(4).within(1e-9));
  }
}

TEST_CASE(
    "degrees are looked at until a plan was simulated, though their part of the time is over") {
  // On wse2 the plan of T-1T that computes fastest, of one stage, would take longer than any clock
  // tells. Half of the limit has passed, the parts for enumerating, pricing and laying out with it.
  Chain chain;
  chain.workload = test::preset_workload("t_1t");
  chain.hardware = test::preset_hardware("wse2_dfmodel");
  chain.space.batch = 64;
  chain.space.operators = static_cast<std::int64_t>(chain.workload.operators.size());
  chain.space.mesh = chain.hardware.wafer;
  chain.space.heads = {160};
  chain.control.start -= std::chrono::minutes(30);
  const PlanFindings found = chain.run();
  CHECK(found.ended_by == "time_limit");
  CHECK(found.winner().trial.trial.measured.has_value());
  CHECK(found.winner().trial.plan.pipeline > 1);
}

TEST_CASE("under a time limit what ranks first of all runs before others are laid out") {
  Chain chain;
  chain.stop_at("laying out");
  const PlanFindings found = chain.run();
  CHECK(found.ended_by == "interrupted");
  REQUIRE_FALSE(found.candidates.empty());
  const Plan& first = found.candidates.front().plan;
  CHECK(std::any_of(found.trials.begin(), found.trials.end(), [&](const PlannedTrial& planned) {
    const Plan& plan = planned.trial.plan;
    return planned.trial.trial.measured && plan.tensor == first.tensor && plan.data == first.data &&
           plan.pipeline == first.pipeline && plan.micro_batch == first.micro_batch;
  }));
}

TEST_CASE("a search for a plan that is cut before anything was simulated says so") {
  Chain chain;
  chain.stop_at("walking tensors");
  CHECK_THROWS_AS(chain.run(), SearchEnded);
}

}  // namespace
}  // namespace waferloom::optimize
