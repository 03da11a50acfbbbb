#include "planner/design_space.h"

#include <algorithm>
#include <cmath>

#include "model/run_control.h"
#include "model/text.h"
#include "planner/dfmodel/systems/science_workloads.h"

// Problem: find which chips, memories, links and topologies serve a workload best.
// Idea: build all 80 systems from four tables. Time the workload on each: a transformer by its best
// plan, the other workloads by closed forms. Divide the achieved FLOP/s by peak, price and power.
// Source: DFModel, section VI-C and Table V. What the paper does not print is assumed; the header
// marks it.
// Cost: a ranking of all plans for each system (system_plan.h). Systems are timed in parallel.
namespace waferloom::planner {
namespace {

constexpr double kTera = 1e12;
constexpr double kWattsOfKilowatt = 1e3;

TransformerOperator gpt_layer(bool is_small) {
  TransformerOperator layer;
  layer.sequence = 2048;
  layer.hidden = is_small ? 12288 : 25600;
  layer.heads = is_small ? 96 : 160;
  layer.key_value_heads = layer.heads;
  layer.feed_forward = 4 * layer.hidden;
  return layer;
}

void rate(DesignResult& result, const System& system) {
  if (result.step_s <= 0) return;
  const double achieved = result.flop / result.step_s;
  result.utilisation = achieved / (static_cast<double>(system.chips()) * system.chip.flop_per_s);
  if (system.price_usd() > 0) result.flop_per_usd_s = achieved / system.price_usd();
  if (system.power_w() > 0) result.flop_per_joule = achieved / system.power_w();
}

DesignResult transformer_result(const TransformerJob& job, const System& system,
                                ChipExecution execution, Objective objective) {
  SystemPlanOptions options;
  options.execution = execution;
  const std::vector<SystemPlan> plans = ranked_system_plans(job, system, options, objective);
  DesignResult result;
  result.flop = job.flop();
  result.plan = plans.front();
  const SystemPlan& best = plans.front();
  result.problem = best.problem;
  result.step_s = best.total_s;
  result.compute_s = best.compute_s;
  result.memory_s = best.memory_s;
  result.network_s = best.network_s + best.sent_s;
  result.bubble_s = best.bubble_s;
  return result;
}

DesignResult science_result(const WorkTime& time, const System& system) {
  DesignResult result;
  const std::size_t level = system.memories.empty() ? kSramLevel : kSramLevel + 1;
  if (time.chip_bytes > system.level_bytes(level)) {
    result.problem = system.level_name(level) + " has " +
                     whole_bytes_text(system.level_bytes(level)) + " bytes, and " +
                     whole_bytes_text(time.chip_bytes) + " are needed";
    return result;
  }
  result.flop = time.flop;
  result.step_s = time.total_s();
  result.compute_s = time.compute_s;
  result.memory_s = time.memory_s;
  result.network_s = time.network_s;
  return result;
}

}  // namespace

double silicon_power_w(double tflops) {
  return (3e-7 * tflops * tflops + 4.3e-4 * tflops + 0.04) * kWattsOfKilowatt;
}

double silicon_price_usd(double tflops) { return 0.025 * tflops * tflops + 5 * tflops; }

std::vector<DesignPoint> design_points() {
  std::vector<DesignPoint> result;
  for (std::size_t chip = 0; chip < kDesignChips.size(); ++chip) {
    for (std::size_t topology = 0; topology < kDesignTopologies.size(); ++topology) {
      for (std::size_t memory = 0; memory < kDesignMemories.size(); ++memory) {
        for (std::size_t link = 0; link < kDesignLinks.size(); ++link) {
          result.push_back({chip, topology, memory, link});
        }
      }
    }
  }
  return result;
}

System design_system(const DesignPoint& point) {
  const DesignChip& chip = kDesignChips[point.chip];
  const DesignTopology& topology = kDesignTopologies[point.topology];
  const DesignMemory& memory = kDesignMemories[point.memory];
  const DesignLink& link = kDesignLinks[point.link];
  System system;
  system.name = std::string(chip.name) + ", " + std::string(topology.name) + ", " +
                std::string(memory.name) + ", " + std::string(link.name);
  system.chip.flop_per_s = chip.tflops * kTera;
  system.chip.sram_bytes = chip.sram_bytes;
  system.chip.efficiency.limit = kDesignUtilisation;
  system.chip.price_usd = silicon_price_usd(chip.tflops);
  system.chip.power_w = silicon_power_w(chip.tflops);
  MemoryLevel level;
  level.name = memory.name;
  level.bytes = kDesignMemoryBytes;
  level.bytes_per_s = memory.bytes_per_s;
  level.price_usd = memory.price_usd;
  level.power_w = memory.power_w;
  system.memories.push_back(level);
  system.level_of.fill(kSramLevel + 1);
  for (std::size_t i = 0; i < topology.sizes.size(); ++i) {
    if (topology.sizes[i] == 1) continue;
    NetworkDimension dimension;
    dimension.topology = topology.kinds[i];
    dimension.size = topology.sizes[i];
    dimension.link_bytes_per_s = link.bytes_per_s;
    dimension.latency_s = kDesignLatency;
    dimension.price_usd = link.price_usd;
    dimension.power_w = link.power_w;
    system.dimensions.push_back(dimension);
  }
  return system;
}

std::string_view design_workload_name(DesignWorkload workload) {
  return kDesignWorkloadNames[static_cast<std::size_t>(workload)];
}

TransformerJob design_job(DesignWorkload workload) {
  TransformerJob job;
  const bool is_small = workload == DesignWorkload::gpt3_175b;
  job.name = is_small ? "GPT-3 175B" : "GPT-3 1T";
  job.layer = gpt_layer(is_small);
  job.layers = is_small ? 96 : 128;
  job.batch = is_small ? 2304 : 3072;
  job.training = !is_small;
  return job;
}

DesignWork design_work(DesignWorkload workload) {
  switch (workload) {
    case DesignWorkload::gpt3_175b:
    case DesignWorkload::gpt3_1t:
      return design_job(workload);
    case DesignWorkload::dlrm:
      return DlrmWorkload{};
    case DesignWorkload::hpl:
      return HplWorkload{};
    case DesignWorkload::fft:
      return FftWorkload{};
  }
  return FftWorkload{};
}

DesignResult design_result(const DesignWork& work, const System& system, ChipExecution execution,
                           Objective objective) {
  struct Visitor {
    const System& system;
    ChipExecution execution;
    Objective objective;
    DesignResult operator()(const TransformerJob& job) const {
      return transformer_result(job, system, execution, objective);
    }
    DesignResult operator()(const DlrmWorkload& dlrm) const {
      return science_result(dlrm_time(dlrm, system), system);
    }
    DesignResult operator()(const HplWorkload& hpl) const {
      return science_result(hpl_time(hpl, system), system);
    }
    DesignResult operator()(const FftWorkload& fft) const {
      return science_result(fft_time(fft, system), system);
    }
  };
  DesignResult result = std::visit(Visitor{system, execution, objective}, work);
  if (result.problem.empty()) rate(result, system);
  return result;
}

std::vector<DesignResult> design_sweep(const DesignWork& work, Objective objective, int threads,
                                       const RunControl& control) {
  // A faulty job throws here, not inside a task.
  if (const auto* job = std::get_if<TransformerJob>(&work)) check_job(*job);
  const std::vector<DesignPoint> points = design_points();
  std::vector<DesignResult> results(points.size());
  parallel_tasks(points.size(), threads, [&](std::size_t i) {
    if (control.is_cut()) {
      results[i].problem = "not timed: the run was over";
      return;
    }
    results[i] = design_result(work, design_system(points[i]),
                               kDesignChips[points[i].chip].execution, objective);
  });
  return results;
}

}  // namespace waferloom::planner
