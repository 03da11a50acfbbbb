#include "optimize/simulation_rows.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/text.h"
#include "model/workload.h"
#include "optimize/validation/megatron_table1.h"
#include "sim/collective.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"

namespace waferloom::optimize {
namespace {

Workload preset_workload(std::string_view name) {
  return read_workload(*workload_preset(name), std::string(name));
}

Hardware preset_hardware(std::string_view name) { return fabric_of(*preset_machine(name)); }

sim::PlanReport run(const Workload& workload, const Plan& plan, const Hardware& hardware,
                    sim::MemoryModel memory_model, const RunControl& control) {
  control.end_if_cut();
  sim::SimulateOptions options;
  options.control = control;
  options.network = sim::NetworkKind::analytic;
  const auto planned =
      sim::plan_pipeline(workload, plan, hardware, sim::lay_out_stages(plan, hardware),
                         sim::Contention::ignored, memory_model);
  sim::PlanReport found = sim::simulate_plan(planned, hardware, options);
  if (found.run.stopped) throw RunCut(control.cut_reason());
  return found;
}

/// Sizes of a network of equal layers.
struct NetworkSize {
  double layers = 0;
  double tokens = 0;
  double hidden = 0;
  double vocabulary = 0;
};

NetworkSize size_of(const Workload& workload) {
  NetworkSize size;
  for (const Operator& op : workload.operators) {
    if (const auto* layer = std::get_if<TransformerOperator>(&op.kind)) {
      size.tokens = static_cast<double>(layer->sequence);
      size.hidden = static_cast<double>(layer->hidden);
      ++size.layers;
    }
    if (const auto* head = std::get_if<HeadOperator>(&op.kind)) {
      size.vocabulary = static_cast<double>(head->vocabulary);
    }
  }
  return size;
}

/// Operations of a sequence that the publication counts (its Eq. 3, full recomputation).
double published_flop(const Workload& workload) {
  const auto [l, s, h, vocabulary] = size_of(workload);
  return 96 * s * l * h * h * (1 + s / (6 * h) + vocabulary / (16 * l * h));
}

Plan plan_of(const MegatronRow& row) {
  Plan plan;
  plan.tensor = row.tensor;
  plan.data = row.data;
  plan.pipeline = row.pipeline;
  plan.micro_batches = row.global_batch / row.data;
  plan.recompute = Recompute::full;
  return plan;
}

/// Rates of Megatron's Table 1, and PALM's predictions of them (Table IV).
void add_cluster(planner::OurFigures& ours, const RunControl& control) {
  // The achieved part of the peak with which the geometric mean of ours over published is 1 on the
  // fitted rows (scripts/study_megatron.py).
  constexpr std::int64_t kAchievedMillionths = 58'700'000;
  Hardware cluster = preset_hardware("a100_cluster");
  cluster.achievable_percent = Decimal6{kAchievedMillionths};
  for (const MegatronRow& row : read_megatron_rows(megatron_json(), "megatron_table1.json")) {
    const Workload workload = preset_workload(row.workload);
    const Plan plan = plan_of(row);
    const double gpus = static_cast<double>(plan.tensor * plan.pipeline * plan.data);
    const double bare = gpus * 1e12 / published_flop(workload);
    const double rate =
        run(workload, plan, cluster, sim::MemoryModel::simulated, control).samples_per_s;
    ours.push_back({"Table 1, " + row.model + (row.use == "fitted" ? ", fitted" : ""),
                    rate / bare,
                    {},
                    row.tflops_per_gpu});
    if (row.palm_sequences_per_s) {
      ours.push_back({"Table IV, " + workload.name, rate, {}, row.palm_sequences_per_s});
    }
  }
}

/// Products of a sample in training, of layers alone and without recomputation: three times
/// 24 s h^2 + 4 s^2 h a layer. Knows nothing of how the simulation counts.
double layers_flop(const Workload& workload) {
  const auto [l, s, h, vocabulary] = size_of(workload);
  return 3 * l * (24 * s * h * h + 4 * s * s * h);
}

/// PALM's TP8 DP2 PP20 on 5 x 4 groups of 16 tiles; it tells no number of micro-batches.
Plan wafer_plan() {
  Plan plan;
  plan.tensor = 8;
  plan.data = 2;
  plan.pipeline = 20;
  plan.micro_batches = 21;
  plan.leave_out = {"embedding", "head"};
  return plan;
}

/// PALM, Eq. 1: peak · m / (m + p − 1) / FLOP for equal stages without communication.
double equation_1(const Workload& workload, const Plan& plan) {
  constexpr double kTiles = 8 * 2 * 20;
  constexpr double kTilePeak = 16e12;  // PALM, Table VI: 256 TFLOP/s a group of 16
  const double peak = kTiles * kTilePeak;
  const auto m = static_cast<double>(plan.micro_batches);
  const auto p = static_cast<double>(plan.pipeline);
  return peak * m / (m + p - 1) / layers_flop(workload);
}

/// Pipelines beside Eq. 1, and recomputed in full beside PALM's predictions for its wafer (Table
/// VII). That table's other column scales Megatron's figures by computing power.
void add_wafer(planner::OurFigures& ours, const RunControl& control) {
  const Hardware wafer = preset_hardware("palm_wafer");
  for (const char* preset : {"t_18b", "t_76b", "t_145b"}) {
    const Workload workload = preset_workload(preset);
    Plan plan = wafer_plan();
    const auto rate = [&] {
      return run(workload, plan, wafer, sim::MemoryModel::ignored, control).samples_per_s;
    };
    ours.push_back({"1F1B pipeline, " + workload.name, rate(), {}, equation_1(workload, plan)});
    plan.recompute = Recompute::full;
    ours.push_back({"Table VII, " + workload.name, rate()});
  }
}

}  // namespace

std::vector<planner::ValidationRow> simulation_rows(const RunControl& control) {
  planner::OurFigures ours;
  add_cluster(ours, control);
  add_wafer(ours, control);
  return planner::compared_rows("simulation", ours);
}

}  // namespace waferloom::optimize
