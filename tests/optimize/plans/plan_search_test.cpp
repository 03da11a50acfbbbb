#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "optimize/optimize.h"
#include "optimize/search_ended.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

struct Search {
  Workload workload = test::preset_workload("bert_base");
  Hardware hardware = test::preset_hardware("palm_wafer");
  sim::SimulateOptions simulation;
  planner::PlanSpace space;
  PlanSearchOptions options;
  std::atomic<bool> stop = false;
  RunControl control;

  Search() {
    space.batch = 4;
    space.operators = static_cast<std::int64_t>(workload.operators.size());
    space.mesh = hardware.wafer;
    for (const Operator& one : workload.operators) {
      const auto* layer = std::get_if<TransformerOperator>(&one.kind);
      if (layer != nullptr) space.heads.insert(layer->heads);
    }
    control.effort = 1;
    control.effort_given = true;
    control.stop = &stop;
    options.top = 2;
  }
  OptimizedPlan run() {
    const PlanGround ground(workload, hardware, simulation);
    return optimize_plan(ground, space, options, control);
  }
  /// Raises the stop flag when the search says that it does this.
  void stop_at(const std::string& begin) {
    control.on_progress = [this, begin](const std::string& text, const std::string&) {
      if (text.rfind(begin, 0) == 0) stop = true;
    };
  }
};

Plan plan_to_beat() {
  Plan plan;
  plan.tensor = 4;
  plan.pipeline = 2;
  plan.micro_batches = 4;
  return plan;
}

TEST_CASE("a search that is interrupted while it estimates answers with the plan to beat") {
  Search search;
  search.options.baseline = plan_to_beat();
  search.options.baseline_source = "plan.json";
  search.stop_at("estimating");
  const OptimizedPlan found = search.run();
  CHECK(found.result.ended_by == "interrupted");
  CHECK(found.result.best == 0);
  CHECK(found.result.baseline == 0);
  REQUIRE(found.result.trials.size() == 1);
  CHECK(found.result.trials[0].verdict == Verdict::best);
  CHECK(found.result.trials[0].measured->worth.samples_per_s > 0);
  CHECK(found.winner.plan.tensor == 4);
}

TEST_CASE("without a plan to beat the first plan that can run is simulated before the others") {
  Search search;
  search.stop_at("simulating 2 plans");
  const OptimizedPlan found = search.run();
  CHECK(found.result.ended_by == "interrupted");
  CHECK(found.result.best == 0);
  REQUIRE(found.result.trials.size() == 3);
  CHECK(found.result.trials[0].measured.has_value());
  CHECK(found.result.trials[1].verdict == Verdict::cut);
  CHECK(found.result.trials[2].verdict == Verdict::cut);
}

TEST_CASE("a search that is cut before anything was simulated says so") {
  Search search;
  search.stop = true;
  CHECK_THROWS_AS(search.run(), SearchEnded);
}

TEST_CASE("a part of a run ends earlier by its share of the time limit") {
  RunControl control;
  CHECK_FALSE(control.within(0.5).deadline());
  control.time_limit = std::chrono::seconds(10);
  CHECK(*control.within(0.25).deadline() == control.start + std::chrono::milliseconds(2'500));
  CHECK(control.within(0.25).start == control.start);
}

}  // namespace
}  // namespace waferloom::optimize
