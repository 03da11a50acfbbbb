#include "optimize/simulation_rows.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/text.h"
#include "model/workload.h"
#include "optimize/validation/megatron.h"
#include "planner/amped.h"
#include "planner/plan_models.h"
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

/// Seconds of a batch by AMPeD's equations, on as many of a cluster's nodes of chips as the plan
/// needs.
double amped_batch_s(const Workload& workload, const Plan& plan, System cluster) {
  NetworkDimension& nodes = cluster.dimensions.at(1);
  nodes.size = plan.tiles() * plan.pipeline / cluster.dimensions.front().size;
  return amped_time(planner::amped_network(workload), cluster,
                    planner::nested_degrees({plan.tensor, plan.pipeline, plan.data}, cluster),
                    planner::amped_training(plan))
      .batch_s();
}

/// "175B selective".
std::string batch_name(const MegatronBatch& batch) {
  return batch.model + " " + std::string(recompute_name(batch.plan.recompute));
}

/// Megatron's times of batches and rates, and PALM's predictions of the rates (Table IV), on the
/// machine as it is. What it reaches of its peaks is fitted on the batches (scripts/fit_gpu.py).
void add_cluster(planner::OurFigures& ours, const RunControl& control) {
  const Machine machine = preset_machine("a100").value();
  const Hardware& cluster = fabric_of(machine);
  const MegatronData data = megatron_data();
  for (const MegatronBatch& batch : data.batches) {
    const Workload workload = preset_workload(batch.workload);
    const auto found = run(workload, batch.plan, cluster, sim::MemoryModel::simulated, control);
    ours.push_back({"Batch, " + batch_name(batch),
                    1e-12 * static_cast<double>(found.batch),
                    {},
                    batch.batch_s});
    ours.push_back({"Batch, " + batch_name(batch) + ", AMPeD",
                    amped_batch_s(workload, batch.plan, machine.chips),
                    {},
                    batch.batch_s});
  }
  for (const MegatronRow& row : data.rows) {
    const Workload workload = preset_workload(row.workload);
    const Plan plan = plan_of(row);
    const double gpus = static_cast<double>(plan.tensor * plan.pipeline * plan.data);
    const double bare = gpus * 1e12 / published_flop(workload);
    const double rate =
        run(workload, plan, cluster, sim::MemoryModel::simulated, control).samples_per_s;
    ours.push_back({"Table 1, " + row.model, rate / bare, {}, row.tflops_per_gpu});
    const double amped =
        static_cast<double>(row.global_batch) / amped_batch_s(workload, plan, machine.chips);
    ours.push_back({"Table 1, " + row.model + ", AMPeD", amped / bare, {}, row.tflops_per_gpu});
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
