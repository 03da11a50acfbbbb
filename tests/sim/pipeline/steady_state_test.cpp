#include "sim/pipeline/steady_state.h"

#include <doctest/doctest.h>

#include <vector>

#include "sim/network/analytic_network.h"
#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/sim/pipeline/row_of_stages.h"

namespace waferloom::sim {
namespace {

ThroughputReport run(const PipelineSpec& spec, std::int64_t samples) {
  SimulateOptions options;
  options.samples = samples;
  return simulate(spec, small_fabric(2, 2), options);
}

TEST_CASE("the period of the busiest resource is steady though stages before it run ahead") {
  // The first stage may be 1,000 samples ahead, the second works all the time from the start.
  const ThroughputReport found = run(row_of_stages({10, 400}, 1'000), 5'000);
  CHECK(found.steady);
  CHECK(found.period_samples == 1);
  CHECK(found.period == 400);
  CHECK(found.simulated == 4);  // three repetitions
  CHECK(found.makespan == 10 + 5'000 * 400);
  CHECK(found.first_sample == 410);
}

TEST_CASE("a burst that the busiest resource does not feed is not steady") {
  // The third stage gets a sample each 400 ps, though it could do one in 10.
  const ThroughputReport found = run(row_of_stages({10, 400, 10}, 2), 500);
  CHECK(found.steady);
  CHECK(found.period == 400 * found.period_samples);
  CHECK(found.makespan == 10 + 500 * 400 + 10);
}

TEST_CASE("what nothing is busy all the time for is steady when stages and tensors repeat") {
  // Room for one sample, from the first stage's begin to the second's end: 598 ps, of which either
  // stage works a half.
  const ThroughputReport found = run(row_of_stages({300, 298}, 1), 5'000);
  CHECK(found.steady);
  CHECK(found.period == 598 * found.period_samples);
  CHECK(found.simulated <= 8);
  CHECK(found.makespan == 5'000 * 598);
  CHECK(found.bound == Bound::schedule);
}

TEST_CASE("faster than the busiest resource is not steady, however often it repeats") {
  const PipelineSpec spec = row_of_stages({10, 400, 10}, 2);
  const Mesh mesh(small_fabric(2, 2));
  AnalyticNetwork network(mesh, 0);
  RoutePlanner planner(mesh, Routing::xy);
  Pipeline pipeline(spec, mesh, network, planner, 20);
  while (pipeline.done().size() < 12) REQUIRE(pipeline.step());
  const auto found = steady_period(pipeline, spec, 400);
  REQUIRE(found);
  CHECK(found->time == 400 * found->samples);
  CHECK(steady_period(pipeline, spec, 0));
  // Had a link to carry 410 ps of a sample, it would be behind already.
  CHECK_FALSE(steady_period(pipeline, spec, 410));
}

TEST_CASE("few samples are run to their end") {
  const ThroughputReport found = run(row_of_stages({30, 20}, 2), 3);
  CHECK_FALSE(found.steady);
  CHECK(found.simulated == 3);
  CHECK(found.makespan == 3 * 30 + 20);
}

}  // namespace
}  // namespace waferloom::sim
