#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/errors.h"
#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"
#include "tests/sim/from_plan/palm_plan.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

using test::close_to;
using test::preset_hardware;
using test::preset_workload;

TEST_CASE("stages to be placed: rectangles with times, edges by bytes") {
  Hardware hardware = preset_hardware("palm_wafer");
  hardware.dram_ports.clear();
  const Problem problem = plan_problem(preset_workload("T-18B"), palm_plan(1), hardware);
  REQUIRE(problem.kernel_count() == 20);
  const std::vector<ShapeOption>& options = shape_options(problem.kernel(3));
  REQUIRE(options.size() == 2);  // 8 x 2 and 4 x 4
  CHECK(options[0].width == 8);
  CHECK(options[1].width == 4);
  // Replicas reduce over the border between two groups, or within a group.
  CHECK(options[0].time_millionths > options[1].time_millionths);
  REQUIRE(problem.connections().size() == 19);
  CHECK(problem.connections()[4].weight == Decimal6{Decimal6::kOne});
  Plan plan = palm_plan(1);
  plan.tensor = 17;
  plan.data = 19;
  CHECK_THROWS_WITH_AS(plan_problem(preset_workload("T-18B"), plan, hardware),
                       doctest::Contains("no rectangle of 323 tiles"), RequestError);
}

TEST_CASE("stages of a plan that keeps to a part of the mesh are placed there alone") {
  Hardware hardware = preset_hardware("palm_wafer");
  hardware.dram_ports.clear();
  const Workload workload = preset_workload("T-18B");
  Plan plan = palm_plan(1);
  const Wafer whole = plan_problem(workload, plan, hardware).wafer();
  plan.within = Rectangle{1, 2, whole.width - 3, whole.height - 2};
  const Wafer part = plan_problem(workload, plan, hardware).wafer();
  CHECK(usable_tiles(part) == (whole.width - 3) * (whole.height - 2));
  CHECK(is_clear(part, *plan.within));
  // Stages that lie elsewhere are refused, wherever they come from.
  const std::vector<Rectangle> tiles = lay_out_stages(palm_plan(1), hardware);
  CHECK_THROWS_WITH_AS(
      plan_pipeline(workload, plan, hardware, tiles, Contention::ignored, MemoryModel::ignored),
      "stage s0 does not lie within the part of the mesh that the plan keeps to", RequestError);
}

TEST_CASE("a problem of stages is called as its workload, in letters that a file can have") {
  Hardware hardware;
  hardware.wafer = {2, 2, {}};
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000;
  Workload workload;
  workload.operators = {{"a", LinearOperator{1, 8, 8, false}, {}}};
  const auto name = [&](const std::string& of) {
    workload.name = of;
    return plan_problem(workload, Plan{}, hardware).name();
  };
  CHECK(name("GPT-3.Az09") == "GPT-3.Az09");
  // The neighbours of a, z, A, Z, 0 and 9.
  CHECK(name("`{@[/:") == "______");
  CHECK(name("a b") == "a_b");
  CHECK(name("") == "workload");
}

TEST_CASE("times beyond a problem's range are in ten, a hundred, ... microseconds, all alike") {
  Hardware hardware = preset_hardware("palm_wafer");
  hardware.dram_ports.clear();
  const auto times = [&](std::int64_t slower) {
    for (auto& [type, rate] : hardware.peak_flop_per_s_per_tile) rate /= slower;
    for (LinkClass* link : {&hardware.link, &hardware.group_link}) {
      link->bytes_per_s = *link->bytes_per_s / slower;
      link->latency_ps *= slower;
    }
    const Problem problem = plan_problem(preset_workload("T-18B"), palm_plan(1), hardware);
    std::vector<double> all;
    for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
      for (const ShapeOption& option : shape_options(problem.kernel(i))) {
        all.push_back(static_cast<double>(option.time_millionths));
      }
    }
    return all;
  };
  const std::vector<double> plain = times(1);
  const std::vector<double> slow = times(1'000'000);
  double longest = 0;
  for (const double time : plain) longest = std::max(longest, 1'000'000 * time);
  double unit = 1;
  while (longest / unit > static_cast<double>(kMaxOptionTime)) unit *= 10;
  REQUIRE(unit > 1);
  REQUIRE(slow.size() == plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(slow[i] * unit == close_to(1'000'000 * plain[i]));
  }
}

TEST_CASE("interleaved stages to be placed have an edge back to the first, and no cycle") {
  Plan plan = palm_plan(20);
  plan.pipeline = 10;
  plan.schedule = Schedule::interleaved;
  plan.chunks = 2;
  const Problem problem =
      plan_problem(preset_workload("T-18B"), plan, preset_hardware("palm_wafer"));
  REQUIRE(problem.connections().size() == 10);
  const Decimal6 half{Decimal6::kOne / 2};
  for (const Connection& connection : problem.connections()) {
    // Two tensors from each to the next, one from the last to the first.
    const bool last = connection.consumer - connection.producer == 9;
    CHECK(connection.producer < connection.consumer);
    CHECK(connection.weight == (last ? half : Decimal6{Decimal6::kOne}));
  }
}

TEST_CASE("a stage to be placed bears its micro-batch's part of the update") {
  Hardware hardware = preset_hardware("palm_wafer");
  hardware.dram_ports.clear();
  const Workload workload = preset_workload("T-18B");
  const auto time = [&](std::int64_t micro_batches) {
    const Problem problem = plan_problem(workload, palm_plan(micro_batches), hardware);
    return shape_options(problem.kernel(3)).at(1).time_millionths;
  };
  const Mesh mesh(hardware);
  const PlanCut cut = cut_plan(workload, palm_plan(1), hardware);
  const Plan plan = palm_plan(1);
  const StageWork& work = cut.stages.at(3);
  const StageSums sums(plan, hardware, mesh, {0, 0, 4, 4}, Contention::simulated,
                       cuts_in(workload, plan, work));
  const StageService service = stage_service(workload, plan, hardware, work, sums);
  REQUIRE(service.update > 0);
  CHECK(time(1) == service.forward + service.backward + service.update);
  CHECK(time(10) == service.forward + service.backward + service.update / 10);
}

TEST_CASE("what streams keeps a stage to be placed at the pace of the busiest port or link") {
  // Two stages of two tiles, beside or above one another, and all their memory behind one port.
  Hardware hardware;
  hardware.wafer = {4, 2, {}};
  hardware.element_bytes = 2;
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000'000'000;
  hardware.sram_bytes_per_tile = 1'000;
  hardware.link.bytes_per_s = 8'000'000'000;
  hardware.dram_ports = {{Direction::west, 0, 1'000'000'000, 0, {}}};
  hardware.host_ports = {{Direction::west, 1, 1'000'000'000, 0, {}}};
  Workload workload;
  workload.name = "two";
  workload.operators = {{"a", LinearOperator{1, 1'000, 1'000, false}, {}},
                        {"b", LinearOperator{1, 1'000, 1'000, false}, {0}}};
  Plan plan;
  plan.tensor = 2;
  plan.pipeline = 2;
  plan.schedule = Schedule::inference;
  const auto time = [&] {
    return shape_options(plan_problem(workload, plan, hardware).kernel(0)).at(0).time_millionths;
  };
  const PlanCut cut = cut_plan(workload, plan, hardware);
  const PlanMemory memory = plan_memory(workload, plan, hardware, cut);
  REQUIRE(memory.stages.at(0).forward.read == memory.stages.at(1).forward.read);
  const std::int64_t bytes = memory.stages.at(0).forward.read;
  CHECK(bytes >= 2'000'000);           // weights at least once
  CHECK(time() == 2 * bytes * 1'000);  // 1 GB/s: a byte a nanosecond
  hardware.dram_ports[0].bytes_per_s = 1'000'000'000'000;
  CHECK(time() < 2 * bytes * 1'000 / 4);  // now the links
  CHECK(shape_options(plan_problem(workload, plan, hardware, MemoryModel::ignored).kernel(0))
            .at(0)
            .time_millionths < bytes);
  hardware.dram_ports.clear();
  CHECK(time() < bytes);
}

TEST_CASE("tiles that a plan binds a stage to are its shape and place, if nothing there is dead") {
  Hardware hardware;
  hardware.wafer = {4, 4, {{3, 3, 1, 1}}};
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000;
  Workload workload;
  workload.operators = {{"a", LinearOperator{4, 8, 8, false}, {}}};
  Plan plan;
  plan.tensor = 4;
  plan.stages = {{.to = "a", .tiles = Rectangle{1, 0, 2, 2}}};
  const Problem problem = plan_problem(workload, plan, hardware);
  const std::vector<ShapeOption>& options = shape_options(problem.kernel(0));
  REQUIRE(options.size() == 1);
  CHECK(options[0].width == 2);
  CHECK(options[0].height == 2);
  plan.stages[0].tiles = Rectangle{2, 2, 2, 2};
  CHECK_THROWS_WITH_AS(plan_problem(workload, plan, hardware),
                       doctest::Contains("needs tile (3, 3)"), InfeasibleError);
}

TEST_CASE("stages tell their operators and the bytes between them") {
  // Three operators of 8 inputs and outputs, two bytes each: 16 bytes a sample go on, and in
  // training as many come back as gradients.
  Hardware hardware;
  hardware.wafer = {4, 2, {}};
  hardware.peak_flop_per_s_per_tile["fp16"] = 1'000'000'000;
  Workload workload;
  workload.operators = {{"a", LinearOperator{1, 8, 8, false}, {}},
                        {"b", LinearOperator{1, 8, 8, false}, {0}},
                        {"c", LinearOperator{1, 8, 8, false}, {1}}};
  Plan plan;
  plan.pipeline = 3;
  plan.schedule = Schedule::inference;
  const PlanStages stages = plan_stages(workload, plan, hardware);
  CHECK(stages.operators == std::vector<std::vector<std::size_t>>{{0}, {1}, {2}});
  CHECK(stages.connection_bytes == std::vector<std::int64_t>{16, 16});
  CHECK(stages.connection_tensors ==
        std::vector<std::vector<std::string>>{{"s0 -> s1"}, {"s1 -> s2"}});
  CHECK(stages.time_unit_us == 1);
  CHECK(stages.problem.kernel_count() == 3);
}

TEST_CASE("stages that have their places take these shapes alone, wherever they lie") {
  const Hardware hardware = preset_hardware("palm_wafer");
  const Workload workload = preset_workload("T-18B");
  Plan plan = palm_plan(1);
  const Problem free = plan_problem(workload, plan, hardware);
  std::vector<Rectangle> places(20, Rectangle{-3, 2, 2, 8});
  places[3] = {0, 0, 4, 4};
  const Problem problem =
      plan_stages(workload, plan, hardware, MemoryModel::simulated, places).problem;
  CHECK(problem.constraints().empty());
  for (KernelIndex i = 0; i < 20; ++i) {
    const std::vector<ShapeOption>& options = shape_options(problem.kernel(i));
    REQUIRE(options.size() == 1);
    CHECK(options[0].width == places[i].width);
    CHECK(options[0].height == places[i].height);
  }
  // 4 x 4 is the second of the shapes that a placer may choose from, and takes as long.
  CHECK(shape_options(problem.kernel(3))[0].time_millionths ==
        shape_options(free.kernel(3))[1].time_millionths);
  places[3].width = 5;
  CHECK_THROWS_WITH_AS(plan_stages(workload, plan, hardware, MemoryModel::simulated, places),
                       "s3 has 5 x 4 tiles, expected tensor times data, 16", RequestError);
  places.pop_back();
  CHECK_THROWS_WITH_AS(plan_stages(workload, plan, hardware, MemoryModel::simulated, places),
                       "expected 20 stages, found 19", RequestError);
}

}  // namespace
}  // namespace waferloom::sim
