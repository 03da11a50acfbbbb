#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <variant>

#include "model/errors.h"
#include "model/run_control.h"
#include "model/text.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/dfmodel/systems/plan_choices.h"
#include "planner/network/network_keys.h"
#include "planner/plan_models.h"
#include "planner/system_plan.h"

// Problem: rank the ways in which the dimensions of a system serve a network that is no stack of
// equal transformer layers.
// Idea: chips are priced as the tiles of a wafer seen as chips are, by PlanTimer: every operator is
// shared by a tensor group and takes the longest of its products, its memory traffic and its
// exchanges; the operators are cut into stages so that the slowest takes least. What differs is
// what joins the chips: here whole dimensions of the system's network.
// Source: DFModel, section IV; PALM (arXiv:2406.03868) for operators and stages.
// Cost: a mapping for each kind of operator, tensor degree and micro-batch; then O(operators) for
// each choice.
namespace waferloom::planner {
namespace {

std::vector<NetworkDimension> serving(const System& system, const SystemPlanChoice& choice,
                                      Parallelism parallelism) {
  std::vector<NetworkDimension> dimensions;
  for (std::size_t i = 0; i < system.dimensions.size(); ++i) {
    const bool serves = choice.dimensions[i] == parallelism && system.dimensions[i].size > 1;
    if (serves) dimensions.push_back(system.dimensions[i]);
  }
  return dimensions;
}

/// The system as a choice uses it. Every chip of a tensor group sends its part to the next stage.
TilesAsChips chips_of_choice(const System& system, const SystemPlanChoice& choice) {
  TilesAsChips view;
  view.system = system;
  view.group = serving(system, choice, Parallelism::tensor);
  view.replicas = serving(system, choice, Parallelism::data);
  view.stage_bytes_per_s = std::numeric_limits<double>::infinity();
  const auto chips = static_cast<double>(served_chips(system, choice, Parallelism::tensor));
  for (const NetworkDimension& along : serving(system, choice, Parallelism::pipeline)) {
    view.stage_bytes_per_s = std::min(view.stage_bytes_per_s, chips * along.link_bytes_per_s);
    view.stage_latency_s = std::max(view.stage_latency_s, along.latency_s);
  }
  return view;
}

/// The plan of a choice, as far as choices of the same dimensions share it.
Plan plan_of(const NetworkJob& job, const System& system, const SystemPlanChoice& choice) {
  Plan plan;
  plan.tensor = served_chips(system, choice, Parallelism::tensor);
  plan.pipeline = served_chips(system, choice, Parallelism::pipeline);
  plan.data = served_chips(system, choice, Parallelism::data);
  plan.micro_batch = static_cast<std::int64_t>(choice.micro_batch);
  plan.micro_batches =
      static_cast<std::int64_t>(job.batch) / std::max<std::int64_t>(1, plan.samples());
  plan.recompute = choice.recompute ? Recompute::full : Recompute::none;
  if (!job.training) plan.schedule = Schedule::inference;
  return plan;
}

/// Chips whose dimensions serve the same kinds of parallelism, and the operators' prices on them.
class PricedChoices {
 public:
  PricedChoices(const NetworkJob& job, const System& system, const SystemPlanChoice& choice,
                const SystemPlanOptions& options)
      : job_(job),
        system_(system),
        by_samples_(choice.by_samples),
        timer_(job.network, machine(choice, options)) {}

  SystemPlan price(const SystemPlanChoice& choice, const RunControl& control) {
    SystemPlan result;
    result.choice = choice;
    const Plan plan = plan_of(job_, system_, choice);
    result.tensor = plan.tensor;
    result.pipeline = plan.pipeline;
    result.data = plan.data;
    result.micro_batches = static_cast<double>(plan.micro_batches);
    result.problem = divides(plan);
    if (!result.is_possible()) return result;
    if (!timer_.prepare({plan}, 1, control)) {
      result.problem = kNotTimed;
      return result;
    }
    fill_memory(plan, result);
    if (result.is_possible()) time_step(plan, result);
    return result;
  }

 private:
  PricedMachine machine(const SystemPlanChoice& choice, const SystemPlanOptions& options) const {
    PricedMachine machine;
    const auto view = std::make_shared<const TilesAsChips>(chips_of_choice(system_, choice));
    machine.view = [view](const Plan&) { return *view; };
    machine.sram_bytes = options.keeps_weights ? system_.chip.sram_bytes : 0;
    machine.element_bytes = static_cast<std::int64_t>(job_.element_bytes);
    machine.moves_activations = options.execution == ChipExecution::kernel_by_kernel;
    machine.by_samples = choice.by_samples;
    return machine;
  }

  std::string divides(const Plan& plan) const {
    const auto samples = static_cast<double>(plan.samples() * plan.micro_batches);
    if (plan.micro_batches < 1 || samples != job_.batch) {
      return fmt::format("a batch of {} does not divide into {} replicas of micro-batches of {}",
                         significant_text(job_.batch, 6), plan.data, plan.micro_batch);
    }
    if (by_samples_ && plan.micro_batch % plan.tensor != 0) {
      return fmt::format("{} chips cannot share micro-batches of {} samples evenly", plan.tensor,
                         plan.micro_batch);
    }
    const std::size_t operators = job_.network.operators.size();
    if (static_cast<std::size_t>(plan.pipeline) <= operators) return {};
    return fmt::format("{} operators are fewer than {} stages", operators, plan.pipeline);
  }

  void fill_memory(const Plan& plan, SystemPlan& result) const {
    const double alive = std::min(result.micro_batches, static_cast<double>(plan.pipeline));
    const double bytes = job_.training ? job_.state_bytes : job_.element_bytes;
    const std::size_t level = system_.memories.empty() ? kSramLevel : kSramLevel + 1;
    double fullest = -1;
    for (const PricedStage& stage : timer_.stages(plan)) {
      const double states = ((stage.parameters + stage.copied_parameters) * bytes +
                             stage.table_parameters * job_.element_bytes) /
                            static_cast<double>(plan.tensor);
      const double elements = job_.training ? stage.kept_elements * alive : stage.most_passed;
      const double activations = elements * job_.element_bytes;
      if (states + activations <= fullest) continue;
      fullest = states + activations;
      result.state_bytes = states;
      result.activation_bytes = activations;
      result.stage_layers = static_cast<double>(stage.operators);
    }
    result.problem = lack_of_memory(system_, level, result);
  }

  void time_step(const Plan& plan, SystemPlan& result) const {
    const BatchTimes batch = timer_.dfmodel(plan).batch;
    result.total_s = batch.total_s();
    result.bubble_s = batch[BatchPart::bubble];
    result.data_parallel_s = batch[BatchPart::data];
    result.steady_s = result.total_s - result.bubble_s - result.data_parallel_s;
    result.compute_s = batch[BatchPart::compute];
    result.memory_s = batch[BatchPart::memory] + batch[BatchPart::update];
    result.network_s = batch[BatchPart::tensor] + batch[BatchPart::data];
    result.sent_s = batch[BatchPart::pipeline];
    result.utilisation = job_.flop() / (result.total_s * static_cast<double>(system_.chips()) *
                                        system_.chip.flop_per_s);
  }

  const NetworkJob& job_;
  const System& system_;
  bool by_samples_;
  PlanTimer timer_;
};

/// Whether all of a network but its layers is what DFModel leaves out.
bool is_stack(const Workload& workload) {
  const TransformerOperator* first = nullptr;
  for (const Operator& op : workload.operators) {
    const auto* layer = std::get_if<TransformerOperator>(&op.kind);
    if (layer == nullptr) {
      const bool is_end = std::holds_alternative<EmbeddingOperator>(op.kind) ||
                          std::holds_alternative<PatchesOperator>(op.kind) ||
                          std::holds_alternative<HeadOperator>(op.kind) ||
                          std::holds_alternative<LinearOperator>(op.kind);
      if (!is_end) return false;
      continue;
    }
    if (first == nullptr) first = layer;
    if (!are_alike(*first, *layer)) return false;
  }
  return first != nullptr;
}

template <typename Kind>
bool has_kind(const Workload& workload) {
  const std::vector<Operator>& operators = workload.operators;
  return std::any_of(operators.begin(), operators.end(),
                     [](const Operator& op) { return std::holds_alternative<Kind>(op.kind); });
}

/// Whether chips of a tensor group may cut what has weights by samples: exchanges say then what
/// they hand each other.
bool may_cut_by_samples(const Workload& workload) {
  return has_kind<ExchangeOperator>(workload) && !has_kind<TransformerOperator>(workload);
}

/// Choices of the same dimensions that cut alike stand side by side.
std::vector<SystemPlanChoice> choices_of(const NetworkJob& job, const System& system,
                                         const SystemPlanOptions& options) {
  // Backward computes nothing again but layers.
  std::vector<SystemPlanChoice> choices =
      all_choices(system, options, job.training && has_kind<TransformerOperator>(job.network));
  if (!may_cut_by_samples(job.network)) return choices;
  const std::size_t by_outputs = choices.size();
  for (std::size_t i = 0; i < by_outputs; ++i) {
    if (served_chips(system, choices[i], Parallelism::tensor) == 1) continue;
    choices.push_back(choices[i]);
    choices.back().by_samples = true;
  }
  return choices;
}

/// Samples of micro-batches, fewest first.
std::vector<double> micro_batches_of(const NetworkJob& job, const SystemPlanOptions& options) {
  constexpr double kStep = 4;
  std::vector<double> samples = options.micro_batches;
  if (samples.empty()) return samples;
  const double most = *std::max_element(samples.begin(), samples.end());
  for (double more = kStep * most; more <= job.batch; more *= kStep) samples.push_back(more);
  return samples;
}

}  // namespace

ChipsJob chips_job(const Workload& workload, double batch, bool training) {
  if (is_stack(workload)) return transformer_job(workload, batch, training);
  NetworkJob job;
  job.network = workload;
  job.batch = batch;
  job.training = training;
  check_job(job);
  return job;
}

double NetworkJob::flop() const {
  double sum = 0;
  for (const Operator& op : network.operators) {
    const OperatorCount counted = count(op.kind);
    sum += static_cast<double>(counted.matrix_flop) + static_cast<double>(counted.element_flop);
    if (training) sum += static_cast<double>(counted.backward_flop());
  }
  return batch * sum;
}

void check_job(const NetworkJob& job) {
  demand_known(job.network, NetworkUser::systems);
  if (job.training) demand_trainable(job.network);
  if (job.batch >= 1 && job.batch == std::floor(job.batch)) return;
  throw RequestError("expected a batch of whole samples, at least 1, found " +
                     significant_text(job.batch, 6));
}

SystemPlan system_plan(const NetworkJob& job, const System& system, const SystemPlanChoice& choice,
                       const SystemPlanOptions& options) {
  check_choice(system, choice);
  return PricedChoices(job, system, choice, options).price(choice, options.control);
}

std::vector<SystemPlan> ranked_system_plans(const NetworkJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective) {
  check_job(job);
  check_ranked(system, objective);
  SystemPlanOptions offered = options;
  offered.micro_batches = micro_batches_of(job, options);
  const std::vector<SystemPlanChoice> choices = choices_of(job, system, offered);
  // Choices of the same dimensions share their prices, and stand side by side.
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const bool is_new = i == 0 || choices[i].dimensions != choices[i - 1].dimensions ||
                        choices[i].by_samples != choices[i - 1].by_samples;
    if (is_new) first.push_back(i);
  }
  std::vector<SystemPlan> plans(choices.size());
  parallel_tasks(first.size(), options.threads, [&](std::size_t group) {
    const std::size_t end = group + 1 < first.size() ? first[group + 1] : choices.size();
    PricedChoices priced(job, system, choices[first[group]], options);
    for (std::size_t i = first[group]; i < end; ++i) {
      plans[i].choice = choices[i];
      plans[i].problem = kNotTimed;
      if (options.control.is_cut()) continue;
      try {
        plans[i] = priced.price(choices[i], options.control);
      } catch (const RequestError& error) {
        plans[i].problem = error.what();
      }
    }
  });
  rank_plans(plans, {objective, job.batch}, system);
  return plans;
}

std::vector<SystemPlan> ranked_system_plans(const ChipsJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective) {
  return std::visit(
      [&](const auto& of) { return ranked_system_plans(of, system, options, objective); }, job);
}

}  // namespace waferloom::planner
