#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "optimize/wafer_runs.h"
#include "tests/planner/wafer/small_serving.h"

namespace waferloom::optimize {
namespace {

/// A small model on a corner of a WSE-2, in every way.
AllWaysJob small_job() {
  constexpr std::int64_t kSide = 64;
  AllWaysJob job;
  job.ways.workload = test::small_model();
  job.ways.hardware = test::preset_hardware("wse2");
  job.ways.hardware.wafer = {kSide, kSide};
  std::erase_if(job.ways.hardware.host_ports,
                [](const EdgePort& port) { return port.position >= kSide; });
  job.ways.trains = false;
  Plan base;
  base.schedule = Schedule::inference;
  job.cut = planner::plan_space_of(job.ways.workload, job.ways.hardware, base, 8);
  return job;
}

const planner::WaferWay* way_of(const AllWays& all, const std::string& name) {
  const auto at = std::find_if(all.found.ways.begin(), all.found.ways.end(),
                               [&](const planner::WaferWay& way) { return way.way == name; });
  return at == all.found.ways.end() ? nullptr : &*at;
}

TEST_CASE("all ways stand side by side, the fastest first, the streamed step simulated") {
  const AllWaysJob job = small_job();
  const AllWays all = plan_all_ways(job, {});
  for (const char* way : {"pipeline", "streaming", "cut"}) {
    CAPTURE(way);
    CHECK(way_of(all, way) != nullptr);
  }
  for (std::size_t i = 0; i + 1 < all.found.ways.size(); ++i) {
    if (!all.found.ways[i + 1].is_possible()) break;
    CHECK(all.found.ways[i].samples_per_s >= all.found.ways[i + 1].samples_per_s);
  }
  REQUIRE(all.step);
  CHECK(way_of(all, "streaming")->latency_s == all.step->seconds(job.ways.hardware));
  const auto plan = best_whole_plan(job, all);
  REQUIRE(plan);
  CHECK((plan->way->way == "pipeline" || plan->way->way == "streaming"));
  CHECK(plan->text.find("\"" + plan->way->way + "\"") != std::string::npos);
}

TEST_CASE("a run without time leaves ways out, and says so of each") {
  const AllWaysJob job = small_job();
  std::atomic<bool> stop = true;
  RunControl control;
  control.stop = &stop;
  const AllWays all = plan_all_ways(job, control);
  CHECK_FALSE(all.best().is_possible());
  REQUIRE(way_of(all, "cut") != nullptr);
  const std::string& lacks = way_of(all, "cut")->lacks;
  CHECK(lacks == planner::left_out("cut", control).lacks);
  CHECK_FALSE(lacks.empty());
  CHECK(all.found.cut_by == CutReason::interrupted);
  CHECK_FALSE(best_whole_plan(job, all));
  CHECK(no_way_text(job, all).find("; cut: " + lacks) != std::string::npos);
}

}  // namespace
}  // namespace waferloom::optimize
