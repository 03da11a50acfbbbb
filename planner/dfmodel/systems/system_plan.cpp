// Longer than most files: one plan from its degrees to its step, in the order of the header.

#include "planner/system_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "model/errors.h"
#include "model/plan.h"
#include "model/run_control.h"
#include "model/text.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/systems/layer_execution.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/dfmodel/systems/plan_choices.h"
#include "planner/dfmodel/systems/sharding.h"

// Problem: choose which dimensions of a network serve tensor, pipeline and data parallelism, and
// price the training step or forward pass of a transformer for each choice.
// Idea: for each choice, cut the layers into stages, shard a layer with the least communication,
// check the memory, map the layer onto a chip, and add up the pipeline. All choices are enumerated
// and ranked.
// Source: DFModel, sections IV and VI. It shards and cuts into stages at once with Gurobi; here
// that is two steps. Equal layers lose nothing by it (docs/dfmodel_system.md).
// Cost: 3^dimensions · micro-batch sizes choices, twice that with recomputation, each with a search
// for shardings and mappings. Choices are priced in parallel.
namespace waferloom::planner {
namespace {

constexpr double kMostLayers = 1e6;

DataflowGraph layer_graph(const TransformerJob& job, double samples, bool backward) {
  TransformerPass pass;
  pass.samples = static_cast<std::int64_t>(samples);
  pass.element_bytes = job.element_bytes;
  pass.layers = job.layers;
  pass.backward = backward;
  return transformer_graph(job.layer, pass);
}

double weight_bytes(const DataflowGraph& graph) {
  double sum = 0;
  for (const DataflowKernel& kernel : graph.kernels) sum += kernel.weight_bytes;
  return sum;
}

double output_bytes(const DataflowGraph& graph) {
  double sum = 0;
  for (const DataflowKernel& kernel : graph.kernels) sum += kernel.output_bytes;
  return sum;
}

/// A layer on the chips of a tensor group.
struct SharedLayer {
  std::vector<Sharding> sharding;
  double shared_bytes = 0;
  DataflowGraph forward;  ///< of a chip
  DataflowGraph backward;
  std::string problem;
};

SharedLayer shared_layer(const TransformerJob& job, double micro_batch, std::int64_t chips) {
  const DataflowGraph forward = layer_graph(job, micro_batch, false);
  ShardingModel model;
  model.chips = chips;
  const ShardingResult found = best_sharding(forward, model);
  SharedLayer result;
  result.sharding = found.kernels;
  result.shared_bytes = found.cost;
  for (std::size_t i = 0; i < forward.kernels.size(); ++i) {
    if (forward.kernels[i].weight_bytes == 0 || chips == 1) continue;
    if (found.kernels[i] != Sharding::none) continue;
    result.problem = fmt::format("{} cannot be cut for {} chips", forward.kernels[i].name, chips);
    return result;
  }
  result.forward = shard(forward, found.kernels, chips);
  if (!job.training) return result;
  result.backward = shard(layer_graph(job, micro_batch, true), found.kernels, chips);
  return result;
}

/// Builds a plan step by step and stops at the first problem.
class PlanBuilder {
 public:
  PlanBuilder(const TransformerJob& job, const System& system, const SystemPlanChoice& choice,
              const SystemPlanOptions& options, const SharedLayer& layer)
      : job_(job), system_(system), options_(options), layer_(layer) {
    plan_.choice = choice;
  }

  SystemPlan build() {
    cut();
    if (plan_.is_possible()) share(layer_);
    if (plan_.is_possible()) fill_memory();
    if (plan_.is_possible()) time_layer();
    if (plan_.is_possible()) time_step();
    return std::move(plan_);
  }

 private:
  std::vector<NetworkDimension> network(Parallelism strategy) const {
    std::vector<NetworkDimension> result;
    for (std::size_t i = 0; i < system_.dimensions.size(); ++i) {
      const bool serves = plan_.choice.dimensions[i] == strategy && system_.dimensions[i].size > 1;
      if (serves) result.push_back(system_.dimensions[i]);
    }
    return result;
  }

  void cut() {
    plan_.tensor = served_chips(system_, plan_.choice, Parallelism::tensor);
    plan_.pipeline = served_chips(system_, plan_.choice, Parallelism::pipeline);
    plan_.data = served_chips(system_, plan_.choice, Parallelism::data);
    const double parts = static_cast<double>(plan_.data) * plan_.choice.micro_batch;
    plan_.micro_batches = job_.batch / parts;
    if (plan_.micro_batches < 1 || plan_.micro_batches != std::floor(plan_.micro_batches)) {
      plan_.problem =
          fmt::format("a batch of {} does not divide into {} replicas of micro-batches of {}",
                      significant_text(job_.batch, 6), plan_.data,
                      significant_text(plan_.choice.micro_batch, 6));
      return;
    }
    if (static_cast<double>(plan_.pipeline) > job_.layers) {
      plan_.problem = fmt::format("{} layers are fewer than {} stages",
                                  significant_text(job_.layers, 6), plan_.pipeline);
      return;
    }
    const std::vector<double> layers(static_cast<std::size_t>(job_.layers), 1.0);
    plan_.stage_layers = cut_chain(layers, static_cast<std::size_t>(plan_.pipeline)).longest;
  }

  void share(const SharedLayer& layer) {
    plan_.sharding = layer.sharding;
    plan_.shared_bytes = layer.shared_bytes;
    plan_.problem = layer.problem;
  }

  void fill_memory() {
    const double weights = weight_bytes(layer_.forward) * plan_.stage_layers;
    const double kept = plan_.choice.recompute || !job_.training
                            ? layer_.forward.kernels.back().output_bytes
                            : output_bytes(layer_.forward);
    const double alive =
        job_.training ? std::min(plan_.micro_batches, static_cast<double>(plan_.pipeline)) : 1;
    plan_.state_bytes = job_.training ? weights / job_.element_bytes * job_.state_bytes : weights;
    plan_.activation_bytes = kept * (job_.training ? plan_.stage_layers * alive : 1);
    if (plan_.choice.recompute) plan_.activation_bytes += output_bytes(layer_.forward);
    home_ = options_.keeps_weights && weights <= system_.chip.sram_bytes / 2 ? WeightHome::sram
                                                                             : WeightHome::dram;
    const std::size_t level = system_.memories.empty() ? kSramLevel : kSramLevel + 1;
    plan_.problem = lack_of_memory(system_, level, plan_);
  }

  void time_layer() {
    const ChipRates rates =
        layer_rates(system_, network(Parallelism::tensor), plan_.choice.micro_batch);
    plan_.forward = layer_time(layer_.forward, rates, options_.execution, home_, 1);
    plan_.problem = plan_.forward.why_infeasible;
    if (!job_.training || !plan_.is_possible()) return;
    plan_.backward = layer_time(layer_.backward, rates, options_.execution, home_, 2);
    plan_.problem = plan_.backward.why_infeasible;
    if (!plan_.choice.recompute) return;
    plan_.backward.compute_s += plan_.forward.compute_s;
    plan_.backward.memory_s += plan_.forward.memory_s;
    plan_.backward.network_s += plan_.forward.network_s;
    plan_.backward.total_s += plan_.forward.total_s;
  }

  void time_step() {
    const double passes = job_.training ? 2 : 1;
    double sent_s = 0;
    for (const NetworkDimension& dimension : network(Parallelism::pipeline)) {
      const double bytes = layer_.forward.kernels.back().output_bytes;
      sent_s = std::max(sent_s, passes * point_to_point_rate(dimension).seconds(bytes));
    }
    const double layer_s = plan_.forward.total_s + plan_.backward.total_s;
    const double stage_s = std::max(plan_.stage_layers * layer_s, sent_s);
    plan_.steady_s = plan_.micro_batches * stage_s;
    plan_.bubble_s = static_cast<double>(plan_.pipeline - 1) * stage_s;
    if (job_.training) {
      const double gradients = weight_bytes(layer_.forward) * plan_.stage_layers;
      plan_.data_parallel_s =
          collective_rate(CollectiveKind::all_reduce, network(Parallelism::data))
              .seconds(gradients);
    }
    plan_.total_s = plan_.steady_s + plan_.bubble_s + plan_.data_parallel_s;
    const double layers = plan_.micro_batches * plan_.stage_layers;
    plan_.compute_s = layers * (plan_.forward.compute_s + plan_.backward.compute_s);
    plan_.memory_s = layers * (plan_.forward.memory_s + plan_.backward.memory_s);
    plan_.network_s =
        layers * (plan_.forward.network_s + plan_.backward.network_s) + plan_.data_parallel_s;
    plan_.sent_s = plan_.micro_batches * sent_s;
    plan_.utilisation = job_.flop() / (plan_.total_s * static_cast<double>(system_.chips()) *
                                       system_.chip.flop_per_s);
  }

  const TransformerJob& job_;
  const System& system_;
  const SystemPlanOptions& options_;
  const SharedLayer& layer_;
  SystemPlan plan_;
  WeightHome home_ = WeightHome::dram;
};

}  // namespace

double TransformerJob::flop() const {
  const double passes = layers * batch;
  const double forward = total_flop(layer_graph(*this, 1, false)) / layers;
  const double backward = training ? total_flop(layer_graph(*this, 1, true)) / layers : 0;
  return passes * (forward + backward);
}

double TransformerJob::parameters() const {
  return layers * weight_bytes(layer_graph(*this, 1, false)) / element_bytes;
}

void check_job(const TransformerJob& job) {
  if (job.layers < 1 || job.batch < 1 || job.layers > kMostLayers) {
    throw RequestError("expected 1 to " + significant_text(kMostLayers, 6) +
                       " layers and a batch of at least 1, found " +
                       significant_text(job.layers, 6) + " and " + significant_text(job.batch, 6));
  }
  layer_graph(job, 1, false);
}

std::optional<Bottleneck> system_bottleneck(const SystemPlan& plan) {
  return longest_part_of({{"compute", "chips", plan.compute_s},
                          {"dram", "memory of chips", plan.memory_s},
                          {"link", "network of tensor and data groups", plan.network_s},
                          {"link", "sends along the pipeline", plan.sent_s},
                          {"schedule", "filling and draining of the pipeline", plan.bubble_s}},
                         "a step");
}

SystemPlan system_plan(const TransformerJob& job, const System& system,
                       const SystemPlanChoice& choice, const SystemPlanOptions& options) {
  check_choice(system, choice);
  const SharedLayer layer =
      shared_layer(job, choice.micro_batch, served_chips(system, choice, Parallelism::tensor));
  return PlanBuilder(job, system, choice, options, layer).build();
}

std::vector<SystemPlan> ranked_system_plans(const TransformerJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective) {
  // A faulty job or system throws here, not inside a task.
  check_job(job);
  check_ranked(system, objective);
  const std::vector<SystemPlanChoice> choices = all_choices(system, options, job.training);
  std::vector<SystemPlan> plans(choices.size());
  parallel_tasks(choices.size(), options.threads, [&](std::size_t i) {
    if (options.control.is_cut()) {
      plans[i].choice = choices[i];
      plans[i].problem = kNotTimed;
    } else {
      plans[i] = system_plan(job, system, choices[i], options);
    }
  });
  rank_plans(plans, {objective, job.batch}, system);
  return plans;
}

}  // namespace waferloom::planner
