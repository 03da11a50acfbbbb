#include <doctest/doctest.h>

#include "planner/serving.h"
#include "tests/support/json_check.h"

namespace waferloom::planner {
namespace {

using test::check_json;

ServingJob job() {
  ServingJob job;
  job.model.name = "large";
  job.model.layers = 80;
  job.system.name = "machine";
  job.options = {111, 222, 333};
  return job;
}

ServingPoint point(std::int64_t tensor, std::int64_t pipeline) {
  ServingPoint point;
  point.tensor = tensor;
  point.pipeline = pipeline;
  point.prefill = {1, 2, 4, 8};
  point.decode = {16, 32, 64, 128};
  point.prefill_ends = {3, 5, 7, 9};
  point.decode_ends = {2, 4, 6, 1};
  point.ttft_s = 0.25;
  point.prefill_tokens_per_s = 1000;
  point.tpot_s = 0.0125;
  point.decode_tokens_per_s = 80;
  point.memory_bytes = 3e9;
  return point;
}

TEST_CASE("serving's report has every figure of a point in its unit") {
  ServingFindings found;
  found.points = {point(16, 1), point(8, 2)};
  found.points[1].lacks = "hbm by 5 bytes";
  Json report = serving_report(job(), found, {"w"}).json();
  CHECK(report["points"].size() == 2);
  CHECK(report["points"][1]["tensor"] == 8);
  CHECK(report["points"][1]["fits"] == false);
  report["points"].erase(1);
  check_json(report, R"({"schema": "waferloom/serving/1", "workload": "large",
    "system": "machine", "layers": 80, "prompt": 111, "context": 222, "samples": 333,
    "operand_bytes": 2,
    "points": [{"tensor": 16, "pipeline": 1, "fits": true, "memory_bytes": 3e9, "ttft_s": 0.25,
      "prefill_tokens_per_s": 1000, "tpot_s": 0.0125, "decode_tokens_per_s": 80,
      "prefill_layer": {"compute_s": 1, "memory_s": 2, "serialization_s": 4, "latency_s": 8,
                        "total_s": 15},
      "decode_layer": {"compute_s": 16, "memory_s": 32, "serialization_s": 64, "latency_s": 128,
                       "total_s": 240},
      "prefill_ends": {"compute_s": 3, "memory_s": 5, "serialization_s": 7, "latency_s": 9,
                       "total_s": 24},
      "decode_ends": {"compute_s": 2, "memory_s": 4, "serialization_s": 6, "latency_s": 1,
                      "total_s": 13}}],
    "speculation": null, "areas": null, "warnings": ["w"]})");
}

TEST_CASE("serving's report has a row for each window of drafted tokens, from 1") {
  ServingJob drafted = job();
  drafted.draft.emplace();
  drafted.draft->model.name = "small";
  drafted.draft->speculation.acceptance = 0.75;
  ServingFindings found;
  found.windows = {{1.5, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
  check_json(serving_report(drafted, found, {}).json()["speculation"],
             R"({"draft": "small", "scheme": "sequence", "acceptance": 0.75, "windows": [
      {"window": 1, "tokens": 1.5, "draft_s": 2, "verify_s": 3, "tokens_per_s": 4, "speed_up": 5},
      {"window": 2, "tokens": 6, "draft_s": 7, "verify_s": 8, "tokens_per_s": 9,
       "speed_up": 10}]})");
  drafted.draft->speculation.scheme = SpeculationScheme::tree;
  CHECK(serving_report(drafted, found, {}).json()["speculation"]["scheme"] == "tree");
}

TEST_CASE("serving's report has the points of each memory and its best share") {
  ServingFindings found;
  found.areas = {{{"DDR", 100e9}, {{0.25, 256, 1, 2, 3, "compute"}, {0.5, 512, 4, 5, 6, "memory"}}},
                 {{"HBM", 1e12}, {{0.75, 1024, 7, 8, 9, "memory"}}}};
  found.areas[0].best = 1;
  check_json(serving_report(job(), found, {}).json()["areas"], R"([
    {"memory": "DDR", "bytes_per_s": 100e9, "best_share": 0.5, "points": [
      {"compute_share": 0.25, "flop_per_s": 2, "tensor": 256, "partitions": 3, "bound": "compute"},
      {"compute_share": 0.5, "flop_per_s": 5, "tensor": 512, "partitions": 6, "bound": "memory"}]},
    {"memory": "HBM", "bytes_per_s": 1e12, "best_share": 0.75, "points": [
      {"compute_share": 0.75, "flop_per_s": 8, "tensor": 1024, "partitions": 9,
       "bound": "memory"}]}])");
}

TEST_CASE("serving's table has milliseconds, gigabytes and the memory that lacks") {
  ServingFindings found;
  found.points = {point(16, 1), point(8, 2)};
  found.points[1].lacks = "hbm by 5 bytes";
  found.points[1].prefill_tokens_per_s = 1234.5678;
  CHECK(serving_table(found).csv() ==
        "TP,PP,TTFT ms,prefill tok/s,TPOT ms,decode tok/s,GB a chip,verdict\n"
        "16,1,250,1000,12.5,80,3,fits\n"
        "8,2,250,1235,12.5,80,3,lacks hbm\n");
}

/// 4 chips in a ring, each with a memory of 100 bytes/s and a peak of 1,000 FLOP/s.
ServingJob small_job() {
  ServingJob job;
  job.model.name = "large";
  job.model.layers = 4;
  job.model.layer = {8, 16, 4, 4, 64};
  job.system.chip.flop_per_s = 1000;
  job.system.chip.cores = 4;
  job.system.chip.sram_bytes = 1e6;
  job.system.memories = {{"ddr", 1e9, 100}};
  job.system.level_of.fill(1);
  job.system.dimensions = {{DimensionTopology::ring, 4, 50}};
  job.options = {8, 8, 1};
  return job;
}

TEST_CASE("a serving job drafts windows of 1 up to the draft's, on the first point's chips") {
  ServingJob job = small_job();
  ServingFindings found = run_serving_job(job, false);
  REQUIRE(!found.points.empty());
  CHECK(found.points.front().tensor == 4);
  CHECK(found.windows.empty());
  CHECK(found.areas.empty());
  job.draft = Draft{job.model, {}};
  job.draft->model.layers = 1;
  job.draft->speculation.window = 3;
  found = run_serving_job(job, false);
  REQUIRE(found.windows.size() == 3);
  for (std::int64_t window = 1; window <= 3; ++window) {
    Speculation speculation;
    speculation.window = window;
    const SpeculationTime expected = speculate({.target = job.model, .draft = job.draft->model},
                                               job.system, job.options, speculation, 4);
    const SpeculationTime& ours = found.windows[static_cast<std::size_t>(window - 1)];
    CHECK(ours.tokens == expected.tokens);
    CHECK(ours.tokens_per_s == expected.tokens_per_s);
    CHECK(ours.verify_s == expected.verify_s);
  }
}

}  // namespace
}  // namespace waferloom::planner
