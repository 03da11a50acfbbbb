#include "sim/plan_run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/report.h"
#include "sim/plan_pipeline.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

PlannedPipeline cut_bert(const Plan& plan, const Hardware& hardware) {
  return plan_pipeline(test::preset_workload("bert_base"), plan, hardware,
                       lay_out_stages(plan, hardware), Contention::simulated);
}

Plan trained() {
  Plan plan;
  plan.tensor = 2;
  plan.data = 2;
  plan.pipeline = 3;
  plan.micro_batches = 4;
  plan.overlap = true;
  return plan;
}

Plan stream() {
  Plan plan;
  plan.tensor = 4;
  plan.pipeline = 4;
  plan.micro_batches = samples_of_stream(4);
  plan.schedule = Schedule::inference;
  return plan;
}

void check_alike(const PlanReport& found, const PlanReport& whole) {
  CHECK(found.batch == whole.batch);
  CHECK(found.samples_per_s == whole.samples_per_s);
  CHECK(found.rate_of == whole.rate_of);
  CHECK(found.bubble == whole.bubble);
  CHECK(found.run.work == whole.run.work);
  CHECK(found.run.events == whole.run.events);
  CHECK(found.run.makespan == whole.run.makespan);
  CHECK(found.run.whole_time == whole.run.whole_time);
  CHECK(found.run.bound_by == whole.run.bound_by);
  CHECK(found.run.link_bytes == whole.run.link_bytes);
  REQUIRE(found.run.stages.size() == whole.run.stages.size());
  for (std::size_t i = 0; i < whole.run.stages.size(); ++i) {
    CHECK(found.run.stages[i].compute == whole.run.stages[i].compute);
    CHECK(found.run.stages[i].idle == whole.run.stages[i].idle);
  }
}

TEST_CASE("a run that stops again and again ends as one that never did") {
  const Hardware hardware = test::preset_hardware("palm_wafer");
  for (const Plan& plan : {trained(), stream()}) {
    CAPTURE(schedule_text(plan));
    const PlannedPipeline planned = cut_bert(plan, hardware);
    const PlanReport whole = simulate_plan(planned, hardware, {});
    REQUIRE(whole.run.work > 100);
    for (const std::uint64_t parts : {2U, 7U, 40U}) {
      CAPTURE(parts);
      PlanRun run(planned, hardware, {});
      std::uint64_t most = 0;
      std::int64_t stops = 0;
      Picoseconds until = 0;
      PlanReport found;
      do {
        most += std::max<std::uint64_t>(1, whole.run.work / parts);
        found = run.go_on(most, {});
        if (!found.run.stopped_by_work) break;
        ++stops;
        CHECK(found.run.stopped);
        CHECK(found.run.work > most);
        CHECK(found.run.work <= whole.run.work);
        CHECK(found.run.whole_time >= until);
        until = found.run.whole_time;
      } while (most < 2 * whole.run.work);
      CHECK(stops > 0);
      check_alike(found, whole);
    }
  }
}

TEST_CASE("a run that is cut by its control says so, and goes on when it is asked again") {
  const Hardware hardware = test::preset_hardware("palm_wafer");
  const PlannedPipeline planned = cut_bert(trained(), hardware);
  PlanRun run(planned, hardware, {});
  RunControl cut;
  cut.asked = [] { return true; };
  const PlanReport first = run.go_on({}, cut);
  CHECK(first.run.stopped);
  CHECK_FALSE(first.run.stopped_by_work);
  check_alike(run.go_on({}, {}), simulate_plan(planned, hardware, {}));
}

}  // namespace
}  // namespace waferloom::sim
