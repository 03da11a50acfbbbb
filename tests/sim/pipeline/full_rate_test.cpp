#include "sim/pipeline/full_rate.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/network/analytic_network.h"
#include "sim/plan_run.h"
#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/sim/pipeline/row_of_stages.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

struct Seen {
  std::optional<SteadyPeriod> rate;
  std::int64_t done = 0;  ///< when it was known
};

Seen seen(const PipelineSpec& spec, std::int64_t samples) {
  const Mesh mesh(small_fabric(2, 2));
  AnalyticNetwork network(mesh, 0);
  RoutePlanner planner(mesh, Routing::xy);
  Pipeline pipeline(spec, mesh, network, planner, samples);
  const auto stages = static_cast<std::int64_t>(spec.stages.size());
  FullRate full({samples_until_full(stages), samples_until_rate(stages), samples, false});
  Seen found;
  while (!found.rate && pipeline.step()) {
    const auto done = static_cast<std::int64_t>(pipeline.done().size());
    if (done == found.done) continue;
    found.done = done;
    found.rate = full.look(pipeline);
  }
  return found;
}

TEST_CASE("a full pipeline goes as fast as samples come out, where those that go in only fill it") {
  const Seen found = seen(row_of_stages({10, 400, 10}, 20), 2'000);
  REQUIRE(found.rate);
  CHECK(found.rate->time == 400 * found.rate->samples);
  CHECK(found.rate->samples >= 12);
}

TEST_CASE("as many samples are looked at as there are stages, twelve at least") {
  CHECK(samples_until_rate(1) == 2 + 12);
  CHECK(samples_until_rate(20) == 21 + 20);
  const Seen found =
      seen(row_of_stages(std::vector<Picoseconds>(20, 50), 2), samples_of_stream(20));
  REQUIRE(found.rate);
  CHECK(found.rate->time == 50 * found.rate->samples);
}

TEST_CASE("while buffers fill a pipeline is looked at on, and then goes as fast as they empty") {
  // The first stage may be ten samples ahead, and gets there.
  const Seen found = seen(row_of_stages({390, 400}, 10), 2'000);
  REQUIRE(found.rate);
  CHECK(found.rate->time >= 395 * found.rate->samples);
  CHECK(found.rate->time <= 400 * found.rate->samples);
  // It may be 100 ahead, and all are in before that.
  const Seen ahead = seen(row_of_stages({200, 400}, 100), 100);
  REQUIRE(ahead.rate);
  CHECK(ahead.rate->time == 400 * ahead.rate->samples);
}

TEST_CASE("a run whose last sample goes in before that has no such rate") {
  CHECK_FALSE(seen(row_of_stages({30, 20}, 2), samples_until_rate(2)).rate);
  CHECK(seen(row_of_stages({30, 20}, 2), samples_of_stream(2)).rate);
}

TEST_CASE("where no period repeats a stream's rate is that of a long run") {
  const Hardware hardware = test::preset_hardware("palm_wafer");
  const Workload network = test::preset_workload("bert_base");
  Plan plan;
  plan.tensor = 6;
  plan.data = 8;
  plan.pipeline = 6;
  plan.micro_batch = 8;
  plan.schedule = Schedule::inference;
  plan.layout = StageLayout::line;
  const auto run_of = [&](std::int64_t micro_batches, bool extrapolate) {
    plan.micro_batches = micro_batches;
    SimulateOptions options;
    options.extrapolate = extrapolate;
    const PlannedPipeline planned = plan_pipeline(
        network, plan, hardware, lay_out_stages(plan, hardware), Contention::simulated);
    return simulate_plan(planned, hardware, options);
  };
  const PlanReport stream = run_of(samples_of_stream(plan.pipeline), true);
  CHECK(stream.rate_of == RateOf::full_pipeline);
  CHECK(stream.run.simulated < stream.run.samples);
  const Picoseconds more = run_of(80, false).run.makespan - run_of(40, false).run.makespan;
  const double per_s =
      static_cast<double>(40 * plan.samples()) / (static_cast<double>(more) * 1e-12);
  CHECK(stream.samples_per_s == test::close_to(per_s).within(0.02));
}

}  // namespace
}  // namespace waferloom::sim
