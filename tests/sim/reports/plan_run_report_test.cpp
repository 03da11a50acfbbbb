#include <doctest/doctest.h>

#include "sim/report_json.h"
#include "tests/support/json_check.h"

namespace waferloom::sim {
namespace {

using test::check_json;

Workload workload() {
  Workload net;
  net.name = "net";
  net.tokens = 16;
  for (const char* name : {"a", "b", "c"}) net.operators.push_back({name, AddOperator{}, {}});
  return net;
}

StageWork work(const std::string& name, std::vector<std::size_t> operators) {
  return {name, std::move(operators), 1000, 2000, 3000, 0};
}

StageMemory memory_of(std::vector<OperatorMemory> operators) {
  StageMemory memory;
  memory.weights = 1;
  memory.gradients = 2;
  memory.optimizer_states = 4;
  memory.activations = 8;
  memory.working = 16;
  memory.in_flight = 32;
  memory.use = SramUse::weight_stream;
  memory.operators = std::move(operators);
  memory.update = {51, 52};
  return memory;
}

/// Two stages of 2 x 3 tiles: a and b on the first, c on the second.
PlannedPipeline planned() {
  PlannedPipeline planned;
  planned.plan.tensor = 2;
  planned.plan.data = 3;
  planned.plan.pipeline = 2;
  planned.plan.micro_batch = 5;
  planned.plan.micro_batches = 7;
  planned.cut.stages = {work("s0", {0, 1}), work("s1", {2})};
  planned.cut.sample_flop = 12345;
  planned.memory.stages = {memory_of({{0, SramUse::resident, {41, 42}, {43, 44}},
                                      {1, SramUse::input_stationary, {45, 46}, {47, 48}}}),
                           memory_of({{2, SramUse::resident, {}, {}}})};
  planned.memory.home = MemoryHome::tile;
  planned.memory.capacity = 999;
  planned.memory.fits = {true, true};
  planned.tiles = {{0, 1, 2, 3}, {4, 5, 3, 2}};
  planned.services.resize(2);
  StageService& first = planned.services[0];
  first.forward = 61;
  first.backward = 62;
  first.recompute = 63;
  first.tensor_exchange = 64;
  first.data_exchange = 65;
  first.update = 66;
  first.update_left = 67;
  return planned;
}

PlanReport found_plan() {
  PlanReport found;
  found.batch = 71;
  found.samples_per_s = 72.5;
  found.run.samples_per_s = 4.5;
  found.run.exchange_bytes = 8;
  found.run.exchange_bytes_apart = 9;
  found.ideal_samples_per_s = 73.5;
  found.bubble = 0.25;
  found.use = {12, 48, 0.5, 0.125};
  return found;
}

Json run_json(const PlanReport& found, const PlannedPipeline& planned, const Workload& workload,
              bool is_placed) {
  return described_report(PlannedRun{&found, &planned, &workload, is_placed}).json();
}

TEST_CASE("the report of a plan tells the plan, its speed and its memory") {
  Json report = run_json(found_plan(), planned(), workload(), false);
  CHECK(report["stages"].size() == 2);
  report.erase("stages");
  // 72.5 samples/s of 16 tokens.
  check_json(report, R"({"workload": "net", "tensor": 2, "data": 3, "pipeline": 2,
    "micro_batch": 5, "micro_batches": 7, "schedule": "1f1b", "layout": "s-shape",
    "groups": "contiguous", "collective": "ring", "degrees": {}, "recompute": "none",
    "optimizer": "adam", "zero": 0, "overlap": false, "data_type": "fp16", "leave_out": [],
    "batch_ps": 71, "samples_per_s": 72.5, "rate_of": "whole run", "micro_batches_per_s": 4.5,
    "tokens_per_s": 1160, "exchanges": {"network_bytes": 8, "apart_bytes": 9},
    "ideal_samples_per_s": 73.5,
    "bubble": 0.25, "use": {"plan_tiles": 12, "wafer_tiles": 48, "share_of_wafer": 0.25,
      "mfu_of_plan": 0.5, "mfu_of_wafer": 0.125}, "sample_flop": 12345,
    "memory": {"home": "tile memory", "capacity_bytes": 999, "fits": true}})");
}

TEST_CASE("the report of a plan names settings that are not the defaults") {
  PlannedPipeline other = planned();
  other.plan.schedule = Schedule::interleaved;
  other.plan.chunks = 4;
  other.plan.layout = StageLayout::line;
  other.plan.groups = GroupOrder::strided;
  other.plan.collective = CollectiveAlgorithm::tree;
  other.plan.recompute = Recompute::full;
  other.plan.optimizer = Optimizer::sgd;
  other.plan.zero = 2;
  other.plan.overlap = true;
  other.plan.data_type = "fp32";
  other.plan.leave_out = {"c"};
  other.memory.capacity.reset();
  other.memory.fits = {true, false};
  const Json report = run_json(found_plan(), other, workload(), false);
  CHECK(report["schedule"] == "interleaved:4");
  CHECK(report["layout"] == "line");
  CHECK(report["groups"] == "strided");
  CHECK(report["collective"] == "tree");
  CHECK(report["recompute"] == "full");
  CHECK(report["optimizer"] == "sgd");
  CHECK(report["zero"] == 2);
  CHECK(report["overlap"] == true);
  CHECK(report["data_type"] == "fp32");
  check_json(report["leave_out"], R"(["c"])");
  CHECK(report["memory"]["capacity_bytes"].is_null());
  CHECK(report["memory"]["fits"] == false);
  CHECK(report["stages"][0]["memory"]["fits"] == true);
  CHECK(report["stages"][1]["memory"]["fits"] == false);
}

TEST_CASE("the report of a plan has the ways in which operators are cut by name") {
  PlannedPipeline cut = planned();
  cut.plan.degrees["a"] = {6, 2, 3, 5};
  check_json(run_json(found_plan(), cut, workload(), false)["degrees"],
             R"({"a": {"batch": 6, "rows": 2, "out": 3, "in": 5}})");
}

TEST_CASE("a plan's layout is null where its stages lie as something else says") {
  CHECK(run_json(found_plan(), planned(), workload(), true)["layout"].is_null());
  PlannedPipeline bound = planned();
  bound.plan.stages = {{"b"}, {"c"}};
  CHECK(run_json(found_plan(), bound, workload(), false)["layout"] == "s-shape");
  bound.plan.stages[1].tiles = Rectangle{4, 5, 3, 2};
  CHECK(run_json(found_plan(), bound, workload(), false)["layout"].is_null());
}

TEST_CASE("the report of a plan has every figure of a stage") {
  const Json stages = run_json(found_plan(), planned(), workload(), false)["stages"];
  check_json(stages[0], R"({"name": "s0", "tensor": 2, "data": 3, "x": 0, "y": 1, "width": 2,
    "height": 3, "operators": ["a", "b"], "forward_flop": 1000, "backward_flop": 2000,
    "parameters": 3000, "forward_ps": 61, "backward_ps": 62, "recompute_ps": 63,
    "tensor_exchange_ps": 64, "data_exchange_ps": 65, "update_ps": 66, "update_left_ps": 67,
    "memory": {"weights_bytes": 1, "gradients_bytes": 2, "optimizer_bytes": 4,
      "activations_bytes": 8, "working_bytes": 16, "in_flight": 32, "total_bytes": 31,
      "fits": true, "sram_use": "weight stream",
      "operators": [
        {"name": "a", "use": "resident", "forward": {"read": 41, "written": 42},
         "backward": {"read": 43, "written": 44}},
        {"name": "b", "use": "input stationary", "forward": {"read": 45, "written": 46},
         "backward": {"read": 47, "written": 48}}],
      "update": {"read": 51, "written": 52}}})");
  CHECK(stages[1]["x"] == 4);
  check_json(stages[1]["operators"], R"(["c"])");
  CHECK(stages[1]["memory"]["operators"][0]["name"] == "c");
}

TEST_CASE("parts of an interleaved schedule share the tiles and the room of their stage") {
  PlannedPipeline parts = planned();
  parts.plan.schedule = Schedule::interleaved;
  parts.plan.chunks = 2;
  parts.cut.stages = {work("s0.0", {0}), work("s1.0", {1}), work("s0.1", {2}), work("s1.1", {})};
  parts.memory.stages.assign(4, memory_of({}));
  parts.memory.fits = {false, true};
  parts.services.resize(4);
  const Json stages = run_json(found_plan(), parts, workload(), false)["stages"];
  REQUIRE(stages.size() == 4);
  CHECK(stages[2]["x"] == 0);
  CHECK(stages[3]["x"] == 4);
  CHECK(stages[2]["memory"]["fits"] == false);
  CHECK(stages[3]["memory"]["fits"] == true);
}

}  // namespace
}  // namespace waferloom::sim
