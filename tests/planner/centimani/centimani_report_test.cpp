#include <doctest/doctest.h>

#include "planner/centimani.h"
#include "tests/support/json_check.h"

namespace waferloom::planner {
namespace {

using test::check_json;

/// SRAM of 1 MB, memories of 16 and 64 MB.
System machine_of_levels() {
  System system;
  system.name = "machine";
  system.chip.sram_bytes = 1e6;
  system.memories = {{"hbm", 16e6}, {"ddr", 64e6}};
  return system;
}

CentimaniOptions options() {
  CentimaniOptions options;
  options.chips = 12;
  options.stages = 3;
  options.learning = Learning::asynchronous;
  options.optimizer = Optimizer::sgd;
  options.compression = {8, 0.25, 16};
  return options;
}

/// Batches of 4, 8 and 16; the last one lacks the first memory behind the SRAM.
CentimaniResult result() {
  CentimaniResult found;
  found.choice.candidates = {{4, {1e5, 2e6, 3e6}, 40, {}},
                             {8, {2e5, 4e6, 6e6}, 80, {}},
                             {16, {4e5, 3.2e7, 12345678}, 160, ShortLevel{1, 3.2e7, 1.6e7}}};
  found.choice.best = 1;
  const BatchTime time{{{1, 2}, 4, 8, 16}, 0.25, 64, 7};
  found.times = {time, time, time};
  found.times[0].step_s = 0.125;
  found.times[0].samples_per_s = 96;
  found.times[2].samples_per_s = 12345.678;
  found.class_bytes = {11, 22, 33, 44, 55};
  return found;
}

TEST_CASE("centimani's report tells what was asked and the best batch") {
  Workload workload;
  workload.name = "net";
  Json report = centimani_report(workload, machine_of_levels(), options(), result()).json();
  report.erase("batches");
  check_json(report, R"({"schema": "waferloom/centimani/1", "workload": "net",
    "system": "machine", "chips": 12, "stages": 3, "replicas": 4, "learning": "async",
    "optimizer": "sgd", "compression": {"value_bits": 8, "density": 0.25, "index_bits": 16},
    "memory_bytes": {"sram": 1e6, "hbm": 16e6, "ddr": 64e6}, "best_batch": 8, "fastest_batch": 4,
    "class_bytes": {"io": 11, "weights": 22, "gradients": 33, "algorithm": 44, "ephemeral": 55}})");
}

TEST_CASE("centimani's report has a row a batch, fitting or not, in the order given") {
  const Json rows =
      centimani_report({}, machine_of_levels(), options(), result()).json()["batches"];
  REQUIRE(rows.size() == 3);
  check_json(rows[0], R"({"batch": 4, "level_bytes": {"sram": 1e5, "hbm": 2e6, "ddr": 3e6},
    "fits": true, "short_level": null, "objective": 40, "load_s": 1, "preprocess_s": 2,
    "compute_s": 4, "transfer_s": 8, "exchange_s": 16, "serial_s": 31, "step_s": 0.125,
    "samples_per_s": 96, "measured_operators": 7})");
  CHECK(rows[1]["batch"] == 8);
  CHECK(rows[1]["step_s"] == 0.25);
  CHECK(rows[2]["fits"] == false);
  CHECK(rows[2]["short_level"] == "hbm");
}

TEST_CASE("centimani's table has megabytes, milliseconds and four digits") {
  CHECK(batches_table(machine_of_levels(), result()).csv() ==
        "batch,sram MB,hbm MB,ddr MB,verdict,objective,step ms,samples/s\n"
        "4,0.1,2,3,fastest,40,125,96\n"
        "8,0.2,4,6,chosen,80,250,64\n"
        "16,0.4,32,12.35,lacks hbm,160,250,12346\n");
}

TEST_CASE("the fastest batch is one that fits, the last of equals, and may be the chosen one") {
  CentimaniResult found = result();
  CHECK(fastest_batch(found) == 0);            // the third does 12,345 samples/s and does not fit
  found.times[0].samples_per_s = 64.00000001;  // equal but for rounding
  CHECK(fastest_batch(found) == 1);
  CHECK(batches_table(machine_of_levels(), found).csv().find("8,0.2,4,6,\"chosen, fastest\",") !=
        std::string::npos);
}

TEST_CASE("centimani's table names no chosen and no fastest batch where none fits") {
  CentimaniResult none = result();
  none.choice.best.reset();
  for (BatchCandidate& candidate : none.choice.candidates) candidate.lacks = ShortLevel{};
  CHECK(!fastest_batch(none));
  const std::string table = batches_table(machine_of_levels(), none).csv();
  CHECK(table.find("chosen") == std::string::npos);
  CHECK(table.find("fastest") == std::string::npos);
}

}  // namespace
}  // namespace waferloom::planner
