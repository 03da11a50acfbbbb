#include <doctest/doctest.h>

#include "sim/report_json.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/json_check.h"

namespace waferloom::sim {
namespace {

using test::check_json;

ThroughputReport found_run() {
  ThroughputReport found;
  found.samples = 1000;
  found.simulated = 40;
  found.steady = true;
  found.rate_of = RateOf::steady_state;
  found.period_samples = 3;
  found.period = 600;
  found.samples_per_s = 5130.123456789;
  found.first_sample = 700;
  found.makespan = 9000;
  found.simulated_time = 8000;
  found.whole_time = 8000;
  found.bound = Bound::dram;
  found.bound_by = "port w3";
  found.buffer_bytes = 77;
  found.events = 88;
  return found;
}

Json report_of(const ThroughputReport& found, const Hardware& hardware = small_fabric(2, 3),
               const SimulateOptions& options = {}, bool training = false) {
  return simulation_report(found, {hardware, options, training}, {}).json();
}

TEST_CASE("simulate's report tells what was run, how fast it is and what bounds it") {
  Hardware hardware = small_fabric(2, 3);
  hardware.name = "wafer";
  SimulateOptions options;
  options.network = NetworkKind::packet;
  options.routing = Routing::yx;
  Json report = report_of(found_run(), hardware, options, true);
  CHECK(!report["assumptions"].empty());
  report.erase("assumptions");
  // Rates have six significant digits.
  check_json(report, R"({"schema": "waferloom/simulate/1", "hardware": "wafer",
    "network": "packet", "routing": "yx", "training": true, "samples": 1000,
    "simulated_samples": 40, "extrapolated": true, "steady": true, "period_ps": 600,
    "period_samples": 3, "samples_per_s": 5130.12, "rate_of": "steady state", "first_sample_ps": 700, "makespan_ps": 9000,
    "simulated_time_ps": 8000, "bound": "dram", "bound_by": "port w3",
    "bottleneck": null, "resources": [],
    "stages": [], "links": [], "ports": [], "flows": [], "buffer_bytes": 77, "events": 88,
    "rate_error": null, "speed": null, "warnings": []})");
}

TEST_CASE("a run of micro-batches is told in samples of the workload") {
  ThroughputReport run = found_run();
  run.resources = {{"compute s0", 17, 0.5}, {"link", 18, 0.5}};
  run.bottleneck = Bottleneck{"a sample", {"compute", "stage s0", 8e-12}, {{"link", "a", 6e-12}}};
  const Hardware hardware = small_fabric(2, 3);
  const SimulateOptions options;
  const Json report =
      simulation_report(run, {hardware, options, false, "", 4, 321.5, RateOf::whole_run}, {})
          .json();
  // Four samples each; 17 / 4 = 4.25 and 18 / 4 = 4.5 picoseconds of a sample.
  CHECK(report["samples"] == 4000);
  CHECK(report["simulated_samples"] == 160);
  CHECK(report["extrapolated"] == true);
  CHECK(report["period_samples"] == 12);
  CHECK(report["period_ps"] == 600);
  CHECK(report["samples_per_s"] == 321.5);
  CHECK(report["rate_of"] == "whole run");
  CHECK(report["resources"][0]["busy_per_sample_ps"] == 4);
  CHECK(report["resources"][1]["busy_per_sample_ps"] == 5);
  CHECK(report["bottleneck"]["seconds"] == 2e-12);
  CHECK(report["bottleneck"]["next"]["seconds"] == 1.5e-12);
  CHECK(report["bottleneck"]["next"]["percent_less"] == 25);
}

TEST_CASE("a run is extrapolated where it simulated fewer samples than were asked for") {
  ThroughputReport run = found_run();
  run.simulated = 999;
  CHECK(report_of(run)["extrapolated"] == true);
  run.simulated = 1000;
  CHECK(report_of(run)["extrapolated"] == false);
  CHECK(report_of(run)["training"] == false);
}

TEST_CASE("a stage's parts are in picoseconds, and in per cent of their sum") {
  ThroughputReport run = found_run();
  run.stages = {{"s0", 100, 50, 25, 20, 5}, {"s1"}};
  check_json(report_of(run)["stages"], R"([
    {"name": "s0", "compute_ps": 100, "communication_ps": 50, "edge_ps": 25, "stalled_ps": 20,
     "idle_ps": 5, "compute_percent": 50, "communication_percent": 25, "edge_percent": 12.5,
     "stalled_percent": 10, "idle_percent": 2.5},
    {"name": "s1", "compute_ps": 0, "communication_ps": 0, "edge_ps": 0, "stalled_ps": 0,
     "idle_ps": 0, "compute_percent": 0, "communication_percent": 0, "edge_percent": 0,
     "stalled_percent": 0, "idle_percent": 0}])");
  // Percentages are in full: a third is not rounded to six digits.
  run.stages = {{"s0", 1, 2}};
  CHECK(report_of(run)["stages"][0]["compute_percent"].get<double>() == 100.0 * 1 / 3);
}

TEST_CASE("links, ports, flows and resources are told one by one, shares in six digits") {
  ThroughputReport run = found_run();
  run.resources = {{"compute s0", 11, 0.1234567}, {"link", 12, 0.5}};
  run.links = {{3, 4, "west", 55, 0.7654321}, {1, 2, "north", 44, 0.25}};
  run.ports = {
      {"w0", 60, 6, 0.3333333, 7, 8, 9}, {"e1", 10, 0, 0.5, 11, 12, 11}, {"n2", 0, 1, 0, 2, 3, {}}};
  run.flows = {{"s0 > s1", 21, 22}, {"s1 > s2", 31, 32}};
  const Json report = report_of(run);
  check_json(report["resources"], R"([
    {"name": "compute s0", "busy_per_sample_ps": 11, "busy": 0.123457},
    {"name": "link", "busy_per_sample_ps": 12, "busy": 0.5}])");
  check_json(report["links"], R"([
    {"x": 3, "y": 4, "direction": "west", "bytes": 55, "busy": 0.765432},
    {"x": 1, "y": 2, "direction": "north", "bytes": 44, "busy": 0.25}])");
  check_json(report["ports"], R"([
    {"name": "w0", "bytes": 66, "bytes_in": 60, "bytes_out": 6, "busy": 0.333333, "waited_ps": 7, "held_bytes": 8,
     "capacity_bytes": 9, "fits": true},
    {"name": "e1", "bytes": 10, "bytes_in": 10, "bytes_out": 0, "busy": 0.5, "waited_ps": 11, "held_bytes": 12,
     "capacity_bytes": 11, "fits": false},
    {"name": "n2", "bytes": 1, "bytes_in": 0, "bytes_out": 1, "busy": 0, "waited_ps": 2, "held_bytes": 3,
     "capacity_bytes": null, "fits": true}])");
  check_json(report["flows"], R"([{"name": "s0 > s1", "bytes": 21, "mean_ps": 22},
                                  {"name": "s1 > s2", "bytes": 31, "mean_ps": 32}])");
}

TEST_CASE("a port has room for exactly its capacity") {
  PortUse port;
  port.held_bytes = 10;
  port.capacity_bytes = 10;
  CHECK(port.fits());
  port.capacity_bytes = 9;
  CHECK_FALSE(port.fits());
}

TEST_CASE("assumptions are the hardware's figures with their sources, as JSON values") {
  Hardware hardware = small_fabric(2, 3);
  hardware.link.latency_ps = 1234;
  hardware.sources = {{"link.latency_ps", "a paper"}};
  const Json rows = report_of(found_run(), hardware)["assumptions"];
  std::size_t seen = 0;
  for (const Json& row : rows) {
    CHECK(row.size() == 3);
    if (row["key"] != "link.latency_ps") continue;
    ++seen;
    check_json(row, R"({"key": "link.latency_ps", "value": 1234, "source": "a paper"})");
  }
  CHECK(seen == 1);
}

TEST_CASE("the error of rates has its four figures, and is null where rates are exact") {
  CHECK(report_of(found_run())["rate_error"].is_null());
  check_json(described_report(RateError{0.001, 12, 3, 0.123456789}).json(),
             R"({"tolerance": 0.001, "settles": 12, "cut": 3, "largest_pending": 0.123457})");
  ThroughputReport run = found_run();
  run.rate_error = RateError{0.5, 1, 2, 0.25};
  CHECK(report_of(run)["rate_error"]["settles"] == 1);
}

TEST_CASE("the program's own speed is in milliseconds and six digits") {
  const Hardware hardware = small_fabric(2, 3);
  const SimulateOptions options;
  const SimulationExtras extras{{}, SimulationSpeed{1.23456, 7654321.9, 4096}, {"slow"}};
  const Json report = simulation_report(found_run(), {hardware, options}, extras).json();
  check_json(report["speed"],
             R"({"wall_s": 1.235, "events_per_s": 7654320, "peak_memory_bytes": 4096})");
  check_json(report["warnings"], R"(["slow"])");
}

TEST_CASE("the CSV of links has a line for each that carried something, by index") {
  // 2 x 3 tiles; a byte takes 1,000 ps, of 8,000. Link 4 (2 y + x) + direction.
  ThroughputReport run = found_run();
  run.link_bytes.assign(24, 0);
  run.link_bytes[2] = 4;   // (0, 0), north
  run.link_bytes[5] = 2;   // (1, 0), west
  run.link_bytes[20] = 1;  // (1, 2), off the mesh, east
  CHECK(links_csv(run, small_fabric(2, 3)) ==
        "x,y,direction,bytes,busy\n"
        "0,0,north,4,0.5\n"
        "1,0,west,2,0.25\n"
        "1,2,east,1,0.125\n");
  // Without any time, no share of it is divided by 0.
  run.whole_time = 0;
  CHECK(links_csv(run, small_fabric(2, 3)).find("0,0,north,4,4000\n") != std::string::npos);
  // Without contention no link is ever short: there is no share to tell.
  run.links_shared = false;
  CHECK(links_csv(run, small_fabric(2, 3)).find("0,0,north,4,\n") != std::string::npos);
  CHECK(link_busy(run, small_fabric(2, 3))[2] == 1);
  CHECK(link_busy(run, small_fabric(2, 3))[5] == 0.5);
}

}  // namespace
}  // namespace waferloom::sim
