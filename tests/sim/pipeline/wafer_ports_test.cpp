#include "sim/pipeline/wafer_ports.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// A host port of 1 B/ps and a DRAM port of half that, which answers after 7 ps; the host behind
/// moves 1/4 B/ps.
PipelineSpec two_ports() {
  PipelineSpec spec;
  spec.host_bytes_per_ps = 0.25;
  spec.ports = {{"host 0", {0, 0}, 1.0, 0, false}, {"dram 0", {0, 1}, 0.5, 7, true}};
  return spec;
}

TEST_CASE("a port serves one after the other, either direction by itself") {
  const PipelineSpec spec = two_ports();
  WaferPorts ports(spec, 100);
  CHECK(ports.pass(1, false, 100, 10) == 100 + 20 + 7);
  CHECK(ports.pass(1, false, 105, 10) == 100 + 40 + 7);
  CHECK(ports.pass(1, true, 106, 10) == 106 + 20 + 7);
  const std::vector<PortUse> uses = ports.uses(200);
  CHECK(uses[1].bytes_in + uses[1].bytes_out == 30);
  CHECK(uses[1].waited == 15);
  CHECK(uses[1].busy == close_to(0.2));
  CHECK(uses[0].bytes_in + uses[0].bytes_out == 0);
  // In the middle of the second of two.
  CHECK(ports.uses(130)[1].busy == close_to(30.0 / 130));
}

TEST_CASE("waits together may be longer than any time is") {
  const PipelineSpec spec = two_ports();
  WaferPorts ports(spec, 100);
  ports.pass(1, false, 0, std::int64_t{1} << 60);
  for (int i = 0; i < 3; ++i) ports.pass(1, false, 0, 0);
  CHECK(ports.uses(1)[1].waited == kHorizon);
  for (int i = 0; i < 3; ++i) ports.pass(1, true, 0, 0);
  ports.pass(1, true, 0, std::int64_t{1} << 60);
  for (int i = 0; i < 3; ++i) ports.pass(1, true, 0, 0);
  CHECK(ports.uses(1)[1].waited == kHorizon);
}

TEST_CASE("what crosses a host port goes through the host, in either direction") {
  const PipelineSpec spec = two_ports();
  WaferPorts ports(spec, 100);
  CHECK(ports.pass(0, false, 0, 8) == 32 + 8);
  CHECK(ports.pass(0, true, 0, 8) == 8 + 32);
}

TEST_CASE("a port holds the samples that its channels have room for, and may be too small") {
  PipelineSpec spec = two_ports();
  ChannelSpec in;
  in.consumer = 0;
  in.bytes = 11;
  in.lanes.resize(2);
  in.ports = {0, 1};
  in.buffer_samples = 3;
  spec.channels = {in};
  spec.ports[1].capacity_bytes = 14;
  CHECK(WaferPorts(spec, 100).uses(1)[0].held_bytes == 18);
  CHECK(WaferPorts(spec, 100).uses(1)[0].fits());
  CHECK(WaferPorts(spec, 100).uses(1)[1].held_bytes == 15);
  CHECK_FALSE(WaferPorts(spec, 100).uses(1)[1].fits());
  CHECK(WaferPorts(spec, 2).uses(1)[1].held_bytes == 10);
  CHECK(WaferPorts(spec, 2).uses(1)[1].fits());
  // What memory holds anyway comes to nothing, before others and behind them.
  ChannelSpec streams = in;
  streams.streams = true;
  for (const bool is_first : {false, true}) {
    spec.channels.insert(is_first ? spec.channels.begin() : spec.channels.end(), streams);
    CHECK(WaferPorts(spec, 100).uses(1)[0].held_bytes == 18);
  }
  spec.channels = {in};
  spec.channels[0].bytes = 1'000'000'000'000'000;
  spec.channels[0].buffer_samples = 1'000'000;
  CHECK(WaferPorts(spec, 1'000'000).uses(1)[0].held_bytes ==
        std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace waferloom::sim
