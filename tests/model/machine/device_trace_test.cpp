#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/mesh.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

DeviceTrace trace_of(const std::string& events) {
  return read_device_trace("[" + events + "]", "t.json");
}

std::string trace_complaint(const std::string& events) {
  return test::complaint_of([&] { trace_of(events); });
}

std::string traced_event(const std::string& type, int cycle, const std::string& more) {
  return R"({"proc": "BRISC", "noc": "NOC_1", "sx": 3, "sy": 4, "type": ")" + type +
         R"(", "timestamp": )" + std::to_string(cycle) + more + "}";
}

TEST_CASE("events of processors, in the order of time, from the first one on") {
  const DeviceTrace trace = trace_of(
      R"({"proc": "BRISC", "zone": "BRISC-KERNEL", "zone_phase": "begin", "sx": 3, "sy": 4,
          "timestamp": 1000},)" +
      traced_event("READ", 1100, R"(, "dx": 5, "dy": 11, "num_bytes": 2048, "vc": -1)") + "," +
      traced_event("READ_BARRIER_START", 1200, R"(, "dx": -1, "dy": -1, "num_bytes": 0)") + "," +
      traced_event("READ_BARRIER_END", 1300, "") + "," +
      traced_event("WRITE_", 1250, R"(, "dx": 0, "dy": 1, "num_bytes": 32)"));
  CHECK(trace.events == 5);
  CHECK(trace.cycles == 300);
  CHECK(trace.networks == std::vector<std::string>{"NOC_1"});
  REQUIRE(trace.programs.size() == 1);
  const TraceProgram& program = trace.programs[0];
  CHECK(program.tile == TilePlace{3, 4});
  CHECK(program.processor == "BRISC");
  REQUIRE(program.events.size() == 4);
  CHECK(program.events[0].kind == TraceEventKind::read);
  CHECK(program.events[0].tile == TilePlace{5, 11});
  CHECK(program.events[0].bytes == 2048);
  CHECK(program.events[0].cycle == 100);
  CHECK(program.events[1].kind == TraceEventKind::other);
  CHECK(program.events[2].kind == TraceEventKind::write);
  CHECK(program.events[3].kind == TraceEventKind::read_barrier);
}

TEST_CASE("states, broadcasts, and what moves nothing") {
  const DeviceTrace trace =
      trace_of(traced_event("READ_SET_STATE", 1, R"(, "dx": 5, "dy": 6, "num_bytes": 64)") + "," +
               traced_event("READ_WITH_STATE", 2, "") + "," +
               traced_event("WRITE_MULTICAST", 3,
                            R"(, "mcast_start_x": 4, "mcast_start_y": 9, "mcast_end_x": 1,
                      "mcast_end_y": 7, "num_bytes": 128)") +
               "," + traced_event("SEMAPHORE_INC", 4, "") + "," +
               traced_event("WRITE_FLUSH", 5, "") + "," + traced_event("FULL_BARRIER", 6, ""));
  const std::vector<TraceEvent>& events = trace.programs.at(0).events;
  REQUIRE(events.size() == 6);
  CHECK(events[0].kind == TraceEventKind::other);
  CHECK(events[1].kind == TraceEventKind::read);
  CHECK(events[1].tile == TilePlace{5, 6});
  CHECK(events[1].bytes == 64);
  CHECK(events[2].kind == TraceEventKind::broadcast);
  CHECK(events[2].tile == TilePlace{1, 7});
  CHECK(events[2].last == TilePlace{4, 9});
  CHECK(events[3].kind == TraceEventKind::other);
  CHECK(events[4].kind == TraceEventKind::other);
  CHECK(events[5].kind == TraceEventKind::full_barrier);
}

TEST_CASE("an array is a device trace, an object is none") {
  CHECK(is_device_trace(" \n[]"));
  CHECK(is_device_trace("\xEF\xBB\xBF[{}]"));
  CHECK_FALSE(is_device_trace(R"({"mesh": [4, 2], "messages": []})"));
  CHECK_FALSE(is_device_trace(""));
}

TEST_CASE("what is wrong with a trace is named with its place") {
  CHECK(trace_complaint("").empty());
  CHECK(trace_complaint("7").find("t.json:1:2: expected an event as an object") == 0);
  CHECK(trace_complaint(traced_event("READ", 1, R"(, "dx": 5, "dy": 6)")).find("num_bytes") !=
        std::string::npos);
  CHECK(trace_complaint(traced_event("READ", -1, "")).find("timestamp") != std::string::npos);
  CHECK(trace_complaint(traced_event("READ", 1, R"(, "dx": -1, "dy": 6, "num_bytes": 1)"))
            .find("dx") != std::string::npos);
  CHECK(trace_complaint(R"({"timestamp": 4})").find("type") != std::string::npos);
  CHECK(trace_complaint(R"({"timestamp": 4, "type": "READ"})").find("proc") != std::string::npos);
}

}  // namespace
}  // namespace waferloom
