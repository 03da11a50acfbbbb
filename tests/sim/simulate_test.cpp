#include "sim/simulate.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Stages on tiles 0, 1, 3 of a row of four, with tensors c1 of 4 bytes over one hop and c2 of 8
/// over two: 4,000 + 1,000 and 8,000 + 2,000 ps.
PipelineSpec pipeline(const std::vector<Picoseconds>& services) {
  PipelineSpec spec;
  for (std::size_t i = 0; i < services.size(); ++i) {
    spec.stages.push_back({"s" + std::to_string(i), services[i], services[i], 1});
  }
  const std::vector<Lane> lanes[] = {{{{0, 0}, {1, 0}}}, {{{1, 0}, {3, 0}}}};
  for (std::size_t i = 1; i < services.size(); ++i) {
    ChannelSpec channel;
    channel.name = "c" + std::to_string(i);
    channel.producer = i - 1;
    channel.consumer = i;
    channel.bytes = i == 1 ? 4 : 8;
    channel.lanes = lanes[i - 1];
    spec.channels.push_back(channel);
  }
  return spec;
}

SimulateOptions samples(std::int64_t count) {
  SimulateOptions options;
  options.samples = count;
  return options;
}

TEST_CASE("one sample: latency, links and flows by hand, the busiest and slowest first") {
  const Hardware hardware = small_fabric(4, 1);
  const ThroughputReport report = simulate(pipeline({10, 20, 30}), hardware, samples(1));
  constexpr Picoseconds kLatency = 10 + 5'000 + 20 + 10'000 + 30;
  CHECK(report.samples == 1);
  CHECK(report.simulated == 1);
  CHECK(report.first_sample == kLatency);
  CHECK(report.makespan == kLatency);
  CHECK(report.period == kLatency);
  CHECK(report.period_samples == 1);
  CHECK(report.samples_per_s == close_to(1e12 / kLatency));
  REQUIRE(report.flows.size() == 2);
  CHECK(report.flows[0].name == "c2");
  CHECK(report.flows[0].bytes == 8);
  CHECK(report.flows[0].mean == 10'000);
  CHECK(report.flows[1].name == "c1");
  CHECK(report.flows[1].mean == 5'000);
  // Of equals the first, by index: eastwards from tiles 1 and 2, then from tile 0.
  REQUIRE(report.links.size() == 3);
  const std::int64_t x[] = {1, 2, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    INFO(i);
    CHECK(report.links[i].x == x[i]);
    CHECK(report.links[i].y == 0);
    CHECK(std::string(report.links[i].direction) == "east");
    CHECK(report.links[i].bytes == (i < 2 ? 8 : 4));
    CHECK(report.links[i].busy == close_to((i < 2 ? 8'000.0 : 4'000.0) / kLatency));
  }
  // Two samples of either tensor have room.
  CHECK(report.buffer_bytes == 2 * 4 + 2 * 8);
  CHECK_FALSE(report.stopped);
  CHECK(report.rate_error.has_value());
}

TEST_CASE("the top of links and flows is listed, all links are counted") {
  SimulateOptions options = samples(3);
  options.top = 1;
  const ThroughputReport found = simulate(pipeline({10, 20, 30}), small_fabric(4, 1), options);
  REQUIRE(found.flows.size() == 1);
  CHECK(found.flows[0].name == "c2");
  REQUIRE(found.links.size() == 1);
  CHECK(found.links[0].x == 1);
  CHECK(found.link_bytes.size() == 16);
  CHECK(found.link_bytes[0] == 3 * 4);
  CHECK(found.link_bytes[4] == 3 * 8);
  CHECK(found.link_bytes[8] == 3 * 8);
}

TEST_CASE("the slowest stage sets the period, and is named with the part of the time it is busy") {
  SimulateOptions options = samples(1'000);
  options.network = NetworkKind::analytic;
  const Hardware hardware = small_fabric(4, 1);
  const ThroughputReport part = simulate(pipeline({10'000, 50'000, 20'000}), hardware, options);
  CHECK(part.steady);
  CHECK(part.simulated < 1'000);
  CHECK(part.period == part.period_samples * 50'000);
  CHECK(part.samples_per_s == close_to(1e12 / 50'000));
  // The first sample comes through, then one a period.
  CHECK(part.first_sample == 10'000 + 5'000 + 50'000 + 10'000 + 20'000);
  CHECK(part.makespan == part.first_sample + Picoseconds{999} * 50'000);
  CHECK(part.bound == Bound::compute);
  CHECK(part.bound_by.find("s1") != std::string::npos);
  REQUIRE(!part.resources.empty());
  CHECK(part.resources[0].busy_per_sample == 50'000);
  CHECK(part.resources[0].busy == close_to(1));
  CHECK_FALSE(part.rate_error.has_value());
  options.extrapolate = false;
  const ThroughputReport whole = simulate(pipeline({10'000, 50'000, 20'000}), hardware, options);
  CHECK(whole.simulated == 1'000);
  CHECK(whole.makespan == part.makespan);
}

TEST_CASE("without a steady period the whole run counts, filling and draining included") {
  // Done after 40, 70 and 100 ps.
  for (const int count : {3, 4}) {
    CAPTURE(count);
    SimulateOptions options = samples(count);
    options.extrapolate = false;
    PipelineSpec spec = pipeline({10, 30});
    spec.channels[0].bytes = 0;
    spec.channels[0].lanes.clear();
    const ThroughputReport found = simulate(spec, small_fabric(4, 1), options);
    CHECK(found.makespan == 10 + 30 * count);
    CHECK_FALSE(found.steady);
    CHECK(found.period == found.makespan);
    CHECK(found.period_samples == count);
    CHECK(found.samples_per_s == close_to(count * 1e12 / (10 + 30 * count)));
  }
}

TEST_CASE("what waited in buffers and comes out at once is no rate") {
  // s1 waits 10,000 ps for its first input while s0 fills the buffer, a sample each 100 ps; then it
  // empties it, a sample each 10 ps: ten times as fast as s0 can ever be.
  PipelineSpec spec = pipeline({100, 10});
  spec.channels[0].bytes = 0;
  spec.channels[0].lanes.clear();
  spec.channels[0].buffer_samples = 16;
  ChannelSpec late;
  late.name = "late";
  late.consumer = 1;
  late.bytes = 1;
  late.buffer_samples = 16;
  late.lanes = {{{0, 0}, {0, 0}}};
  late.ports = {0};
  spec.channels.push_back(late);
  spec.ports = {{"host 0", {0, 0}, kNoLimit, 10'000, false}};
  const ThroughputReport found = simulate(spec, small_fabric(4, 1), samples(16));
  CHECK_FALSE(found.steady);
  CHECK(found.simulated == 16);
  CHECK(found.samples_per_s == close_to(16e12 / static_cast<double>(found.makespan)));
  CHECK(found.makespan >= 10'160);
  for (const Utilisation& resource : found.resources) {
    CAPTURE(resource.name);
    CHECK(resource.busy <= 1);
  }
}

TEST_CASE("progress is told sample by sample") {
  std::vector<std::int64_t> told;
  SimulateOptions options = samples(3);
  options.network = NetworkKind::exclusive;
  options.on_progress = [&](const RunProgress& run) {
    told.push_back(run.done);
    CHECK(run.samples == 3);
    CHECK(run.network == NetworkKind::exclusive);
  };
  simulate(pipeline({10, 20, 30}), small_fabric(4, 1), options);
  CHECK(told == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("a run that is to stop ends early and says so") {
  SimulateOptions options = samples(1'000);
  options.extrapolate = false;
  int asked = 0;
  options.control.asked = [&] { return ++asked == 2; };
  const ThroughputReport found = simulate(pipeline({10, 20, 30}), small_fabric(4, 1), options);
  CHECK(found.stopped);
  CHECK(asked == 2);
  CHECK(found.simulated > 0);
  CHECK(found.simulated < 1'000);
  CHECK(found.samples == 1'000);
}

TEST_CASE("a run that is to stop does not ask what clock could tell its end") {
  // Ten million samples of 10^12 ps each would take 10^19 ps, more than 2^62.
  SimulateOptions options = samples(10'000'000);
  options.extrapolate = false;
  options.control.asked = [] { return true; };
  const ThroughputReport found =
      simulate(pipeline({1'000'000'000'000, 20, 30}), small_fabric(4, 1), options);
  CHECK(found.stopped);
  CHECK(found.simulated > 0);
  CHECK(found.period == close_to(1e12).within(1e-6));
}

TEST_CASE("a link that is busy all the time bounds the pipeline, and is told among resources") {
  // 4,000 ps a sample over a link without latency, one message behind the other.
  PipelineSpec spec = pipeline({10, 20});
  spec.channels[0].buffer_samples = 4;
  Hardware hardware = small_fabric(4, 1);
  hardware.link.latency_ps = 0;
  hardware.group_link = hardware.link;
  SimulateOptions options = samples(1'000);
  options.network = NetworkKind::exclusive;
  const ThroughputReport found = simulate(spec, hardware, options);
  CHECK(found.bound == Bound::link);
  CHECK(found.samples_per_s == close_to(1e12 / 4'000));
  REQUIRE(found.resources.size() >= 2);
  CHECK(found.resources[0].busy_per_sample == 20);
  CHECK(found.resources[0].busy == close_to(20.0 / 4'000));
  CHECK(found.resources[1].name == found.bound_by);
  CHECK(found.resources[1].busy_per_sample == 4'000);
  CHECK(found.resources[1].busy == close_to(1));
}

}  // namespace
}  // namespace waferloom::sim
