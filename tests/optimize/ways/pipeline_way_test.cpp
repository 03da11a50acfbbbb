#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "model/placement.h"
#include "optimize/ways.h"
#include "planner/wafer_pipeline.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

/// Products whose weights fill from one to a few tiles each.
Workload uneven_layers() {
  Workload workload;
  workload.name = "uneven";
  std::int64_t width = 512;
  for (const std::int64_t next : {512, 1'024, 768, 1'280, 256, 1'024, 640}) {
    const std::size_t at = workload.operators.size();
    Operator layer{"l" + std::to_string(at), LinearOperator{16, width, next, false}, {}};
    if (at > 0) layer.after = {at - 1};
    workload.operators.push_back(layer);
    width = next;
  }
  return workload;
}

Hardware mesh_of(std::int64_t columns, std::int64_t rows) {
  Hardware hardware = test::preset_hardware("wse2");
  test::keep_part(hardware, columns, rows);
  hardware.sram_bytes_per_tile = 1 << 20;
  return hardware;
}

TEST_CASE("a pipeline takes as many tiles as the placer finds room for, whatever its replicas") {
  const Workload workload = uneven_layers();
  SearchControl control;
  control.effort = kPlacingEffort;
  int whole = 0;
  int others = 0;
  int less = 0;
  for (std::int64_t columns = 5; columns <= 8; ++columns) {
    for (std::int64_t rows = 4; rows <= 7; ++rows) {
      CAPTURE(columns);
      CAPTURE(rows);
      const Hardware hardware = mesh_of(columns, rows);
      planner::PipelinePlanner planner(workload, hardware);
      planner::PipelineOptions options;
      options.fill = 1;
      const planner::WaferPipeline first = planner.plan(options);
      const PlacedPipeline placed =
          place_wafer_pipeline(planner, {workload, hardware, options, first}, control);
      if (!placed.placement) continue;
      const std::vector<Rectangle> tiles = rectangles(*placed.problem, *placed.placement);
      std::int64_t taken = 0;
      for (const Rectangle& stage : tiles) {
        taken += stage.width * stage.height;
        CHECK(contains({0, 0, columns, rows}, stage));
        CHECK(std::count_if(tiles.begin(), tiles.end(), [&](const Rectangle& other) {
                return overlap(stage, other);
              }) == 1);  // itself
      }
      CHECK(taken >= placed.pipeline.tiles());
      CHECK(placed.pipeline.samples_per_cycle() <= first.samples_per_cycle());
      if (placed.options.fill == options.fill && placed.pipeline.replicas == first.replicas) {
        CHECK(placed.pipeline.period_cycles == first.period_cycles);
        ++whole;
        continue;
      }
      // Other numbers of replicas are taken where they promise more than fewer tiles do.
      if (placed.options.fill == options.fill) {
        options.fill -= 0.04;
        CHECK(placed.pipeline.samples_per_cycle() > planner.plan(options).samples_per_cycle());
        ++others;
        continue;
      }
      ++less;
      // The share before had no room.
      options.fill = placed.options.fill + 0.04;
      PlacedPipeline before = place_wafer_pipeline(
          planner, {workload, hardware, options, planner.plan(options)}, control);
      CHECK(before.options.fill == close_to(placed.options.fill));
    }
  }
  CHECK(whole > 0);
  CHECK(others > 0);
  CHECK(less > 0);
}

TEST_CASE("a way of a pipeline that was placed is simulated, at the pace of its plan") {
  WaysJob job{uneven_layers(), test::machine_of(mesh_of(8, 7))};
  job.purpose = Purpose::infer;
  job.cut.operators = 0;  // no degrees: nothing is cut
  const Ways found = plan_all_ways(job);
  const auto way = std::find_if(found.ways.begin(), found.ways.end(),
                                [](const PlannedWay& row) { return row.way == "pipeline"; });
  REQUIRE(way != found.ways.end());
  CHECK(way->note == "planned, placed and simulated on the fair network");
  const double planned =
      found.pipeline->samples_per_cycle() * static_cast<double>(job.machine.fabric->clock_hz);
  CHECK(way->samples_per_s == close_to(planned).within(0.1));
  REQUIRE(way->bottleneck.has_value());
}

TEST_CASE("a pipeline that trains is simulated as a batch, at the pace of its plan") {
  WaysJob job{uneven_layers(), test::machine_of(mesh_of(24, 21))};
  job.cut.operators = 0;  // no degrees: nothing is cut
  job.batch = 480;
  const Ways found = plan_all_ways(job);
  const PlannedWay& way = found.best();
  REQUIRE(way.way == "pipeline");
  CHECK(way.note == "planned, placed and simulated on the fair network");
  CHECK(found.pipeline->batch == 480);
  const double planned =
      found.pipeline->samples_per_cycle() * static_cast<double>(job.machine.fabric->clock_hz);
  CHECK(way.samples_per_s == close_to(planned).within(0.1));
  const auto plan = best_whole_plan(job, found);
  REQUIRE(plan.has_value());
  CHECK(read_pipeline_plan(plan->text, "plan").batch == 480);
  // Another optimizer keeps less, and is never slower before weights are changed.
  const auto until_update = [](const planner::WaferPipeline& pipeline) {
    const auto filled = static_cast<std::int64_t>(pipeline.stages.size()) - 1;
    return (pipeline.batch_of_replica() + filled) * pipeline.period_cycles;
  };
  job.cut.base.optimizer = Optimizer::sgd;
  CHECK(until_update(*plan_all_ways(job).pipeline) <= until_update(*found.pipeline));
}

TEST_CASE("a way that is more than a hundred times slower than the best is not simulated") {
  WaysJob job{test::preset_workload("llama_68m"), *preset_machine("wse2")};
  job.purpose = Purpose::infer;
  job.cut.operators = 0;
  Hardware& hardware = *job.machine.fabric;
  test::keep_part(hardware, 80, 60);
  hardware.host_bytes_per_s = 200'000;  // streams of weights are slow, tokens are small
  for (EdgePort& port : hardware.host_ports) port.bytes_per_s = 100'000;
  const Ways found = plan_all_ways(job);
  REQUIRE(found.best().way != "streaming");
  const auto slow = std::find_if(found.ways.begin(), found.ways.end(),
                                 [](const PlannedWay& row) { return row.way == "streaming"; });
  REQUIRE(slow != found.ways.end());
  REQUIRE(slow->is_possible());
  CHECK(100 * slow->samples_per_s < found.best().samples_per_s);
  CHECK(slow->note.find("more than 100 times faster") != std::string::npos);
  CHECK_FALSE(found.step.has_value());
}

}  // namespace
}  // namespace waferloom::optimize
