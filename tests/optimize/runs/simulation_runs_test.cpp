#include "optimize/simulation_runs.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/collective.h"
#include "sim/contest_pipeline.h"
#include "sim/plan_pipeline.h"
#include "tests/support/chain_placement.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

/// Four kernels in a row; ports on every tile of the west edge.
struct Chain {
  Problem problem = test::chain_with_skip();
  Placement placement = test::in_a_row(problem);
  Hardware hardware;

  Chain() {
    hardware.wafer = problem.wafer();
    hardware.clock_hz = 1'000'000'000;
    hardware.link = {1'000'000'000, 0};
    for (std::int64_t row = 0; row < hardware.wafer.height; ++row) {
      hardware.host_ports.push_back({Direction::west, row, {}, 0, {}});
    }
  }
  CaseSimulation run(Routing routing) const {
    CaseSimulation run{problem, placement, hardware};
    run.options.routing = routing;
    run.options.samples = 20;
    return run;
  }
};

TEST_CASE("a placement runs as its pipeline does") {
  const Chain chain;
  const CaseSimulation run = chain.run(Routing::xy);
  const sim::ThroughputReport found = simulate_case(run, {});
  const sim::ThroughputReport same =
      sim::simulate(sim::contest_pipeline(chain.problem, chain.placement, chain.hardware, false),
                    chain.hardware, run.options);
  CHECK(found.samples == 20);
  CHECK(found.makespan == same.makespan);
  CHECK(found.link_bytes == same.link_bytes);
}

TEST_CASE("planned routes are the router's, or those that are given") {
  const Chain chain;
  CaseSimulation run = chain.run(Routing::planned);
  const sim::ThroughputReport own = simulate_case(run, {});
  int asked = 0;
  run.routes = [&](const Traffic& traffic) {
    ++asked;
    CHECK(traffic.blocks.size() == 4);
    return demanded_route(traffic, chain.hardware, {}).routes;
  };
  CHECK(simulate_case(run, {}).link_bytes == own.link_bytes);
  CHECK(asked == 1);
  run.options.routing = Routing::xy;  // a rule asks for none
  CHECK(simulate_case(run, {}).samples == 20);
  CHECK(asked == 1);
}

TEST_CASE("who listens hears of the pipeline before it runs, and may change how") {
  const Chain chain;
  CaseSimulation run = chain.run(Routing::xy);
  std::size_t stages = 0;
  run.listener = [&](const sim::PipelineSpec& spec, sim::SimulateOptions& options) {
    stages = spec.stages.size();
    options.samples = 3;
  };
  CHECK(simulate_case(run, {}).samples == 3);
  CHECK(stages == 4);
}

TEST_CASE("a batch in training runs whole, and ends when the last weights are changed") {
  const Chain chain;
  CaseSimulation run = chain.run(Routing::xy);
  const std::size_t kernels = chain.problem.kernel_count();
  sim::PipelineSpec heard;
  run.listener = [&](const sim::PipelineSpec& spec, sim::SimulateOptions& /*options*/) {
    heard = spec;
  };
  // The first stage is the last that is done.
  PipelineBatch batch{6, 5.5, {}};
  std::map<std::string, sim::Picoseconds> updates;  // by name
  for (std::size_t i = 0; i < kernels; ++i) {
    const auto update = 7'000 - static_cast<sim::Picoseconds>(100 * i);
    batch.updates.push_back({update});
    updates[chain.problem.kernels()[i].name] = update;
  }
  set_batch(batch, run);
  const sim::ThroughputReport found = simulate_case(run, {});
  CHECK(found.samples == 6);
  CHECK(found.simulated == 6);
  CHECK(found.rate_of == sim::RateOf::whole_run);
  CHECK(found.updated == found.makespan + 7'000);
  CHECK(found.period == found.updated);
  CHECK(found.samples_per_s == test::close_to(5.5e12 / static_cast<double>(found.updated)));
  const sim::PipelineSpec own =
      sim::contest_pipeline(chain.problem, chain.placement, chain.hardware, true);
  REQUIRE(heard.stages.size() == own.stages.size());
  for (std::size_t s = 0; s < own.stages.size(); ++s) {
    CHECK(heard.stages[s].most_in_flight == 2 * own.stages[s].most_in_flight);
    CHECK(heard.stages[s].update->exchange == updates.at(heard.stages[s].name));
  }
  for (std::size_t c = 0; c < own.channels.size(); ++c) {
    CHECK(heard.channels[c].buffer_samples ==
          own.channels[c].buffer_samples + (own.channels[c].is_outside() ? 0 : 1));
  }
}

TEST_CASE("updates are of the kernels of a pipeline's case, replica by replica") {
  planner::WaferPipeline pipeline;
  CHECK_FALSE(batch_of(pipeline, Chain().hardware).has_value());
  pipeline.batch = 9;
  pipeline.replicas = 2;
  for (const std::int64_t cycles : {10, 30}) {
    planner::StageShape shape;
    shape.update_cycles = cycles;
    planner::StageShape other = shape;
    other.update_cycles += 5;
    pipeline.stages.push_back({"s", 0, 0, {shape, other}});
  }
  const auto batch = batch_of(pipeline, Chain().hardware);  // a nanosecond a cycle
  REQUIRE(batch.has_value());
  CHECK(batch->samples == 5);
  CHECK(batch->samples_of_replica == test::close_to(4.5));
  const std::vector<sim::Picoseconds> first{10'000, 15'000};
  const std::vector<sim::Picoseconds> second{30'000, 35'000};
  CHECK(batch->updates == std::vector{first, second, first, second});
}

TEST_CASE("a placement whose kernels dead tiles cut off is infeasible") {
  Chain chain;
  chain.hardware.wafer.dead = {{23, 0, 1, 30}};
  CHECK_THROWS_AS(simulate_case(chain.run(Routing::planned), {}), InfeasibleError);
}

/// Two stages of a network on 2 × 1 tiles each.
struct Stages {
  Workload workload = test::preset_workload("bert_base");
  Hardware hardware = test::preset_hardware("palm_wafer");
  Plan plan;

  Stages() {
    plan.tensor = 2;
    plan.pipeline = 2;
    plan.micro_batch = 1;
    plan.micro_batches = 4;
  }
  sim::PlannedPipeline pipeline() const {
    return sim::plan_pipeline(workload, plan, hardware, sim::lay_out_stages(plan, hardware),
                              sim::Contention::simulated);
  }
};

TEST_CASE("the stages of a plan run on the router's routes or by a rule") {
  const Stages stages;
  sim::PlannedPipeline planned = stages.pipeline();
  PlanSimulation run{stages.hardware};
  run.options.routing = Routing::planned;
  bool heard = false;
  run.listener = [&](const sim::PipelineSpec&, sim::SimulateOptions&) { heard = true; };
  const sim::PlanReport routed = simulate_planned(planned, run, {});
  CHECK(heard);
  CHECK(routed.samples_per_s > 0);
  sim::PlannedPipeline by_rule = stages.pipeline();
  run.options.routing = Routing::xy;
  const sim::PlanReport ruled = simulate_planned(by_rule, run, {});
  CHECK(ruled.batch == sim::simulate_plan(by_rule, stages.hardware, run.options).batch);
}

TEST_CASE("stages without room are refused with their bytes, unless they may run all the same") {
  Stages stages;
  stages.hardware.dram_ports.clear();
  sim::PlannedPipeline planned = stages.pipeline();
  REQUIRE_FALSE(planned.memory.fits_all());
  PlanSimulation run{stages.hardware};
  try {
    simulate_planned(planned, run, {});
    FAIL("expected a NoRoomForStages");
  } catch (const NoRoomForStages& error) {
    CHECK(error.what() == planned.memory.complaint());
  }
  run.allows_infeasible = true;
  CHECK(simulate_planned(planned, run, {}).samples_per_s > 0);
}

}  // namespace
}  // namespace waferloom::optimize
