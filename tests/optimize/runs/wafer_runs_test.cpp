#include "optimize/wafer_runs.h"

#include <doctest/doctest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

#include "model/errors.h"
#include "planner/wafer_serving.h"
#include "tests/planner/wafer/small_serving.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

using test::close_to;

/// A small model, served from 16 × 16 tiles.
struct Served {
  planner::WaferServingJob job;
  ResidentPlan plan;

  Served() {
    job.workload = test::small_model();
    job.hardware = test::serving_wafer(16, 16);
    job.prompt = 16;
    job.output = 8;
    plan = read_resident_plan(planner::resident_plan_text(job, planner::plan_wafer_serving(job)),
                              "plan.json");
  }
  ResidentRun run(const WaferRunOptions& options, const RunControl& control = {}) const {
    return simulate_resident_plan(plan, job.workload, job.hardware, options, control);
  }
};

TEST_CASE("a resident plan runs as its passes do, and is held against what was planned") {
  const Served served;
  const ResidentRun run = served.run({});
  CHECK(run.times.pass_cycles ==
        sim::run_resident_pass(run.pass, sim::NetworkKind::fair).pass_cycles);
  CHECK(
      static_cast<double>(run.times.pass_cycles) ==
      close_to(served.plan.tpot_s * static_cast<double>(served.job.hardware.clock_hz)).within(0.1));
  CHECK_FALSE(run.inside);
  CHECK_FALSE(run.trust.empty());
  const Report report = resident_run_report(served.plan, served.job.hardware, {}, run);
  CHECK(report.json()["schema"] == "waferloom/wafer_run/1");
  CHECK(report.json()["network"] == "fair");
  CHECK(report.json()["simulated"]["pass_cycles"] == run.times.pass_cycles);
  CHECK_FALSE(report.json().contains("inside"));
}

TEST_CASE("words of the widest product are moved where that is asked for") {
  const Served served;
  WaferRunOptions options;
  options.inside = true;
  const ResidentRun run = served.run(options);
  REQUIRE(run.inside);
  CHECK(run.inside->moved > 0);
  CHECK(static_cast<double>(run.inside->moved) == close_to(run.inside->closed_form).within(0.25));
  const Report report = resident_run_report(served.plan, served.job.hardware, options, run);
  CHECK(report.json()["inside"]["moved"] == run.inside->moved);
  std::atomic<bool> stop = true;
  RunControl control;
  control.stop = &stop;
  CHECK_THROWS_AS(served.run(options, control), RunCut);
}

planner::WaferStreamingJob streamed() {
  planner::WaferStreamingJob job;
  job.workload = test::small_model();
  job.hardware = test::preset_hardware("wse2");
  job.batch = 4;
  return job;
}

TEST_CASE("a streamed plan runs as its step does") {
  const planner::WaferStreamingJob job = streamed();
  const StreamedStep step = simulated_step(job, planner::plan_wafer_streaming(job), {});
  const StreamingPlan plan = planner::streaming_plan(job, step.found.best);
  const StreamingRun run = simulate_streaming_plan(plan, job.workload, job.hardware, {}, {});
  CHECK(run.times.step_cycles == close_to(step.times.step_cycles));
  CHECK(step.seconds(job.hardware) ==
        close_to(run.times.step_cycles / static_cast<double>(job.hardware.clock_hz)));
  const Report report = streaming_run_report(plan, job.hardware, {}, run);
  CHECK(report.json()["way"] == "streaming");
  Json planned = streamed_report(job, step).json()["simulated"];
  planned.erase("network");
  CHECK(report.json()["simulated"] == planned);
}

TEST_CASE("a streamed plan of another network is refused") {
  const planner::WaferStreamingJob job = streamed();
  const StreamingPlan plan = planner::streaming_plan(job, planner::plan_wafer_streaming(job).best);
  Workload other = job.workload;
  other.name = "other";
  CHECK_THROWS_AS(simulate_streaming_plan(plan, other, job.hardware, {}, {}), RequestError);
}

}  // namespace
}  // namespace waferloom::optimize
