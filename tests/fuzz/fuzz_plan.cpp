// Any bytes are a workload, a plan or placed stages, or an InputError with printable text;
// workloads and plans run on a small mesh, or are refused in a sentence.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/fuzz/demand.h"

using waferloom::fuzz::demand;
using waferloom::fuzz::try_to;

namespace {

using namespace waferloom;
using namespace waferloom::sim;

constexpr std::int64_t kMostMicroBatches = 100;
constexpr std::size_t kMostOperatorsRun = 300;

const Hardware& wafer() {
  static const Hardware hardware = fabric_of(*preset_machine("palm_wafer"));
  return hardware;
}

const Workload& network() {
  static const Workload workload = read_workload(*workload_preset("resnet50"), "resnet50");
  return workload;
}

void run(const Workload& workload, const Plan& plan) {
  if (plan.micro_batches > kMostMicroBatches) return;
  if (workload.operators.size() > kMostOperatorsRun) return;
  int questions = 0;
  sim::SimulateOptions options;
  options.control.asked = [&] { return ++questions > 200; };
  try {
    sim::plan_problem(workload, plan, wafer());
    const sim::PlannedPipeline planned = sim::plan_pipeline(
        workload, plan, wafer(), sim::lay_out_stages(plan, wafer()), sim::Contention::simulated);
    const sim::PlanReport report = sim::simulate_plan(planned, wafer(), options);
    for (const sim::StageTimes& stage : report.run.stages) {
      demand(stage.total() == report.run.simulated_time);
    }
  } catch (const RequestError& error) {
    demand(error.what()[0] != '\0');
  }
}

Plan small_plan() {
  Plan plan;
  plan.tensor = 2;
  plan.pipeline = 3;
  plan.micro_batch = 5;
  plan.micro_batches = 5;
  plan.recompute = Recompute::if_needed;
  return plan;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_to([&] { run(read_workload(text, "fuzz"), small_plan()); });
  try_to([&] { run(network(), read_plan(text, "fuzz")); });
  try_to([&] {
    const StagePlacement stages = read_stage_placement(text, "fuzz");
    demand(read_stage_placement(stage_placement_text(stages), "fuzz") == stages);
  });
  return 0;
}
