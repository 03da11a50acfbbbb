#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "kernels/int128.h"
#include "model/text.h"
#include "planner/amped/divisors.h"
#include "planner/centimani.h"
#include "planner/centimani/batch_choice.h"
#include "planner/centimani/liveness.h"
#include "planner/plan_models.h"
#include "planner/plans/tiles_as_chips.h"

namespace waferloom::planner {
namespace {

constexpr auto kGradients = static_cast<std::size_t>(TensorClass::gradients);
constexpr std::size_t kClass[] = {static_cast<std::size_t>(TensorClass::algorithm), kGradients,
                                  static_cast<std::size_t>(TensorClass::weights)};

/// Behind the classes of tensors: gradients of outputs alone, which replicas do not divide.
constexpr std::size_t kOutputGradients = kTensorClasses;

/// Peaks of a stage by class.
std::vector<double> training_bytes(std::vector<OperatorFootprint> stage,
                                   const TrainingOptions& options) {
  std::vector<double> classes = class_peaks(training_graph(stage, options));
  for (OperatorFootprint& footprint : stage) footprint.parameters = 0;
  classes.push_back(class_peaks(training_graph(stage, options))[kGradients]);
  return classes;
}

/// Forward alone: weights, and what the largest operator takes and leaves.
std::vector<double> inference_bytes(const std::vector<OperatorFootprint>& stage, const Plan& plan) {
  std::vector<double> classes(kTensorClasses + 1, 0);
  double largest = 0;
  for (const OperatorFootprint& footprint : stage) {
    classes[static_cast<std::size_t>(TensorClass::weights)] += footprint.weight_bytes;
    largest = std::max(largest, footprint.output_bytes);
  }
  classes[static_cast<std::size_t>(TensorClass::io)] =
      2 * largest * static_cast<double>(plan.micro_batch);
  return classes;
}

}  // namespace

PlanFitter::PlanFitter(const Workload& workload, const Hardware& hardware)
    : workload_(workload),
      hardware_(hardware),
      living_(hardware),
      whole_(operator_footprints(workload, static_cast<double>(hardware.element_bytes))),
      recomputed_(whole_) {
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    const bool is_layer = std::holds_alternative<TransformerOperator>(workload.operators[i].kind);
    if (is_layer) recomputed_[i].saved_bytes = 0;
  }
}

const PlanFitter::Bytes& PlanFitter::bytes(const Plan& plan, bool recompute) {
  const std::int64_t most_in_flight = std::min(plan.pipeline, plan.micro_batches);
  const int mode = (plan.trains() ? 1 : 0) + (plan.optimizer == Optimizer::adam ? 2 : 0);
  const Key key{plan.pipeline, plan.micro_batch, most_in_flight, recompute, mode};
  const auto [at, is_new] = known_.try_emplace(key);
  if (!is_new) return at->second;
  auto [ranges, is_uncut] = ranges_.try_emplace(plan.pipeline);
  if (is_uncut) ranges->second = cut_stages(workload_, plan.pipeline);
  Bytes& found = at->second;
  found.together.assign(kTensorClasses + 1, 0);
  found.largest.assign(kTensorClasses + 1, 0);
  double most = 0;
  const std::vector<OperatorFootprint>& operators = recompute ? recomputed_ : whole_;
  for (std::size_t i = 0; i < ranges->second.size(); ++i) {
    const auto& [first, last] = ranges->second[i];
    const std::vector<OperatorFootprint> stage = part(operators, first, last);
    const std::int64_t in_flight =
        std::min(plan.pipeline - static_cast<std::int64_t>(i), plan.micro_batches);
    TrainingOptions options;
    options.batch = plan.micro_batch * in_flight;
    options.element_bytes = static_cast<double>(hardware_.element_bytes);
    options.optimizer = plan.optimizer;
    const std::vector<double> classes =
        plan.trains() ? training_bytes(stage, options) : inference_bytes(stage, plan);
    for (std::size_t kind = 0; kind < classes.size(); ++kind) found.together[kind] += classes[kind];
    const double sum = std::accumulate(classes.begin(), classes.end() - 1, 0.0);
    if (sum <= most) continue;
    most = sum;
    found.largest = classes;
  }
  for (double& value : found.largest) value *= static_cast<double>(plan.pipeline);
  return found;
}

MicroBatchFit PlanFitter::fit(const Plan& degrees, std::int64_t batch) {
  MicroBatchFit fit;
  const TilesAsChips view = tiles_as_chips(hardware_, living_, degrees);
  fit.machine = view.system;
  const auto tiles = static_cast<double>(degrees.tiles() * degrees.pipeline);
  fit.machine.chip.sram_bytes *= tiles;
  for (MemoryLevel& memory : fit.machine.memories) memory.bytes *= tiles;
  const bool pooled = !view.system.memories.empty() && !hardware_.dram_bytes_per_tile;
  const std::vector<std::int64_t> candidates =
      divisors(std::max<std::int64_t>(1, batch / degrees.data));
  const auto level_bytes = [&](std::int64_t micro_batch, bool recompute) {
    Plan plan = degrees;
    plan.micro_batch = micro_batch;
    plan.micro_batches = std::max<std::int64_t>(1, batch / degrees.data / micro_batch);
    const Bytes& found = bytes(plan, recompute);
    const std::vector<double>& classes = pooled ? found.together : found.largest;
    const auto replicas = static_cast<double>(degrees.data);
    std::vector<double> levels(fit.machine.memories.size() + 1, 0);
    for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
      // ZeRO: replicas divide states, then gradients, then weights.
      const auto* const at = std::find(std::begin(kClass), std::end(kClass), kind);
      const bool divided = at - std::begin(kClass) < degrees.zero;
      double all = classes[kind] * (divided ? 1 : replicas);
      if (divided && kind == kGradients && degrees.data > 1) {
        // As many bytes of the weights' gradients as of weights; of outputs a replica has its own.
        all = classes[static_cast<std::size_t>(TensorClass::weights)] +
              classes[kOutputGradients] * replicas;
      }
      levels[fit.machine.level_of[kind]] += all;
    }
    return levels;
  };
  const auto room = [&](const std::vector<double>& levels) {
    for (std::size_t level = 0; level < levels.size(); ++level) {
      if (levels[level] > fit.machine.level_bytes(level)) return false;
    }
    return true;
  };
  for (const std::int64_t candidate : candidates) {
    fit.recomputed.push_back(degrees.trains() && !room(level_bytes(candidate, false)));
  }
  fit.choice = choose_batch(candidates, fit.machine, [&](std::int64_t candidate) {
    const auto at = std::find(candidates.begin(), candidates.end(), candidate);
    return level_bytes(candidate,
                       fit.recomputed[static_cast<std::size_t>(at - candidates.begin())]);
  });
  return fit;
}

std::optional<std::string> why_nothing_fits(const Workload& workload, const Hardware& hardware,
                                            const Plan& base) {
  if (hardware.dram_bytes_per_tile || !base.leave_out.empty()) return std::nullopt;
  const Living living(hardware);
  const LivePorts& ports = hardware.dram_ports.empty() ? living.host_ports() : living.dram_ports();
  const bool are_lost = ports.places.empty() && ports.lost > 0;
  if (!ports.capacity_bytes && !are_lost) return std::nullopt;
  const Int128 room = ports.capacity_bytes.value_or(0);
  const std::int64_t states = base.trains() ? optimizer_bytes(base.optimizer) : 0;
  const OperatorCount counted = count(workload);
  const Int128 needed = weight_bytes(counted, workload.kept, hardware.element_bytes) +
                        Int128(counted.parameters) * states;
  if (needed <= room) return std::nullopt;
  return std::string(states > 0 ? "weights and optimizer states" : "weights") + " alone need " +
         whole_bytes_text(static_cast<double>(needed)) + " bytes of edge memory, and there are " +
         whole_bytes_text(static_cast<double>(room)) +
         (ports.lost > 0
              ? fmt::format(
                    " behind ports that live: {} ports are at tiles that are dead or cut off",
                    ports.lost)
              : "");
}

}  // namespace waferloom::planner
