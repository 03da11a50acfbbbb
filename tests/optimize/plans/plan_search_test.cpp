#include "optimize/plans/plan_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

#include "optimize/optimize.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/run_control.h"
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
  SearchControl control;

  Search() {
    space.batch = 4;
    space.operators = static_cast<std::int64_t>(workload.operators.size());
    space.mesh = hardware.wafer;
    for (const Operator& op : workload.operators) {
      const auto* layer = std::get_if<TransformerOperator>(&op.kind);
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
  /// With a time limit of an hour, and a step of two as soon as the search says that it does this.
  OptimizedPlan run_slowly(const std::string& begin, Step step) {
    const PlanGround ground(workload, hardware, simulation);
    control.time_limit = std::chrono::hours(1);
    control.on_progress = [&, begin, step](const ProgressNote& note) {
      if (note.text.rfind(begin, 0) == 0) ground.steps.note(step, std::chrono::hours(2));
    };
    return optimize_plan(ground, space, options, control);
  }
  /// Raises the stop flag when the search says that it does this.
  void stop_at(const std::string& begin) {
    control.on_progress = [this, begin](const ProgressNote& note) {
      if (note.text.rfind(begin, 0) == 0) stop = true;
    };
  }
};

TEST_CASE("each part of a mesh has a plan that lies there") {
  Search search;
  search.hardware.wafer = {7, 5, {{3, 2, 1, 1}}};
  search.space.mesh = search.hardware.wafer;
  const PlanGround ground(search.workload, search.hardware, search.simulation);
  PassedOverCounts passed_over;
  PlanEstimates estimates(ground, search.space, passed_over);
  CHECK_FALSE(estimates.proposed(search.control, {}).empty());
  const std::vector<PlanTrial> best = estimates.of_parts(search.control);
  const std::vector<Rectangle> parts = planner::parts_of_mesh(search.space.mesh);
  REQUIRE(best.size() == parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CAPTURE(i);
    REQUIRE(best[i].plan.within);
    CHECK(*best[i].plan.within == parts[i]);
    CHECK_FALSE(best[i].tiles.empty());
    for (const Rectangle& tiles : best[i].tiles) CHECK(contains(parts[i], tiles));
    CHECK(*best[i].trial.promised_per_s > 0);
  }
}

TEST_CASE("a batch is promised no sooner than its states have passed the ports of a memory") {
  Search search;
  // A thousandth of their rate: what else a batch of one moves is little beside the states.
  for (EdgePort& port : search.hardware.dram_ports) port.bytes_per_s = *port.bytes_per_s / 1'000;
  const PlanGround ground(search.workload, search.hardware, search.simulation);
  for (const std::int64_t pipeline : {1, 2, 7}) {
    CAPTURE(pipeline);
    PlanTrial trial;
    trial.plan.pipeline = pipeline;
    trial.plan.tensor = 2;
    REQUIRE_FALSE(lay_out(ground, trial));
    double rate = 0;
    for (const EdgePort& port : search.hardware.dram_ports) {
      rate += static_cast<double>(*port.bytes_per_s);
    }
    // 16 bytes of a parameter come in, and as many go out; a stage's one behind the other.
    const auto parameters = static_cast<double>(count(search.workload).parameters);
    const double least_s = 12 * parameters / rate;
    CHECK(*trial.trial.promised_per_s > 0);
    CHECK(*trial.trial.promised_per_s < 1 / least_s);
    CHECK(*trial.trial.promised_per_s > 0.1 / least_s);
  }
}

TEST_CASE("a plan runs no faster than its rehearsal, which is its run on links never short") {
  Search search;
  const PlanGround ground(search.workload, search.hardware, search.simulation);
  for (const std::int64_t pipeline : {1, 4}) {
    CAPTURE(pipeline);
    PlanTrial trial;
    trial.plan.pipeline = pipeline;
    trial.plan.tensor = 4;
    trial.plan.data = 2;
    trial.plan.micro_batches = 4;
    REQUIRE_FALSE(lay_out(ground, trial));
    const double estimate = *trial.trial.promised_per_s;
    rehearse_trial(ground, search.control, trial);
    REQUIRE(trial.rehearsal);
    const double before_routing = trial.rehearsal->samples_per_s;
    CHECK(most_promised(trial).samples_per_s == std::min(estimate, before_routing));
    CHECK(most_promised(trial).latency_s == std::max(trial.latency_s, trial.rehearsal->latency_s));
    route_trial(ground, search.control, trial);
    REQUIRE_FALSE(trial.routes.tensors.empty());
    sim::SimulateOptions never_short = search.simulation;
    never_short.network = sim::NetworkKind::analytic;
    never_short.routing = trial.plan.routing;
    CHECK(
        trial.rehearsal->samples_per_s ==
        sim::simulate_plan(pipeline_of(ground, trial), search.hardware, never_short).samples_per_s);
    simulate_trial(ground, search.control, trial, {});
    REQUIRE(trial.trial.measured);
    const double measured = trial.trial.measured->metrics.samples_per_s;
    CHECK(measured <= 1.001 * trial.rehearsal->samples_per_s);
    CHECK(measured <= 1.001 * before_routing);  // ports were as good as routes make them
    CHECK(measured > 0.5 * before_routing);
  }
}

TEST_CASE("a part that promises more than what ran is simulated") {
  Search search;
  search.hardware.wafer = {7, 5};
  search.space.mesh = search.hardware.wafer;
  const PlanGround ground(search.workload, search.hardware, search.simulation);
  const PlanFindings found = plan_network({.top = 6}, ground, search.space, search.control);
  const double best = found.winner().trial.trial.measured->metrics.samples_per_s;
  std::size_t parts = 0;
  for (const PlannedTrial& planned : found.trials) {
    const PlanTrial& trial = planned.trial;
    if (!trial.plan.within) continue;
    ++parts;
    CHECK(*trial.trial.promised_per_s > 0.9 * best);  // others cannot win
  }
  CHECK(parts > 0);
}

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
  CHECK(found.result.trials[0].measured->metrics.samples_per_s > 0);
  CHECK(found.winner.plan.tensor == 4);
}

TEST_CASE("a search divides experts where tokens go to one of them, and not where to all") {
  for (const std::int64_t active : {1, 4}) {
    Search search;
    search.hardware = read_hardware(R"({"columns": 4, "rows": 1, "clock_hz": 1000000000,
      "element_bytes": 2, "link": {"bytes_per_s": 1000000000, "latency_ps": 1000},
      "peak_flop_per_s_per_tile": {"fp16": 10000000000},
      "host_ports": [{"side": "west", "position": 0}]})",
                                    "row.json");
    TransformerOperator layer{16, 8, 4, 4, 32, false, Biases::none};
    layer.experts = Experts{.count = 4, .active = active, .feed_forward = 32};
    search.workload.operators = {{"layer", layer, {}}};
    search.space = {};
    search.space.mesh = search.hardware.wafer;
    search.space.heads = {4};
    search.space.base.schedule = Schedule::inference;
    // On four tiles exchanges take 0.54 us with experts of their own and 0.79 us with slices, or
    // 0.92 us where all tokens go to all (tests/sim/from_plan/experts_test.cpp). Computing takes
    // more of fewer tiles.
    const Plan plan = search.run().winner.plan;
    CHECK(plan.tensor == 4);
    if (active == 1) {
      CHECK(plan.degrees == DegreesByName{{"layer", {1, 1, 4, 1, 4}}});
    } else {
      CHECK(plan.degrees.empty());
    }
  }
}

TEST_CASE("under a time limit the first plan that can run is simulated before the others") {
  Search search;
  search.control.time_limit = std::chrono::hours(1);
  search.stop_at("simulating 2 plans");
  const OptimizedPlan found = search.run();
  CHECK(found.result.ended_by == "interrupted");
  CHECK(found.result.best == 0);
  REQUIRE(found.result.trials.size() == 3);
  CHECK(found.result.trials[0].measured.has_value());
  CHECK(found.result.trials[1].verdict == Verdict::cut);
  CHECK(found.result.trials[2].verdict == Verdict::cut);
}

TEST_CASE("of inference the plan to beat is a stream as long as those that it is held against") {
  Search search;
  Plan short_stream = plan_to_beat();
  short_stream.schedule = Schedule::inference;
  short_stream.micro_batches = 1;
  search.space.base.schedule = Schedule::inference;
  search.options.baseline = short_stream;
  const OptimizedPlan found = search.run();
  REQUIRE(found.result.trials.front().measured);
  CHECK(found.result.trials.front().name.find(", 22 x 1,") != std::string::npos);
}

TEST_CASE(
    "simulations share a counted amount of work, and leave out what they expect to be slower") {
  struct Outcome {
    std::string name;
    Verdict verdict;
    std::string reason;
    std::uint64_t work;
    bool operator==(const Outcome&) const = default;
  };
  const auto trials_with = [&](std::uint64_t work, int threads) {
    Search search;
    search.control.effort = SearchControl{}.effort;
    search.control.threads = threads;
    const PlanGround ground(search.workload, search.hardware, search.simulation);
    PassedOverCounts passed_over;
    PlanEstimates estimates(ground, search.space, passed_over);
    PlanSearchBudget budget = plan_budget(18, false);
    budget.variants = 0;
    budget.work = work;
    PlanSearch plans(ground, search.space, estimates, {budget}, passed_over, search.control);
    plans.run();
    CHECK(plans.ended_by() == "effort");
    REQUIRE(plans.best());
    const PlanTrial& winner = plans.trials()[*plans.best()];
    CHECK_FALSE(winner.is_rough);
    const double won = winner.trial.measured->metrics.samples_per_s;
    std::vector<Outcome> outcomes;
    for (const PlanTrial& trial : plans.trials()) {
      if (trial.trial.measured) {
        const double measured = trial.trial.measured->metrics.samples_per_s;
        CHECK(measured <= won);
        CHECK(trial.rehearsal);
        CHECK(measured < 1.02 * most_promised(trial).samples_per_s);
      } else if (trial.trial.reason == kExpectedSlower && work > 1'000'000'000) {
        CHECK(most_promised(trial).samples_per_s < 1.05 * won);  // others kept a little more
      }
      outcomes.push_back({trial.trial.name, trial.trial.verdict, trial.trial.reason, trial.work});
    }
    return outcomes;
  };
  const auto lack_work = [](const std::vector<Outcome>& outcomes) {
    return std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& outcome) {
      return outcome.reason.find("--effort") != std::string::npos;
    });
  };
  const std::vector<Outcome> all = trials_with(1'000'000'000'000, 2);
  REQUIRE(all.size() > 2 * kSimulatedAtOnce);
  CHECK(lack_work(all) == 0);
  CHECK(std::count_if(all.begin(), all.end(), [](const Outcome& outcome) {
          return outcome.verdict == Verdict::slower;
        }) > 3);
  // Behind the first few the work is used up; who asks for almost none gets one that has run.
  const std::vector<Outcome> few = trials_with(5'000, 2);
  CHECK(lack_work(few) > 0);
  CHECK(few == trials_with(5'000, 1));
  const std::vector<Outcome> least = trials_with(1, 2);
  CHECK(lack_work(least) > 0);
  CHECK(std::any_of(all.begin(), all.end(), [](const Outcome& outcome) {
    return outcome.reason == kExpectedSlower && outcome.verdict == Verdict::outranked;
  }));
  CHECK(least == trials_with(1, 1));
}

TEST_CASE("a search that is stopped before its best ran exactly keeps it as it ran roughly") {
  Search search;
  search.control.effort = SearchControl{}.effort;
  const PlanGround ground(search.workload, search.hardware, search.simulation);
  PassedOverCounts passed_over;
  PlanEstimates estimates(ground, search.space, passed_over);
  PlanSearchBudget budget = plan_budget(18, false);
  budget.work = 100;  // all are heavy, so that the one that runs does so roughly
  search.stop_at("simulating the best exactly");
  PlanSearch plans(ground, search.space, estimates, {budget}, passed_over, search.control);
  plans.run();
  CHECK(plans.ended_by() == "interrupted");
  REQUIRE(plans.best());
  const PlanTrial& winner = plans.trials()[*plans.best()];
  CHECK(winner.is_rough);
  CHECK(winner.trial.measured.has_value());
  CHECK(winner.trial.description.find("simulated roughly") != std::string::npos);
}

TEST_CASE("where links bind stages are placed by the prices of their routes, and only there") {
  const auto by_prices = [](std::int64_t link_bytes_per_s) {
    Search search;
    search.hardware.link.bytes_per_s = link_bytes_per_s;
    search.hardware.group_link = search.hardware.link;
    // Ports on all tiles of two sides: each is no faster than its tile's link.
    search.hardware.dram_ports.clear();
    for (std::int64_t row = 0; row < search.hardware.wafer.height; ++row) {
      search.hardware.dram_ports.push_back({Direction::west, row, {}, 0, {}});
      search.hardware.dram_ports.push_back({Direction::east, row, {}, 0, {}});
    }
    search.space.routings = {Routing::planned};
    search.options.top = 4;
    const OptimizedPlan found = search.run();
    std::int64_t count = 0;
    for (const Trial& trial : found.result.trials) {
      if (!trial.name.ends_with(", by prices")) continue;
      ++count;
      REQUIRE(trial.measured.has_value());
      CHECK(trial.measured->metrics.samples_per_s <=
            found.result.trials[found.result.best].measured->metrics.samples_per_s);
    }
    return count;
  };
  CHECK(by_prices(50'000'000'000) > 0);
  CHECK(by_prices(100'000'000'000'000) == 0);
}

TEST_CASE("a search that is cut before anything was simulated says so") {
  Search search;
  search.stop = true;
  CHECK_THROWS_AS(search.run(), SearchEnded);
}

std::size_t placed_in(const OptimizedPlan& found) {
  const auto& all = found.result.trials;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Trial& trial) {
    return trial.name.find(", placed") != std::string::npos;
  }));
}

TEST_CASE("no simulation but the first is begun that may take longer than there is time") {
  Search search;
  const OptimizedPlan found = search.run_slowly("simulating 2 plans", Step::simulation);
  CHECK(found.result.ended_by == "time_limit");
  CHECK(found.result.best == 0);
  REQUIRE(found.result.trials.size() == 3);
  CHECK(found.result.trials[0].measured.has_value());
  CHECK(found.result.trials[1].verdict == Verdict::cut);
  CHECK(found.result.trials[2].verdict == Verdict::cut);
}

TEST_CASE("once a plan was found none is estimated that may take longer than there is time") {
  Search search;
  const OptimizedPlan found = search.run_slowly("simulating 1 plan", Step::estimate);
  CHECK(found.result.ended_by == "time_limit");
  // What was estimated before is simulated, nothing placed, which would be estimated too.
  CHECK(found.result.trials.size() == 3);
  CHECK(placed_in(found) == 0);
  const auto& reasons = found.result.passed_over;
  CHECK(std::any_of(reasons.begin(), reasons.end(), [](const PassedOver& passed) {
    return passed.reason.rfind("not estimated", 0) == 0;
  }));
}

TEST_CASE("no stages are placed where timing their shapes may take longer than there is time") {
  Search search;
  CHECK(placed_in(search.run()) > 0);
  const OptimizedPlan found = search.run_slowly("simulating 2 plans", Step::shapes);
  CHECK(found.result.ended_by == "time_limit");
  CHECK(placed_in(found) == 0);
  for (const Trial& trial : found.result.trials) CHECK(trial.measured.has_value());
}

TEST_CASE("a search knows how long its steps took, and placing is all that comes with it") {
  Search search;
  const PlanGround ground(search.workload, search.hardware, search.simulation);
  optimize_plan(ground, search.space, search.options, search.control);
  const LongestSteps& steps = ground.steps;
  for (const Step step : {Step::estimate, Step::simulation, Step::shapes}) {
    CHECK(steps.of(step) > Clock::duration{0});
  }
  LongestSteps known;
  known.note(Step::estimate, std::chrono::seconds(3));
  known.note(Step::estimate, std::chrono::seconds(2));
  known.note(Step::simulation, std::chrono::seconds(10));
  CHECK(known.of_placing() == std::chrono::seconds(3 + 3 + 10));
  known.note(Step::shapes, std::chrono::seconds(7));
  CHECK(known.of_placing() == std::chrono::seconds(7 + 3 + 10));
}

TEST_CASE("a part of a run that is over has the time that the whole has left") {
  SearchControl control;
  CHECK(control.has_time_for(std::chrono::hours(1'000)));
  control.start -= std::chrono::hours(4);
  control.time_limit = std::chrono::hours(10);
  for (const SearchControl& part : {control, control.within(0.25), control.within(0.5).within(0.5),
                                    control.within(0.25).part(1, 2)}) {
    CHECK(part.has_time_for(std::chrono::hours(5)));
    CHECK_FALSE(part.has_time_for(std::chrono::hours(7)));
  }
  CHECK_FALSE(control.within(0.5).is_cut(std::chrono::minutes(30)));
  CHECK(control.within(0.5).is_cut(std::chrono::minutes(90)));
  std::atomic<bool> stop = true;
  control.stop = &stop;
  CHECK(control.is_cut());
  CHECK_FALSE(control.has_time_for(std::chrono::hours(0)));
}

TEST_CASE("a part of a run ends earlier by its share of the time limit") {
  SearchControl control;
  CHECK_FALSE(control.within(0.5).deadline());
  control.time_limit = std::chrono::seconds(10);
  CHECK(*control.within(0.25).deadline() == control.start + std::chrono::milliseconds(2'500));
  CHECK(control.within(0.25).start == control.start);
}

}  // namespace
}  // namespace waferloom::optimize
