#include "optimize/validation/megatron.h"

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/workload.h"
#include "planner/amped.h"
#include "planner/plan_models.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"
#include "tests/support/close_to.h"

namespace waferloom::optimize {
namespace {

std::string fault_of(const std::string& text) {
  try {
    read_megatron(text, "t.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string table_of(const std::string& batch, const std::string& use) {
  return "{\"rows\": [\n{\"model\": \"1B\", \"workload\": \"t_1b\", \"layers\": 2, \"hidden\": 4, "
         "\"heads\": 1, \"tensor\": 1, \"pipeline\": 1, \"data\": 1, \"global_batch\": " +
         batch + ", \"tflops_per_gpu\": 100, \"palm_sequences_per_s\": null,\n\"use\": \"" + use +
         "\"}],\n\"batches\": []}";
}

TEST_CASE("Megatron's table: what is wrong is told with its place") {
  CHECK(fault_of(table_of("8", "shown")).empty());
  CHECK(fault_of(table_of("0", "shown")).rfind("t.json:2:130: expected global_batch ", 0) == 0);
  CHECK(fault_of(table_of("8", "fit")) ==
        "t.json:3:8: expected use as fitted, judged or shown, found 'fit'");
  CHECK(fault_of("{}") == "t.json:1:1: expected the key 'rows', found an object without it");
}

TEST_CASE("Megatron's networks are presets of the same sizes, on as many GPUs as it used") {
  const MegatronData data = megatron_data();
  const std::vector<MegatronRow>& rows = data.rows;
  REQUIRE(rows.size() == 10);
  for (const MegatronRow& row : rows) {
    CAPTURE(row.model);
    const auto preset = workload_preset(row.workload);
    REQUIRE(preset.has_value());
    std::int64_t layers = 0;
    for (const Operator& op : read_workload(*preset, row.workload).operators) {
      const auto* layer = std::get_if<TransformerOperator>(&op.kind);
      if (layer == nullptr) continue;
      ++layers;
      CHECK(layer->hidden == row.hidden);
      CHECK(layer->heads == row.heads);
    }
    CHECK(layers == row.layers);
    CHECK(row.global_batch % row.data == 0);
  }
  CHECK(rows.back().tensor * rows.back().pipeline * rows.back().data == 3072);
  REQUIRE(data.batches.size() == 8);
  for (const MegatronBatch& batch : data.batches) {
    CAPTURE(batch.model);
    CHECK(workload_preset(batch.workload).has_value());
    CHECK(batch.plan.sequence_parallel == (batch.plan.recompute == Recompute::selective));
  }
  CHECK(data.batches.back().plan.tiles() * data.batches.back().plan.pipeline == 512);
}

TEST_CASE("T-145B computes as long in a simulation, in a plan's estimate and by AMPeD") {
  Plan plan;
  plan.tensor = 8;
  plan.pipeline = 8;
  plan.data = 24;
  plan.micro_batches = 96;
  plan.recompute = Recompute::full;
  const Workload workload = read_workload(*workload_preset("t_145b"), "t_145b");
  const Machine machine = preset_machine("a100").value();
  const Hardware& hardware = fabric_of(machine);
  sim::SimulateOptions options;
  options.network = sim::NetworkKind::analytic;
  const sim::PlanReport simulated = sim::simulate_plan(
      sim::plan_pipeline(workload, plan, hardware, sim::lay_out_stages(plan, hardware),
                         sim::Contention::ignored),
      hardware, options);
  double compute_s = 0;
  for (const sim::StageTimes& stage : simulated.run.stages) {
    compute_s += 1e-12 * static_cast<double>(stage.compute) / 8;
  }
  planner::PlanTimer timer(workload, hardware);
  CHECK(timer.prepare({plan}, 1));
  const auto estimate = timer.amped(plan);
  REQUIRE(estimate);
  CHECK(estimate->batch[planner::BatchPart::compute] == test::close_to(compute_s).within(1e-3));
  System system = machine.chips;
  system.dimensions[1].size = 192;
  planner::AmpedTraining training;
  training.batch = 2'304;
  training.micro_batches = 96;
  training.recompute = true;
  const planner::AmpedBreakdown equations = planner::amped_time(
      planner::amped_network(workload), system, {{8, 1, 1}, {1, 8, 24}}, training);
  CHECK(equations.forward + equations.backward == test::close_to(compute_s).within(1e-3));
  // Narayanan et al., SC'21, Table 1: 148 TFLOP/s; 95.7 sequences a second by 96 s l h² FLOP each.
  CHECK(simulated.samples_per_s == test::close_to(95.7).within(0.12));
  CHECK(2'304 / equations.batch_s() == test::close_to(simulated.samples_per_s).within(0.1));
}

}  // namespace
}  // namespace waferloom::optimize
