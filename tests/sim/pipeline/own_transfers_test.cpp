#include <doctest/doctest.h>

#include <vector>

#include "sim/pipeline_spec.h"
#include "sim/simulate.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// A mesh of 5 × 2 tiles whose links move a byte a picosecond without latency.
Hardware bytes_a_picosecond() {
  Hardware hardware;
  hardware.wafer = {5, 2};
  hardware.link = {1'000'000'000'000, 0};
  hardware.group_link = hardware.link;
  return hardware;
}

/// What comes from memory at tile (0, y) through the links east of tiles (0, y) to (2, y).
ChannelSpec stream(std::size_t stage, std::int64_t y, std::int64_t bytes) {
  ChannelSpec channel;
  channel.name = "memory";
  channel.consumer = stage;
  channel.bytes = bytes;
  channel.streams = true;
  channel.lanes = {{{0, y}, {3, y}}};
  channel.ports = {static_cast<std::size_t>(y)};
  return channel;
}

/// From tile (1, 0) to its neighbour in the east.
OwnTransfer over_one_link() {
  OwnTransfer own;
  own.lane = {{1, 0}, {2, 0}, {{Direction::east, 1}}};
  return own;
}

PipelineSpec stages(std::size_t count) {
  PipelineSpec spec;
  spec.ports = {{"dram 0", {0, 0}, kNoLimit, 0, true}, {"dram 1", {0, 1}, kNoLimit, 0, true}};
  for (std::size_t i = 0; i < count; ++i) spec.stages.push_back({"s" + std::to_string(i), 10, 10});
  return spec;
}

/// The period of a stage that computes for 4,000 ps and then exchanges 6,000 bytes over one link,
/// while `bytes` of every sample come in along row y.
double period(std::int64_t y, std::int64_t bytes) {
  PipelineSpec spec = stages(1);
  StageSpec& stage = spec.stages[0];
  stage.forward = 10'000;
  stage.forward_exchange = 6'000;
  stage.own = {over_one_link()};
  stage.own[0].forward_bytes = 6'000;
  spec.channels = {stream(0, y, bytes)};
  SimulateOptions options;
  options.samples = 400;
  options.extrapolate = false;
  const ThroughputReport found = simulate(spec, bytes_a_picosecond(), options);
  CHECK(found.simulated == 400);
  return static_cast<double>(found.makespan) / 400;
}

TEST_CASE("an exchange and a stream on one link take as long as the bytes of both") {
  CHECK(period(0, 6'000) == close_to(12'000).within(0.01));
  CHECK(period(0, 20'000) == close_to(26'000).within(0.01));
}

TEST_CASE("an exchange and a stream on links of their own take as long as the longer one") {
  CHECK(period(1, 6'000) == close_to(10'000).within(0.01));
  CHECK(period(1, 15'000) == close_to(15'000).within(0.01));
}

TEST_CASE("an exchange that meets nobody takes the time that it has alone") {
  CHECK(period(1, 1) == close_to(10'000).within(0.001));
}

TEST_CASE("links count what stages send among their tiles, and reports say which one binds") {
  PipelineSpec spec = stages(1);
  spec.stages[0].forward = 6'000;
  spec.stages[0].forward_exchange = 5'990;
  spec.stages[0].own = {over_one_link()};
  spec.stages[0].own[0].forward_bytes = 5'990;
  spec.channels = {stream(0, 0, 6'000)};
  SimulateOptions options;
  options.samples = 100;
  options.extrapolate = false;
  const ThroughputReport found = simulate(spec, bytes_a_picosecond(), options);
  CHECK(found.links.front().x == 1);
  CHECK(found.links.front().bytes == 100 * 11'990);
  CHECK(found.bound == Bound::link);
  CHECK(found.bound_by == "link east of tile (1, 0)");
  // 10 ps of computing; what lasts longer than alone is communication, too.
  CHECK(found.stages[0].compute == 100 * 10);
}

/// How long a batch of 100 samples takes that stream 10,000 bytes each along row y to stage s1,
/// while s0, which is through at once, exchanges `bytes` of gradients over one link.
double batch(std::int64_t y, std::int64_t bytes) {
  PipelineSpec spec = stages(2);
  spec.training = true;
  for (StageSpec& stage : spec.stages) stage.most_in_flight = 2;
  spec.stages[0].own = {over_one_link()};
  spec.stages[0].own[0].update_bytes = bytes;
  spec.stages[0].update = StageUpdate{bytes, bytes};
  spec.channels = {stream(1, y, 10'000)};
  SimulateOptions options;
  options.samples = 100;
  options.extrapolate = false;
  const ThroughputReport found = simulate(spec, bytes_a_picosecond(), options);
  return static_cast<double>(std::max(found.makespan, found.updated));
}

TEST_CASE("an update and a stream on one link take as long as the bytes of both") {
  CHECK(batch(0, 600'000) == close_to(1'600'000).within(0.01));
  CHECK(batch(0, 3'000'000) == close_to(4'000'000).within(0.01));
}

TEST_CASE("an update and a stream on links of their own take as long as the longer one") {
  CHECK(batch(1, 600'000) == close_to(1'000'000).within(0.01));
  CHECK(batch(1, 3'000'000) == close_to(3'000'000).within(0.01));
}

TEST_CASE("states come in behind the exchange, then go out, over ports and links") {
  PipelineSpec spec = stages(1);
  spec.training = true;
  spec.stages[0].most_in_flight = 1;
  ChannelSpec read = stream(0, 0, 0);
  ChannelSpec written = read;
  written.consumer = ChannelSpec::kOutside;
  written.producer = 0;
  written.lanes = {{{3, 0}, {0, 0}}};
  spec.channels = {read, written};
  StageUpdate update{1'000, 1'000, 200};
  update.read = 0;
  update.written = 1;
  update.read_bytes = 500;
  update.written_bytes = 300;
  spec.stages[0].update = update;
  SimulateOptions options;
  options.samples = 1;
  const ThroughputReport found = simulate(spec, bytes_a_picosecond(), options);
  CHECK(found.makespan == 20);
  CHECK(found.updated == 20 + 1'000 + 200 + 500 + 300);
}

TEST_CASE("of an update that overlaps, the part beside the last backward is sent beside it") {
  PipelineSpec spec = stages(1);
  spec.training = true;
  spec.overlaps_updates = true;
  spec.stages[0] = {"s0", 100, 1'000, 1};
  spec.stages[0].own = {over_one_link()};
  spec.stages[0].own[0].update_bytes = 800;
  spec.stages[0].update = StageUpdate{800, 200};
  SimulateOptions options;
  options.samples = 1;
  CHECK(simulate(spec, bytes_a_picosecond(), options).updated == 1'100 + 200);
}

}  // namespace
}  // namespace waferloom::sim
