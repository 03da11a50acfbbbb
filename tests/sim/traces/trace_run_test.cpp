#include <doctest/doctest.h>

#include <random>
#include <string>

#include "model/errors.h"
#include "sim/message_run.h"
#include "tests/support/complaint.h"

// Times by hand, in cycles of 1 ns. A hop takes 4, a request 20, and a unit of two flits of 32
// bytes 2, of which a packet has one flit of its own: a transfer of 96 bytes is two units. Data go
// on around the torus in the direction of their request, so both together pass each ring that they
// are on once: a read alone takes 20 + 4 · hops around + 2 · units.

namespace waferloom::sim {
namespace {

constexpr std::int64_t kBytes = 96;

Hardware small_torus() {
  Hardware hardware;
  hardware.name = "small";
  hardware.wafer.width = 4;
  hardware.wafer.height = 3;
  hardware.topology = Topology::torus;
  hardware.link = {32'000'000'000, 4'000};
  hardware.router.flit_bytes = 32;
  hardware.router.packet_flits = 257;
  NocSpec noc;
  noc.networks = {{"NOC_0", Direction::east, Direction::north, AxisOrder::x_first},
                  {"NOC_1", Direction::west, Direction::south, AxisOrder::y_first}};
  noc.request_ps = 20'000;
  hardware.noc = noc;
  return hardware;
}

TraceEvent trace_read(std::int64_t cycle, TilePlace of, std::int64_t bytes = kBytes,
                      std::uint32_t network = 0) {
  TraceEvent event;
  event.kind = TraceEventKind::read;
  event.cycle = cycle;
  event.tile = of;
  event.bytes = bytes;
  event.network = network;
  return event;
}

TraceEvent trace_event(TraceEventKind kind, std::int64_t cycle) {
  TraceEvent event;
  event.kind = kind;
  event.cycle = cycle;
  return event;
}

DeviceTrace traced(std::vector<TraceProgram> programs) {
  DeviceTrace trace;
  trace.networks = {"NOC_0", "NOC_1"};
  trace.programs = std::move(programs);
  return trace;
}

TraceTimes times_of(const DeviceTrace& trace, const Hardware& hardware = small_torus(),
                    IssueTimes issue_times = IssueTimes::recorded) {
  TraceRunOptions options;
  options.issue_times = issue_times;
  return run_trace(trace, hardware, options);
}

std::int64_t span_of(std::vector<TraceProgram> programs) {
  return times_of(traced(std::move(programs))).span_cycles;
}

TEST_CASE("a read alone takes its request, its rings and its data") {
  CHECK(span_of({{{0, 0}, "A", {trace_read(0, {2, 0})}}}) == 20 + 4 * 4 + 4);
  CHECK(span_of({{{0, 0}, "A", {trace_read(8, {3, 0})}}}) == 8 + 20 + 4 * 4 + 4);
  CHECK(span_of({{{1, 2}, "A", {trace_read(0, {1, 0})}}}) == 20 + 3 * 4 + 4);
  CHECK(span_of({{{1, 2}, "A", {trace_read(0, {3, 1})}}}) == 20 + 7 * 4 + 4);
  CHECK(span_of({{{1, 2}, "A", {trace_read(0, {3, 1}, kBytes, 1)}}}) == 20 + 7 * 4 + 4);
  // Its own tile: no link. A packet holds 256 flits of data: 8,224 bytes are a packet more.
  CHECK(span_of({{{1, 2}, "A", {trace_read(0, {1, 2})}}}) == 20 + 4);
  CHECK(span_of({{{1, 2}, "A", {trace_read(0, {1, 2}, 8'224)}}}) == 20 + 2 * 129 + 2);
}

TEST_CASE("networks go their own ways, around the torus") {
  const TraceTimes east = times_of(traced({{{0, 0}, "A", {trace_read(0, {3, 1})}}}));
  // From (3, 1) over the border to (0, 1), then up over the border to (0, 0).
  CHECK(east.networks[0].busiest_link == "link north of tile (0, 1)");
  CHECK(east.networks[0].busiest_link_bytes == 128);
  CHECK(east.networks[1].transfers == 0);
  CHECK(east.networks[1].busiest_link.empty());
  const TraceTimes west = times_of(traced({{{0, 0}, "A", {trace_read(0, {3, 1}, kBytes, 1)}}}));
  // Down to (3, 0) first, then to the west.
  CHECK(west.networks[1].busiest_link == "link west of tile (1, 0)");
  CHECK(west.networks[1].bytes == kBytes);
  CHECK(west.networks[0].transfers == 0);
  // The two do not meet.
  CHECK(span_of({{{0, 0}, "A", {trace_read(0, {2, 0})}},
                 {{0, 0}, "B", {trace_read(0, {2, 0}, kBytes, 1)}}}) == 40);
}

TEST_CASE("an end sends one packet after another, a link carries a unit at a time") {
  CHECK(span_of({{{0, 0}, "A", {trace_read(0, {2, 0}), trace_read(0, {2, 0})}}}) == 40 + 4);
  // Packets of 64 units from (2, 0) and (3, 0) are at the link from (3, 0) at cycle 22.
  CHECK(span_of({{{0, 0}, "A", {trace_read(0, {2, 0}, 4'064), trace_read(0, {3, 0}, 4'064)}}}) ==
        22 + 2 * 128 + 4 + 10);
  // With one virtual channel one of them goes behind the other, and the link is as busy.
  Hardware hardware = small_torus();
  hardware.noc->channels = 1;
  const DeviceTrace both =
      traced({{{0, 0}, "A", {trace_read(0, {2, 0}, 4'064), trace_read(0, {3, 0}, 4'064)}}});
  CHECK(times_of(both, hardware).span_cycles == 22 + 2 * 128 + 4 + 10);
}

TEST_CASE("ends have rates of their own, and DRAM a response") {
  Hardware hardware = small_torus();
  hardware.noc->tile_bytes_per_s = 16'000'000'000;
  const DeviceTrace from_tile = traced({{{1, 0}, "A", {trace_read(0, {2, 0}, 2'016)}}});
  // 32 units, a unit in four cycles; the last one takes two at most.
  CHECK(times_of(from_tile, hardware).span_cycles == 20 + 16 + 31 * 4 + 2);
  hardware.noc->tile_bytes_per_s.reset();
  hardware.noc->dram_bytes_per_s = 16'000'000'000;
  EdgePort port;
  port.response_ps = 30'000;
  hardware.dram_ports = {port};
  CHECK(times_of(from_tile, hardware).span_cycles == 20 + 16 + 2 * 32);
  const DeviceTrace from_dram = traced({{{1, 0}, "A", {trace_read(0, {0, 0}, 2'016)}}});
  CHECK(times_of(from_dram, hardware).span_cycles == 20 + 30 + 16 + 31 * 4 + 2);
}

TEST_CASE("a barrier ends once all before it is there, and what follows may be late with it") {
  const DeviceTrace trace =
      traced({{{0, 0},
               "A",
               {trace_read(0, {2, 0}), trace_event(TraceEventKind::other, 5),
                trace_event(TraceEventKind::read_barrier, 100), trace_read(110, {2, 0})}}});
  const TraceTimes recorded = times_of(trace);
  CHECK(recorded.span_cycles == 110 + 40);
  CHECK(recorded.barriers == 1);
  CHECK(recorded.programs[0].waited_cycles == 40 - 5);
  CHECK(recorded.programs[0].recorded_cycle == 110);
  CHECK(recorded.programs[0].end_cycle == 150);
  CHECK(times_of(trace, small_torus(), IssueTimes::shifted).span_cycles == 40 + 10 + 40);
  // One that the trace has before the read is there makes the next read late, whatever it says.
  const DeviceTrace early =
      traced({{{0, 0},
               "A",
               {trace_read(0, {2, 0}), trace_event(TraceEventKind::read_barrier, 20),
                trace_read(24, {2, 0})}}});
  CHECK(times_of(early).span_cycles == 40 + 40);
  CHECK(times_of(early, small_torus(), IssueTimes::shifted).span_cycles == 40 + 4 + 40);
}

TEST_CASE("writes go out and are answered, one by one or to a rectangle") {
  TraceEvent write = trace_read(0, {2, 0});
  write.kind = TraceEventKind::write;
  const TraceTimes alone =
      times_of(traced({{{0, 0}, "A", {write, trace_event(TraceEventKind::write_barrier, 1)}}}));
  CHECK(alone.span_cycles == 40);
  CHECK(alone.writes == 1);
  // A barrier of reads does not wait for it.
  const TraceTimes other = times_of(traced({{{0, 0},
                                             "A",
                                             {write, trace_event(TraceEventKind::read_barrier, 1),
                                              trace_event(TraceEventKind::full_barrier, 2)}}}));
  CHECK(other.span_cycles == 40);
  CHECK(other.programs[0].waited_cycles == 40);

  TraceEvent broadcast = trace_read(0, {1, 0});
  broadcast.kind = TraceEventKind::broadcast;
  broadcast.last = {2, 1};
  const TraceTimes several = times_of(traced({{{0, 0}, "A", {broadcast}}}));
  CHECK(several.span_cycles == 20 + 7 * 4 + 4);
  // Each link of the tree carries it once.
  CHECK(several.networks[0].busiest_link_bytes == 128);
  // Two of one tree: the second begins once the first has come to the last tile.
  const TraceTimes twice = times_of(traced({{{0, 0}, "A", {broadcast, broadcast}}}));
  CHECK(twice.span_cycles > several.span_cycles);
  CHECK(twice.span_cycles <= 2 * several.span_cycles);
}

TEST_CASE("however tiles read from one another, all of it comes") {
  std::mt19937 random(7);  // NOLINT: the same sequence everywhere
  for (const std::int64_t channels : {1, 2, 3}) {
    Hardware hardware = small_torus();
    hardware.noc->channels = channels;
    hardware.noc->buffer_flits = 2;
    std::vector<TraceProgram> programs;
    std::int64_t bytes = 0;
    for (std::int64_t tile = 0; tile < 12; ++tile) {
      TraceProgram program{{tile % 4, tile / 4}, "A", {}};
      for (int i = 0; i < 100; ++i) {
        const auto other = static_cast<std::int64_t>(random() % 12);
        const auto size = static_cast<std::int64_t>(1 + random() % 10'000);
        program.events.push_back(trace_read(i, {other % 4, other / 4}, size, random() % 2));
        if (random() % 4 == 0) program.events.back().kind = TraceEventKind::write;
        bytes += size;
      }
      program.events.push_back(trace_event(TraceEventKind::full_barrier, 100));
      programs.push_back(program);
    }
    const TraceTimes times = times_of(traced(programs), hardware);
    CHECK(times.barriers == 12);
    // All ends of both networks would be busy all the time, a flit of 32 bytes a cycle.
    CHECK(times.span_cycles > bytes / (std::int64_t{2} * 12 * 32));
    for (const ProgramTimes& program : times.programs) CHECK(program.end_cycle > 100);
    CHECK(times_of(traced(programs), hardware).span_cycles == times.span_cycles);
  }
}

TEST_CASE("what a machine lacks for a trace is named") {
  const auto complaint = [](const DeviceTrace& trace, const Hardware& hardware) {
    return test::complaint_of<RequestError>([&] { times_of(trace, hardware); });
  };
  const DeviceTrace trace = traced({{{0, 0}, "A", {trace_read(0, {2, 0})}}});
  Hardware without = small_torus();
  without.noc.reset();
  CHECK(complaint(trace, without).find("machine small has none") != std::string::npos);
  Hardware renamed = small_torus();
  renamed.noc->networks[1].name = "other";
  CHECK(complaint(trace, renamed) == "no network NOC_1 is on machine small: it has NOC_0 or other");
  CHECK(complaint(traced({{{0, 0}, "A", {trace_read(0, {4, 0})}}}), small_torus())
            .find("tile (4, 0) is beyond the 4x3 tiles") == 0);
}

}  // namespace
}  // namespace waferloom::sim
