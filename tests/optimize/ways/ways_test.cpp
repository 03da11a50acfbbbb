#include "optimize/ways.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "model/workload.h"
#include "tests/optimize/ways/way_of.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

WaysJob job_of(const std::string& network, std::int64_t columns, std::int64_t rows) {
  WaysJob job;
  job.workload = read_workload(*workload_preset(network), network);
  job.cut.operators = 0;  // no degrees: nothing is cut
  job.machine = preset_machine("wse2").value();
  test::keep_part(*job.machine.fabric, columns, rows);
  return job;
}

/// 200 x 150 tiles of which nothing is known but the peak, 4 multiply-adds a cycle, and the links.
Hardware plain_mesh(std::optional<std::int64_t> link_bytes_per_s) {
  Hardware hardware;
  hardware.name = "plain";
  hardware.wafer.width = 200;
  hardware.wafer.height = 150;
  hardware.clock_hz = 1'000'000'000;
  hardware.link = {link_bytes_per_s, 1'000};
  hardware.group_link = hardware.link;
  hardware.sram_bytes_per_tile = 48 << 10;
  hardware.peak_flop_per_s_per_tile["fp16"] = 8'000'000'000;
  hardware.host_ports = {{Direction::west, 3, link_bytes_per_s, 0, {}}};
  return hardware;
}

TEST_CASE("without cycles of tiles no way is above the roofline, and free links are no slower") {
  // A third of the model's multiply-adds are the head's, which of a prompt one token needs.
  WaysJob job{test::preset_workload("llama_68m"), test::machine_of(plain_mesh(400'000'000'000))};
  job.purpose = Purpose::infer;
  job.cut.operators = 0;  // no degrees: nothing is cut
  const Ways found = plan_all_ways(job);
  std::map<std::string, double> rates;
  for (const PlannedWay& way : found.ways) {
    if (!way.is_possible()) continue;
    CAPTURE(way.way);
    CHECK(way.samples_per_s <= found.roof_samples_per_s);
    CHECK(way.share_of_peak <= 1);
    rates[way.way] = way.samples_per_s;
  }
  CHECK(rates.size() >= 2);
  job.machine = test::machine_of(plain_mesh(std::nullopt));
  for (const PlannedWay& way : plan_all_ways(job).ways) {
    CAPTURE(way.way);
    if (rates.contains(way.way)) CHECK(way.samples_per_s >= rates[way.way]);
  }
}

TEST_CASE("a search that is stopped leaves out the ways that are not planned yet") {
  WaysJob job{test::preset_workload("llama_68m"), test::machine_of(plain_mesh(400'000'000'000))};
  job.purpose = Purpose::infer;
  // The flag goes up when the second way is told.
  std::atomic<bool> stop{false};
  RunControl control;
  control.stop = &stop;
  control.on_progress = [&](const ProgressNote& note) {
    if (note.text == "planning the way resident") stop = true;
  };
  const Ways found = plan_all_ways(job, control);
  REQUIRE(found.ways.size() == kWayNames.size());
  CHECK(way_of(found, "pipeline").is_possible());
  CHECK(way_of(found, "resident").lacks == "left out: a signal came first");
  CHECK(way_of(found, "streaming").lacks == "left out: a signal came first");
  CHECK(found.cut_by == CutReason::interrupted);
}

TEST_CASE(
    "[long] ways stand side by side, the most samples a second first, none above the roofline") {
  constexpr std::int64_t kColumns = 240;
  constexpr std::int64_t kRows = 250;
  for (const bool trains : {false, true}) {
    CAPTURE(trains);
    WaysJob job = job_of("llama_68m", kColumns, kRows);
    job.purpose = trains ? Purpose::train : Purpose::infer;
    const Ways found = plan_all_ways(job);
    REQUIRE(found.ways.size() == kWayNames.size());
    for (std::size_t i = 0; i < found.ways.size(); ++i) {
      const PlannedWay& way = found.ways[i];
      CAPTURE(way.way);
      if (!way.is_possible()) {
        CHECK((trains || way.way == "cut" || way.way == "chips"));
        continue;
      }
      // Two layers of 12.58 M multiply-adds a token, products and attention; the head's 24.58 M of
      // all tokens in training and in a pipeline, of a prompt's last one otherwise.
      const double layers = 2 * 2048.0 * (4 * 768 * 768 + 3 * 768 * 3072 + 2 * 2048 * 768);
      const double head = 768 * 32000.0;
      const double all = (layers + 2048 * head) / (layers + head);
      const double own = way.has_all_logits && !trains ? all : 1;
      CHECK(way.has_all_logits == (way.way == "pipeline"));
      CHECK(way.share_of_peak == close_to(own * way.samples_per_s / found.roof_samples_per_s));
      CHECK(way.share_of_peak < 0.5);  // an issue takes more than two cycles
      CHECK(way.tiles <= kColumns * kRows);
      // One sample at least is under way at any time.
      CHECK(way.latency_s * way.samples_per_s >= 1 - 1e-9);
      if (i > 0) CHECK(way.samples_per_s <= found.ways[i - 1].samples_per_s);
    }
    CHECK(found.pipeline->trains() == trains);
    CHECK(way_of(found, "resident").is_possible() == !trains);
    CHECK(way_of(found, "streaming").is_possible());
  }
}

TEST_CASE(
    "[long] a network without layers of a language model goes operator by operator, or not at "
    "all") {
  WaysJob job = job_of("resnet50", 200, 200);
  job.purpose = Purpose::infer;
  const Ways found = plan_all_ways(job);
  CHECK(found.ways.front().way == "pipeline");
  const PlannedWay& resident = way_of(found, "resident");
  CHECK(resident.how == "operator by operator");
  CHECK(resident.note.find("simulated on the fair network") != std::string::npos);
  CHECK_FALSE(resident.is_priced);
  // One stage: the first sample has to come in and go out besides.
  CHECK(resident.samples_per_s * resident.latency_s > 1);
  CHECK(resident.samples_per_s * resident.latency_s < 1.5);
  CHECK(way_of(found, "streaming").lacks.find("no layer of a language model") != std::string::npos);
}

TEST_CASE("a way that is added takes its place, and one that lacks something the last") {
  const WaysJob job = job_of("llama_68m", 100, 100);
  Ways ways;
  const auto add = [&](const std::string& name, double rate, const std::string& lacks) {
    PlannedWay way{name};
    way.samples_per_s = rate;
    way.lacks = lacks;
    add_way(ways, job, way);
  };
  add("slow", 1, "");
  add("none", 0, "memory");
  add("fast", 3, "");
  add("middle", 2, "");
  REQUIRE(ways.ways.size() == 4);
  CHECK(ways.ways[0].way == "fast");
  CHECK(ways.ways[1].way == "middle");
  CHECK(ways.ways[2].way == "slow");
  CHECK(ways.ways[3].way == "none");
  CHECK(ways.ways[0].share_of_peak == close_to(3 * ways.ways[2].share_of_peak));
}

TEST_CASE("ports that are the slowest bound let through one sample in their time") {
  Ways ways;
  CHECK(!ways.port_samples_per_s());
  ways.ports = {{"io", "port host 0, in", 0.25}, {"io", "port host 1, in", 0.5}};
  CHECK(ways.port_samples_per_s() == 2);
}

TEST_CASE("[long] more tiles never make the best way slower") {
  double before = 0;
  for (const std::int64_t side : {150, 180, 240}) {
    CAPTURE(side);
    WaysJob job = job_of("llama_68m", side, side);
    job.purpose = Purpose::infer;
    const Ways found = plan_all_ways(job);
    REQUIRE(found.ways.front().is_possible());
    CHECK(found.ways.front().samples_per_s >= before * (1 - 1e-12));
    before = found.ways.front().samples_per_s;
  }
}

}  // namespace
}  // namespace waferloom::optimize
