#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "sim/pipeline_spec.h"

namespace waferloom::sim {
namespace {

using Bytes = std::vector<std::int64_t>;

/// Two host ports that live, of 1 and 3 B/ps, one at a dead tile, and two memories alike.
PipelineSpec with_ports() {
  PipelineSpec spec;
  spec.ports = {{"host 0", {0, 0}, 1.0, 0, false},
                {"host 1", {0, 1}, 3.0, 0, false},
                {"dead", {0, 2}, 9.0, 0, false},
                {"dram 0", {5, 0}, 2.0, 7, true},
                {"dram 1", {5, 1}, 2.0, 7, true}};
  spec.ports[2].most_bytes_per_ps = 0;
  return spec;
}

ChannelSpec input(std::int64_t bytes, std::size_t port) {
  ChannelSpec channel;
  channel.consumer = 0;
  channel.bytes = bytes;
  channel.lanes = {{{0, 0}, {2, 2}}};
  channel.ports = {port};
  return channel;
}

/// What each lane carries of so many bytes.
Bytes parts_of(const ChannelSpec& channel, std::int64_t all) {
  Bytes parts;
  for (std::size_t lane = 0; lane < channel.lanes.size(); ++lane) {
    parts.push_back(channel.part(channel.lanes, lane, all));
  }
  return parts;
}

TEST_CASE("what may pass anywhere passes all live ports of its kind by their rates") {
  PipelineSpec spec = with_ports();
  spec.channels = {input(100, 0), input(101, 4)};
  spread_over_ports(spec);
  const ChannelSpec& host = spec.channels[0];
  CHECK(host.ports == std::vector<std::size_t>{0, 1});
  CHECK(parts_of(host, 100) == Bytes{25, 75});
  CHECK(parts_of(host, 40) == Bytes{10, 30});  // such as what comes in before backward
  CHECK(host.lanes[1].from == TilePlace{0, 1});
  CHECK(host.lanes[1].to == TilePlace{2, 2});
  const ChannelSpec& memory = spec.channels[1];
  CHECK(memory.ports == std::vector<std::size_t>{3, 4});
  CHECK(parts_of(memory, 101) == Bytes{51, 50});
  CHECK(memory.lanes[0].from == TilePlace{5, 0});
}

TEST_CASE("an output ends at the ports, and ports without a rate pass alike") {
  PipelineSpec spec = with_ports();
  for (PortSpec& port : spec.ports) port.bytes_per_ps = kNoLimit;
  ChannelSpec output = input(9, 1);
  output.producer = 0;
  output.consumer = ChannelSpec::kOutside;
  output.lanes = {{{2, 2}, {0, 1}}};
  spec.channels = {output};
  spread_over_ports(spec);
  CHECK(parts_of(spec.channels[0], 9) == Bytes{5, 4});
  CHECK(spec.channels[0].lanes[0].from == TilePlace{2, 2});
  CHECK(spec.channels[0].lanes[0].to == TilePlace{0, 0});
}

TEST_CASE("what has a port of its own, planned routes, no bytes or no port stays as it is") {
  PipelineSpec spec = with_ports();
  ChannelSpec own = input(100, 0);
  own.has_fixed_port = true;
  ChannelSpec planned = input(100, 0);
  planned.planned_bytes = 100;
  planned.lanes[0].bytes = 100;
  ChannelSpec between = input(100, 0);
  between.producer = 1;
  between.ports.clear();
  spec.channels = {own, planned, input(0, 0), between};
  spread_over_ports(spec);
  for (const ChannelSpec& channel : spec.channels) {
    CHECK(channel.lanes.size() == 1);
    CHECK(channel.lanes[0].from == TilePlace{0, 0});
  }
}

}  // namespace
}  // namespace waferloom::sim
