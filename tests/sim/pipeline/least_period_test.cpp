#include <doctest/doctest.h>

#include <cstdlib>

#include "model/errors.h"
#include "sim/contest_pipeline.h"
#include "sim/pipeline_spec.h"
#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"
#include "tests/support/small_problems.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Two stages and an edge of 100 bytes over four tiles in a row, one lane of two hops: 102,000 ps.
PipelineSpec two_stages(Picoseconds first, Picoseconds second, std::int64_t room) {
  PipelineSpec spec;
  spec.stages = {{"a", first}, {"b", second}};
  ChannelSpec edge;
  edge.name = "a -> b";
  edge.producer = 0;
  edge.consumer = 1;
  edge.bytes = 100;
  edge.lanes = {{{1, 0}, {3, 0}}};
  edge.buffer_samples = room;
  spec.channels = {edge};
  return spec;
}

ThroughputReport report_of(const PipelineSpec& spec) {
  SimulateOptions options;
  options.samples = 4'000;
  return simulate(spec, small_fabric(4, 1), options);
}

Picoseconds simulated(const PipelineSpec& spec) {
  const ThroughputReport found = report_of(spec);
  return found.period / found.period_samples;
}

TEST_CASE("the slowest stage, link, or room of an edge, and the simulation is as fast") {
  const Hardware hardware = small_fabric(4, 1);
  const PipelineSpec computes = two_stages(400'000, 90'000, 4);
  CHECK(least_period(computes, hardware, Routing::xy).most.name == "stage a");
  CHECK(least_period(computes, hardware, Routing::xy).most.busy_per_sample == 400'000);
  CHECK(least_period(computes, hardware, Routing::xy).moves.busy_per_sample == 148'000);
  CHECK(simulated(computes) == 400'000);
  const PipelineSpec moves = two_stages(10'000, 20'000, 4);
  CHECK(least_period(moves, hardware, Routing::xy).most.busy_per_sample == 100'000);
  // What is seen of a link that tensors share begins and ends within a sample's time.
  const ThroughputReport shared = report_of(moves);
  CHECK(std::abs(shared.period - 100'000 * shared.period_samples) < 100'000);
  // A slot is busy for 300,000 + 102,000 + 298,000 ps, and there are two.
  const PipelineSpec waits = two_stages(300'000, 298'000, 2);
  CHECK(least_period(waits, hardware, Routing::xy).most.name == "room of a -> b");
  CHECK(least_period(waits, hardware, Routing::xy).most.busy_per_sample == 350'000);
  CHECK(simulated(waits) == 350'000);
}

TEST_CASE("passes of adapters hold the room, too") {
  PipelineSpec spec = two_stages(300'000, 298'000, 2);
  spec.channels[0].adapters = 2;
  spec.channels[0].adapter_pass = 25'000;
  CHECK(least_period(spec, small_fabric(4, 1), Routing::xy).most.busy_per_sample == 375'000);
  CHECK(simulated(spec) == 375'000);
}

TEST_CASE("a lane without a way is told") {
  Hardware hardware = small_fabric(4, 1);
  hardware.wafer.dead = {{2, 0, 1, 1}};
  CHECK_THROWS_AS(least_period(two_stages(1, 1, 2), hardware, Routing::xy), InfeasibleError);
}

TEST_CASE("the slowest of what moves: links, ports, adapters, memories, each by its name") {
  const Hardware hardware = small_fabric(4, 1);
  PipelineSpec spec = two_stages(900'000, 100'000, 4);
  const auto moves = [&] { return least_period(spec, hardware, Routing::xy).moves; };
  // 900,000 + 102,000 + 100,000 ps for four.
  CHECK(moves().name == "room of a -> b");
  CHECK(moves().busy_per_sample == 275'500);
  spec.channels[0].buffer_samples = 100;
  CHECK(moves().name == "link east of tile (1, 0)");
  CHECK(moves().busy_per_sample == 100'000);
  spec.channels[0].adapters = 1;
  spec.channels[0].adapter_pass = 120'000;
  CHECK(moves().name == "adapter of a -> b");
  CHECK(moves().busy_per_sample == 120'000);
  spec.ports = {{"host", {0, 0}, 0.5e-3}, {"memory", {0, 0}, 1e-3}};
  spec.ports[1].is_memory = true;
  ChannelSpec in;
  in.name = "in";
  in.consumer = 0;
  in.bytes = 130;
  in.lanes = {{{0, 0}, {0, 0}}};
  in.ports = {0};
  spec.channels.push_back(in);
  CHECK(moves().name == "port host");
  CHECK(moves().busy_per_sample == 260'000);
  in.bytes = 140;
  in.ports = {1};
  spec.channels.push_back(in);
  CHECK(moves().name == "tile (0, 0)");  // both go through its own way
  CHECK(moves().busy_per_sample == 270'000);
  // Computing is no move, however long it takes; it is the slowest of all.
  const LeastPeriod least = least_period(spec, hardware, Routing::xy);
  CHECK(least.most.name == "stage a");
  CHECK(least.most.busy_per_sample == 900'000);
}

TEST_CASE("room is held by the slowest of several lanes, and not in training or at the edge") {
  PipelineSpec spec = two_stages(10'000, 20'000, 1);
  // 51 and 50 bytes: one hop and three.
  spec.channels[0].bytes = 101;
  spec.channels[0].lanes = {{{1, 0}, {2, 0}}, {{0, 0}, {3, 0}}};
  Hardware hardware = small_fabric(4, 1);
  hardware.endpoint_latency_ps = 700;
  const auto room = [&] { return least_period(spec, hardware, Routing::xy).moves; };
  // Of 51,000 + 1,000 and 50,000 + 3,000 ps the latter; on the link between they are 101,000 ps.
  CHECK(room().busy_per_sample == 101'000);
  spec.stages[1].forward = 60'000;
  CHECK(room().name == "room of a -> b");
  CHECK(room().busy_per_sample == 10'000 + 53'000 + 700 + 60'000);
  spec.training = true;
  CHECK(room().name == "link east of tile (1, 0)");
  spec.training = false;
  spec.channels[0].producer = ChannelSpec::kOutside;
  CHECK(room().busy_per_sample == 101'000);
}

TEST_CASE("traffic of an edge: bytes by how busy its links are against the busiest") {
  using test::dense;
  // Kernels of 3 x 2 tiles at x = 0, 4 and 8 of one row of 11 x 2 tiles; k1 -> k3 passes by k2.
  ProblemData data =
      test::problem_data({dense(4, 4), dense(4, 4), dense(4, 4)}, {{0, 1}, {1, 2}}, {11, 2});
  data.connections[0].tensor = {1, 1, 60};
  data.connections[1].tensor = {1, 1, 20};
  const Problem problem(std::move(data));
  Placement placement;
  for (const std::int64_t x : {0, 4, 8}) {
    placement.kernels.push_back({Execution{1, 1, {1}, {1}}, x, 0, false});
  }
  const Hardware hardware = small_fabric(11, 2);
  std::vector<std::int64_t> bytes(std::size_t{4} * 22, 0);
  const PipelineSpec spec = contest_pipeline(problem, placement, hardware, false);
  // Two lanes each, from x = 2 to 4 and from 6 to 8: links eastward out of 2 and 3, of 6 and 7.
  for (const std::size_t row : {0U, 1U}) {
    for (const std::size_t x : {2U, 3U}) bytes[4 * (11 * row + x)] = 80;
    bytes[4 * (11 * row + 6)] = 20;
    bytes[4 * (11 * row + 7)] = 60;
  }
  const std::vector<double> traffic = edge_traffic(problem, spec, hardware, Routing::xy, bytes);
  REQUIRE(traffic.size() == 2);
  CHECK(traffic[0] == close_to(120.0));       // 120 bytes at 80 / 80
  CHECK(traffic[1] == close_to(40.0 * 0.5));  // 40 bytes at the mean of 20 and 60 / 80
  // The busiest link of all is the first or the last, far from either edge.
  for (const std::size_t link : {std::size_t{0}, bytes.size() - 1}) {
    std::vector<std::int64_t> more = bytes;
    more[link] = 160;
    const std::vector<double> less = edge_traffic(problem, spec, hardware, Routing::xy, more);
    CHECK(less[0] == close_to(60.0));
    CHECK(less[1] == close_to(10.0));
  }
  // Nothing moved: nothing is busy.
  const std::vector<std::int64_t> none(bytes.size(), 0);
  CHECK(edge_traffic(problem, spec, hardware, Routing::xy, none) == std::vector<double>{0, 0});
}

}  // namespace
}  // namespace waferloom::sim
