// Longer than most files: both models price a batch from the same parts.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <set>

#include "model/errors.h"
#include "model/plan.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/plan_models.h"
#include "planner/plans/operator_mapping.h"
#include "planner/plans/plan_operators.h"
#include "planner/plans/tiles_as_chips.h"

// Problem: predict the time of a plan's batch before anything is laid out, for many plans.
// Idea: the best mapping of each kind of operator is searched once and kept. Then two models price
// a plan from the same mappings. The first cuts operators into stages of even time and lets
// micro-batches follow each other at the pace of the slowest stage or transfer. The second is
// AMPeD, with tensor groups as its nodes.
// Source: DFModel for stages and partitions; PALM (arXiv:2406.03868), Eq. 1 for the pipeline and
// Algorithm 1 for memory traffic; AMPeD, Eqs. 1 to 12.
// Cost: a search for each kind, degree and micro-batch; then O(operators) mappings to price a plan.
namespace waferloom::planner {
namespace {

/// Bytes that the optimizer keeps for a parameter.
double state_bytes(const Plan& plan) {
  return static_cast<double>(optimizer_bytes(plan.optimizer));
}

std::string text_of(const OperatorKind& kind) {
  const OperatorCount counted = count(kind);
  std::string text(kind_name(kind));
  for (const std::int64_t number :
       {counted.matrix_flop, counted.element_flop, counted.parameters, counted.input,
        counted.output, counted.saved, counted.moved, counted.moved_whole}) {
    text += ' ';
    text += std::to_string(number);
  }
  return text;
}

/// An operator, and how the tiles of a tensor group share it.
struct SharedOperator {
  OperatorKind kind;
  OperatorRole role = OperatorRole::plain;
  bool by_samples = false;

  /// Whether each of so many tiles needs all of the input.
  bool takes_whole(std::int64_t tiles) const { return !by_samples && shares_input(kind, tiles); }
};

/// Of so many elements of input those that a tile needs.
double on_a_tile(const Plan& plan, const SharedOperator& op, std::int64_t elements) {
  const auto all = static_cast<double>(elements);
  const auto* gemm = std::get_if<GemmOperator>(&op.kind);
  if (gemm != nullptr && gemm->batch < plan.tensor) {
    // Its matrix on the right is gathered, rows of the left are shared.
    const double right = std::min(all, static_cast<double>(count(op.kind).saved_whole));
    return right + (all - right) / static_cast<double>(plan.tensor);
  }
  return op.takes_whole(plan.tensor) ? all : all / static_cast<double>(plan.tensor);
}

/// Likewise of elements that are kept until backward.
double kept_on_a_tile(const Plan& plan, const SharedOperator& op, std::int64_t elements) {
  if (plan.sequence_parallel) {
    return static_cast<double>(elements) / static_cast<double>(plan.tensor);
  }
  return on_a_tile(plan, op, elements);
}

/// Elements that forward keeps for backward, on a tile.
double kept_elements(const Plan& plan, const SharedOperator& op, const OperatorCount& counted) {
  if (op.role == OperatorRole::pooling) return 0;
  double shared = static_cast<double>(counted.saved - counted.saved_whole);
  if (plan.recompute == Recompute::selective)
    shared -= static_cast<double>(counted.saved_attention);
  return (std::max(0.0, shared) / static_cast<double>(plan.tensor) +
          kept_on_a_tile(plan, op, counted.saved_whole)) *
         static_cast<double>(plan.micro_batch);
}

/// Elements that an operator reads and writes on a tile: its input, a part of the output.
double passed_elements(const Plan& plan, const SharedOperator& op, const OperatorCount& counted) {
  // Rows of tables are pooled as they come.
  const std::int64_t input = op.role == OperatorRole::pooling ? 0 : counted.input;
  const std::int64_t output = op.role == OperatorRole::table ? 0 : counted.output;
  return (on_a_tile(plan, op, input) +
          static_cast<double>(output) / static_cast<double>(plan.tensor)) *
         static_cast<double>(plan.micro_batch);
}

/// Whether backward computes the operator again.
bool is_again(const Plan& plan, const Operator& op) {
  return plan.trains() && plan.recompute == Recompute::full &&
         std::holds_alternative<TransformerOperator>(op.kind);
}

/// The graph with `bytes` more of memory traffic, shared among kernels in proportion to their
/// outputs.
DataflowGraph with_traffic(DataflowGraph graph, double bytes) {
  double made = 0;
  for (const DataflowKernel& kernel : graph.kernels) made += kernel.output_bytes;
  for (DataflowKernel& kernel : graph.kernels) {
    kernel.dram_bytes += made > 0 ? bytes * kernel.output_bytes / made : 0;
  }
  return graph;
}

/// Seconds of a batch in which the chips of a tensor group add up the gradients of their copies.
double copies_s(const Plan& plan, const TilesAsChips& view, const PricedStage& stage,
                double element_bytes) {
  const double copied = stage.copied_parameters / static_cast<double>(plan.tensor - 1);
  return collective_rate(CollectiveKind::all_reduce, view.group).seconds(copied * element_bytes);
}

/// Seconds of a batch that replicas take to add up a stage's gradients.
double gradients_s(const Plan& plan, const TilesAsChips& view, const PricedStage& stage,
                   double element_bytes) {
  const std::vector<NetworkDimension>& replicas = view.replicas;
  // Copies in a tensor group have gradients of their samples each.
  const double copied_s =
      stage.copied_parameters == 0 ? 0 : copies_s(plan, view, stage, element_bytes);
  if (plan.data == 1) return copied_s;
  const double bytes = (stage.parameters + stage.copied_parameters) * element_bytes /
                       static_cast<double>(plan.tensor);
  // Of tables every replica changes the rows that all of them read.
  const double rows = stage.row_bytes * static_cast<double>(plan.micro_batches * plan.data) /
                      static_cast<double>(plan.tensor);
  const double rows_s =
      rows == 0 ? 0 : collective_rate(CollectiveKind::all_gather, replicas).seconds(rows);
  // ZeRO 3 also gathers the parameters, in forward and in backward of every micro-batch.
  const double gathers = plan.zero == 3 ? 2 * static_cast<double>(plan.micro_batches) : 0;
  return collective_rate(CollectiveKind::all_reduce, replicas).seconds(bytes) +
         gathers * collective_rate(CollectiveKind::all_gather, replicas).seconds(bytes) + rows_s +
         copied_s;
}

/// Seconds of the optimizer's pass: weights, gradients and states come in, weights and states go
/// out.
double update_s(const Plan& plan, const System& view, const PricedStage& stage,
                double element_bytes, bool resident) {
  if (resident || view.memories.empty()) return 0;
  const double replicas = plan.zero >= 1 ? static_cast<double>(plan.data) : 1;
  const double bytes = (stage.parameters + stage.copied_parameters) *
                       (3 * element_bytes + 2 * state_bytes(plan)) / replicas /
                       static_cast<double>(plan.tensor);
  return bytes / element_bytes_per_s(view);
}

/// The settings that operators are priced with.
struct PricingGround {
  ChipRates rates;
  bool activations_stay;
  double element_bytes;
};

/// The time of an operator for a micro-batch. Activations that do not stay in SRAM move from and to
/// memory: the operator's input and output, and what forward keeps for backward. An operator that
/// backward computes again keeps only its input (PALM, Algorithm 1).
PricedStage price(const Operator& op, const SharedOperator& shared, const OperatorMapping& mapping,
                  const Plan& plan, const PricingGround& ground) {
  const OperatorCount counted = count(op.kind);
  double moved = 0;
  if (!ground.activations_stay) {
    moved = passed_elements(plan, shared, counted);
    if (plan.trains() && !is_again(plan, op)) moved += kept_elements(plan, shared, counted);
  }
  const auto priced = [&](const DataflowGraph& graph) {
    return exposed_times(with_traffic(graph, moved * ground.element_bytes), mapping.partitions,
                         ground.rates);
  };
  PricedStage times;
  times.forward = priced(mapping.forward);
  if (plan.trains()) times.backward = priced(mapping.backward);
  if (is_again(plan, op)) {
    times.backward += exposed_times(mapping.forward, mapping.partitions, ground.rates);
  }
  times.parameters = static_cast<double>(counted.parameters);
  if (shared.role == OperatorRole::table) {
    std::swap(times.parameters, times.table_parameters);
    times.row_bytes = static_cast<double>(counted.output * plan.micro_batch) * ground.element_bytes;
  } else if (shared.by_samples && !is_graph_kernel(op.kind)) {
    times.copied_parameters = times.parameters * static_cast<double>(plan.tensor - 1);
  }
  times.most_passed = passed_elements(plan, shared, counted);
  times.kept_elements =
      is_again(plan, op) ? times.most_passed : kept_elements(plan, shared, counted);
  times.output_bytes =
      static_cast<double>(counted.output * plan.micro_batch) * ground.element_bytes;
  return times;
}

/// Cuts operators into stages. The longest stage takes the least possible time.
std::vector<PricedStage> stages_of(const std::vector<PricedStage>& operators, std::size_t parts) {
  if (operators.size() < parts) {
    throw RequestError(fmt::format("{} stages of {} operators", parts, operators.size()));
  }
  std::vector<double> costs;
  for (const PricedStage& priced_stage : operators) costs.push_back(priced_stage.total_s());
  const ChainCut<double> cut = cut_chain(costs, parts);
  std::vector<PricedStage> stages;
  for (std::size_t stage = 0; stage < parts; ++stage) {
    const std::size_t end = stage + 1 < parts ? cut.first[stage + 1] : operators.size();
    stages.push_back(operators[cut.first[stage]]);
    for (std::size_t i = cut.first[stage] + 1; i < end; ++i) stages[stage] += operators[i];
  }
  return stages;
}

std::vector<OperatorRole> roles_in(const Workload& workload) {
  const std::vector<Operator>& operators = workload.operators;
  std::vector<OperatorRole> roles(operators.size(), OperatorRole::plain);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    if (is_table(workload, op.kind)) roles[i] = OperatorRole::table;
    const auto names_table = [&](std::size_t at) { return roles[at] == OperatorRole::table; };
    const bool is_behind =
        !op.after.empty() && std::all_of(op.after.begin(), op.after.end(), names_table);
    const bool is_sum = std::holds_alternative<ReduceOperator>(op.kind);
    if (is_behind && is_sum) roles[i] = OperatorRole::pooling;
  }
  return roles;
}

/// A hardware's tiles, seen as chips.
PricedMachine machine_of(const Hardware& hardware) {
  PricedMachine machine;
  const auto living = std::make_shared<const Living>(hardware);
  machine.view = [&hardware, living](const Plan& plan) {
    return tiles_as_chips(hardware, *living, plan);
  };
  if (hardware.sram_bytes_per_tile) {
    machine.sram_bytes = static_cast<double>(*hardware.sram_bytes_per_tile);
  }
  machine.element_bytes = hardware.element_bytes;
  return machine;
}

}  // namespace

double BatchTimes::total_s() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

PlanTimer::PlanTimer(const Workload& workload, PricedMachine machine)
    : workload_(workload), machine_(std::move(machine)) {
  const std::vector<OperatorRole> roles = roles_in(workload);
  std::map<std::pair<std::string, OperatorRole>, std::size_t> known;
  for (std::size_t i = 0; i < workload.operators.size(); ++i) {
    const OperatorKind& kind = workload.operators[i].kind;
    const auto [at, is_new] = known.try_emplace({text_of(kind), roles[i]}, kinds_.size());
    if (is_new) {
      kinds_.push_back(kind);
      roles_.push_back(roles[i]);
    }
    kind_of_.push_back(at->second);
  }
}

PlanTimer::PlanTimer(const Workload& workload, const Hardware& hardware)
    : PlanTimer(workload, machine_of(hardware)) {
  const bool has_layers = std::any_of(kinds_.begin(), kinds_.end(), [](const OperatorKind& kind) {
    return std::holds_alternative<TransformerOperator>(kind);
  });
  if (has_layers && !workload.kept.weights) amped_ = amped_network(workload);
}

bool PlanTimer::is_resident(const Plan& plan) const {
  if (!machine_.sram_bytes) return true;
  const auto tiles = static_cast<double>(plan.tensor * plan.pipeline);
  return weight_bytes(plan) <= tiles * *machine_.sram_bytes;
}

double PlanTimer::weight_bytes(const Plan& plan) const {
  double parameters = 0;
  double weights = 0;
  for (const Operator& op : workload_.operators) {
    if (is_left_out(plan, op)) continue;
    const OperatorCount counted = count(op.kind);
    parameters += static_cast<double>(counted.parameters);
    weights += static_cast<double>(
        waferloom::weight_bytes(counted, workload_.kept, machine_.element_bytes));
  }
  return plan.trains() ? parameters * (2 * element_bytes() + state_bytes(plan)) : weights;
}

bool PlanTimer::activations_stay(const Plan& plan) const {
  if (machine_.moves_activations) return false;
  if (!machine_.sram_bytes) return true;
  const auto in_flight = static_cast<double>(std::min(plan.pipeline, plan.micro_batches));
  double kept = 0;
  double largest = 0;
  for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
    const Operator& op = workload_.operators[i];
    if (is_left_out(plan, op)) continue;
    const OperatorCount counted = count(op.kind);
    const SharedOperator shared{op.kind, roles_[kind_of_[i]], machine_.by_samples};
    kept += is_again(plan, op) ? passed_elements(plan, shared, counted)
                               : kept_elements(plan, shared, counted);
    largest = std::max(largest, passed_elements(plan, shared, counted));
  }
  const double elements =
      plan.trains() ? kept * in_flight / static_cast<double>(plan.pipeline) : largest;
  double room = *machine_.sram_bytes;
  if (is_resident(plan)) {
    room -= weight_bytes(plan) / static_cast<double>(plan.tensor * plan.pipeline);
  }
  return elements * element_bytes() <= room;
}

PlanTimer::Stays PlanTimer::stays(const Plan& plan) const {
  return {is_resident(plan), activations_stay(plan)};
}

PlanTimer::Key PlanTimer::key(std::size_t kind, const Plan& plan, const Stays& stays) {
  return {kind,          plan.tensor,       plan.micro_batch,
          stays.weights, stays.activations, plan.sequence_parallel,
          plan.reuse};
}

OperatorMapping PlanTimer::mapped(std::size_t kind, const Plan& plan, const Stays& stays) const {
  OperatorPass pass;
  pass.tensor = plan.tensor;
  pass.samples = plan.micro_batch;
  pass.element_bytes = element_bytes();
  pass.weights = workload_.kept.weights;
  pass.resident = stays.weights;
  pass.activations_stay = stays.activations;
  pass.reuse = plan.reuse;
  pass.role = roles_[kind];
  pass.by_samples = machine_.by_samples;
  TilesAsChips chips = machine_.view(plan);
  const System& view = chips.system;
  pass.group = std::move(chips.group);
  const auto samples = static_cast<double>(plan.micro_batch);
  pass.element_cost = {flop_per_byte(view, samples), pass.element_bytes, plan.sequence_parallel};
  return map_operator(kinds_[kind], view, pass);
}

bool PlanTimer::prepare(const std::vector<Plan>& plans, int threads, const RunControl& control) {
  std::map<Key, Plan> missing;
  for (const Plan& plan : plans) {
    if (control.is_cut()) return false;
    const Stays stay = stays(plan);
    std::set<std::size_t> kinds;
    for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
      if (!is_left_out(plan, workload_.operators[i])) kinds.insert(kind_of_[i]);
    }
    for (const std::size_t kind : kinds) {
      const Key wanted = key(kind, plan, stay);
      if (!mappings_.contains(wanted)) missing.emplace(wanted, plan);
    }
  }
  std::vector<std::pair<Key, const Plan*>> work;
  for (const auto& [wanted, plan] : missing) work.emplace_back(wanted, &plan);
  std::vector<OperatorMapping> found(work.size());
  std::vector<std::string> refused(work.size());
  std::atomic<bool> is_cut{false};
  parallel_tasks(work.size(), threads, [&](std::size_t i) {
    const Plan& plan = *work[i].second;
    if (is_cut) return;
    if (control.is_cut()) {
      is_cut = true;
      return;
    }
    try {
      const auto& [kind, tensor, samples, weights, activations, shares, reuse] = work[i].first;
      found[i] = mapped(kind, plan, {weights, activations});
    } catch (const RequestError& error) {
      refused[i] = error.what();
    }
  });
  if (is_cut) return false;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (!refused[i].empty()) throw RequestError(refused[i]);
    mappings_.emplace(work[i].first, std::move(found[i]));
  }
  return true;
}

std::vector<PricedStage> PlanTimer::priced(const Plan& plan, const Stays& stay,
                                           const TilesAsChips& view) const {
  const PricingGround ground{group_rates(view.system, view.group, plan.micro_batch),
                             stay.activations, element_bytes()};
  std::map<std::size_t, PricedStage> by_kind;
  std::vector<PricedStage> operators;
  for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
    if (is_left_out(plan, workload_.operators[i])) continue;
    const auto [at, is_new] = by_kind.try_emplace(kind_of_[i]);
    if (is_new) {
      at->second = price(workload_.operators[i],
                         {kinds_[kind_of_[i]], roles_[kind_of_[i]], machine_.by_samples},
                         mappings_.at(key(kind_of_[i], plan, stay)), plan, ground);
    }
    operators.push_back(at->second);
  }
  return operators;
}

std::vector<PricedStage> PlanTimer::stages(const Plan& plan) const {
  return stages_of(priced(plan, stays(plan), machine_.view(plan)),
                   static_cast<std::size_t>(plan.pipeline));
}

PlanTime PlanTimer::dfmodel(const Plan& plan) const {
  const TilesAsChips view = machine_.view(plan);
  const Stays stay = stays(plan);
  const std::vector<PricedStage> stages =
      stages_of(priced(plan, stay, view), static_cast<std::size_t>(plan.pipeline));
  const PricedStage* slowest = &stages.front();
  double period = 0;
  double fill = 0;
  double transfers = 0;
  PlanTime time;
  BatchTimes& batch = time.batch;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const PricedStage& stage = stages[i];
    const bool sends = i + 1 < stages.size();
    const double value =
        sends ? view.stage_latency_s + stage.output_bytes / view.stage_bytes_per_s : 0;
    fill += stage.total_s();
    transfers += plan.trains() ? 2 * value : value;
    // The two directions have separate links.
    if (std::max(stage.total_s(), value) > period) {
      period = std::max(stage.total_s(), value);
      slowest = &stage;
    }
    if (!plan.trains()) continue;
    batch[BatchPart::data] =
        std::max(batch[BatchPart::data], gradients_s(plan, view, stage, element_bytes()));
    batch[BatchPart::update] =
        std::max(batch[BatchPart::update],
                 update_s(plan, view.system, stage, element_bytes(), stay.weights));
  }
  const auto micro_batches = static_cast<double>(plan.micro_batches);
  ExposedTimes both = slowest->forward;
  both += slowest->backward;
  batch[BatchPart::compute] = micro_batches * both.compute_s;
  batch[BatchPart::memory] = micro_batches * both.memory_s;
  batch[BatchPart::tensor] = micro_batches * both.network_s;
  // A stage sends its output while it works. Sending counts only where it takes longer.
  batch[BatchPart::pipeline] = transfers + (micro_batches - 1) * (period - slowest->total_s());
  batch[BatchPart::bubble] = fill - slowest->total_s();
  time.latency_s = fill + transfers;
  const auto samples = static_cast<double>(plan.samples());
  time.samples_per_s = plan.trains() ? samples * micro_batches / batch.total_s() : samples / period;
  return time;
}

AmpedTraining amped_training(const Plan& plan) {
  AmpedTraining training;
  training.batch = static_cast<double>(plan.samples() * plan.micro_batches);
  training.micro_batches = static_cast<double>(plan.micro_batches);
  training.recompute = plan.recompute == Recompute::full;
  training.recompute_attention = plan.recompute == Recompute::selective;
  training.zero_overhead = plan.zero == 3 ? 0.5 : 0;
  training.zero = plan.zero;
  training.sequence_parallel = plan.sequence_parallel;
  training.bubble_ratio = 1 / static_cast<double>(plan.chunks);
  return training;
}

std::optional<PlanTime> PlanTimer::amped(const Plan& plan) const {
  if (!amped_ || !plan.trains()) return std::nullopt;
  const TilesAsChips view = machine_.view(plan);
  AmpedDegrees degrees;
  degrees.inside.tensor = plan.tensor;
  degrees.among.data = plan.data;
  degrees.among.pipeline = plan.pipeline;
  AmpedTraining training = amped_training(plan);
  training.transfers = TransferForm::every;
  const double bits = 8 * element_bytes();
  training.parameter_bits = training.activation_bits = training.gradient_bits = bits;
  const AmpedBreakdown found = amped_time(*amped_, view.system, degrees, training);
  PlanTime time;
  BatchTimes& batch = time.batch;
  batch[BatchPart::compute] = found.forward + found.backward;
  batch[BatchPart::update] = found.update;
  batch[BatchPart::tensor] = found.tensor_inside + found.tensor_among + found.experts;
  batch[BatchPart::pipeline] = found.pipeline;
  batch[BatchPart::data] = found.gradients_inside + found.gradients_among + found.zero;
  batch[BatchPart::bubble] = found.bubble;
  time.samples_per_s = training.batch / batch.total_s();
  time.latency_s = (static_cast<double>(plan.pipeline) *
                        (found.forward + found.backward + batch[BatchPart::tensor]) +
                    found.pipeline) /
                   training.micro_batches;
  return time;
}

std::optional<OperatorMapping> PlanTimer::layer(const Plan& plan) const {
  for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
    const Operator& op = workload_.operators[i];
    if (is_left_out(plan, op) || !std::holds_alternative<TransformerOperator>(op.kind)) continue;
    return mapped(kind_of_[i], plan, stays(plan));
  }
  return std::nullopt;
}

}  // namespace waferloom::planner
