#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "optimize/optimize.h"
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
    "[deep] plans are looked at until one was simulated, though the part of the time for that is "
    "over") {
  // On wse2 the plan of T-1T that computes fastest, of one stage, would take longer than any clock
  // tells. Half of the limit has passed, and with it the part for estimates.
  Chain chain;
  chain.workload = test::preset_workload("t_1t");
  chain.hardware = test::preset_hardware("wse2_dfmodel");
  chain.space.batch = 64;
  chain.space.operators = static_cast<std::int64_t>(chain.workload.operators.size());
  chain.space.mesh = chain.hardware.wafer;
  chain.space.heads = {160};
  chain.control.start -= std::chrono::minutes(30);
  const PlanFindings found = chain.run();
  CHECK(found.winner().trial.trial.measured.has_value());
  CHECK(found.winner().trial.plan.pipeline > 1);
}

TEST_CASE("under a time limit a plan has run before the best are simulated") {
  Chain chain;
  chain.stop_at("simulating 2 ");
  const PlanFindings found = chain.run();
  CHECK(found.ended_by == "interrupted");
  CHECK(found.simulated() == 1);
  CHECK(found.winner().trial.trial.measured.has_value());
}

TEST_CASE("candidates are ranked by the model that was asked for, and priced by the others") {
  for (const RankingModel model :
       {RankingModel::palm, RankingModel::dfmodel, RankingModel::amped}) {
    Chain chain;
    chain.control.time_limit.reset();
    chain.job.model = model;
    const PlanFindings found = chain.run();
    REQUIRE(found.candidates.size() > 2);
    CHECK(found.counts.candidates == found.candidates.size());
    std::vector<double> rates;
    for (const PlanCandidate& candidate : found.candidates) {
      if (!candidate.dfmodel) break;
      REQUIRE(candidate.amped);
      rates.push_back(model == RankingModel::palm      ? candidate.palm_per_s
                      : model == RankingModel::dfmodel ? candidate.dfmodel->samples_per_s
                                                       : candidate.amped->samples_per_s);
    }
    CHECK(rates.size() == std::min<std::size_t>(20, found.candidates.size()));
    CHECK(std::is_sorted(rates.begin(), rates.end(), std::greater<>()));
    CHECK(rates.front() > rates.back());
  }
}

TEST_CASE("optimize is the same search that goes on: it has what plan simulated, and more") {
  Chain chain;
  chain.control.time_limit.reset();
  chain.job.top = 6;
  const PlanFindings planned = chain.run();
  const PlanGround ground(chain.workload, chain.hardware, chain.simulation);
  PlanSearchOptions options;
  options.top = 6;
  const OptimizedPlan optimized = optimize_plan(ground, chain.space, options, chain.control);
  const auto rate_of = [&](const std::string& name) -> std::optional<double> {
    for (const Trial& trial : optimized.result.trials) {
      if (trial.name == name && trial.measured) return trial.measured->metrics.samples_per_s;
    }
    return std::nullopt;
  };
  std::size_t seen = 0;
  for (const PlannedTrial& trial : planned.trials) {
    const std::optional<Measured>& measured = trial.trial.trial.measured;
    if (!measured) continue;
    CHECK(rate_of(trial.trial.trial.name) == measured->metrics.samples_per_s);
    ++seen;
  }
  CHECK(seen > 2);
  CHECK(optimized.result.trials.size() > planned.trials.size());
  CHECK(optimized.winner.trial.measured->metrics.samples_per_s >=
        planned.winner().trial.trial.measured->metrics.samples_per_s);
}

TEST_CASE("a search for a plan that is cut before anything was simulated says so") {
  Chain chain;
  chain.stop_at("estimating plans");
  CHECK_THROWS_AS(chain.run(), SearchEnded);
}

}  // namespace
}  // namespace waferloom::optimize
