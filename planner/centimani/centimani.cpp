#include "planner/centimani.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "model/errors.h"
#include "planner/centimani/batch_choice.h"
#include "planner/centimani/decoupled_time.h"
#include "planner/centimani/liveness.h"
#include "planner/network/network_keys.h"

namespace waferloom::planner {
namespace {

double training_flop(const Operator& op) {
  const OperatorCount counted = count(op.kind);
  return static_cast<double>(counted.matrix_flop) + static_cast<double>(counted.element_flop) +
         static_cast<double>(counted.backward_flop());
}

void check_options(const System& system, const CentimaniOptions& options) {
  if (options.chips < 1 || options.chips > system.chips()) {
    throw RequestError(fmt::format("expected 1 to {} chips of {}, found {}", system.chips(),
                                   system.name, options.chips));
  }
  if (options.stages < 1 || options.chips % options.stages != 0) {
    throw RequestError(
        fmt::format("{} stages do not divide {} chips", options.stages, options.chips));
  }
}

/// Works out the candidates one after the other.
class Predictor {
 public:
  Predictor(const Workload& workload, const System& system, const CentimaniOptions& options)
      : workload_(workload),
        system_(system),
        options_(options),
        ranges_(cut_stages(workload, options.stages)) {
    for (std::size_t stage = 0; stage < ranges_.size(); ++stage) {
      for (std::size_t i = ranges_[stage].first; i <= ranges_[stage].second; ++i) {
        stage_of_.push_back(stage);
      }
    }
  }

  TrainingOptions training(std::int64_t batch) const {
    return {batch, options_.element_bytes, options_.optimizer, options_.replicas() > 1};
  }

  std::vector<double> memory(std::int64_t batch) const {
    return level_bytes(workload_, ranges_, system_, training(batch));
  }

  BatchTime time(const BatchCandidate& candidate) const {
    BatchTime result;
    PartitionGraph graph = devices(candidate, result.measured_operators);
    add_traffic(candidate.batch, graph);
    const DevicePath path = longest_path(graph);
    result.stages.compute_s = path.compute_s;
    result.stages.transfer_s = path.transfer_s;
    result.stages.exchange_s = exchange_time(
        compressed_bytes(largest_gradients(), options_.element_bytes, options_.compression),
        options_.replicas(), options_.learning, system_);
    const auto samples = static_cast<double>(candidate.batch);
    const double bytes =
        samples * static_cast<double>(count(workload_).input) * options_.element_bytes;
    result.stages.host =
        host_time({.samples = samples, .bytes = bytes}, system_.host, options_.measured);
    result.step_s = without_overlap(result.stages, system_.overlap);
    result.samples_per_s = samples * static_cast<double>(options_.replicas()) / result.step_s;
    return result;
  }

  std::vector<double> class_bytes(std::int64_t batch) const {
    std::vector<double> most(kTensorClasses, 0);
    const std::vector<OperatorFootprint> operators =
        operator_footprints(workload_, options_.element_bytes);
    for (const auto& [first, last] : ranges_) {
      const auto peaks = class_peaks(training_graph(part(operators, first, last), training(batch)));
      for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], peaks[i]);
    }
    return most;
  }

  const std::vector<StageRange>& ranges() const { return ranges_; }

 private:
  PartitionGraph devices(const BatchCandidate& candidate, std::size_t& measured) const {
    const OperatorPlacement placement{
        std::max(0.0, system_.chip.sram_bytes - candidate.level_bytes[kSramLevel]),
        options_.element_bytes};
    PartitionGraph graph;
    graph.compute_s.assign(ranges_.size(), 0);
    for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
      const OperatorKind& kind = workload_.operators[i].kind;
      const auto known = measured_time(options_.measured, kind, candidate.batch);
      if (known) ++measured;
      const OperatorTime time =
          known ? *known : roofline_time(kind, candidate.batch, system_, placement);
      graph.compute_s[stage_of_[i]] += time.forward_s + time.backward_s;
    }
    return graph;
  }

  /// An output goes to each other part that takes it, once; its gradient comes back.
  void add_traffic(std::int64_t batch, PartitionGraph& graph) const {
    if (ranges_.size() < 2) return;
    const NetworkDimension& dimension = system_.dimensions.front();
    std::map<std::pair<std::size_t, std::size_t>, double> traffic;  // bytes by producer and part
    for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
      for (const std::size_t from : workload_.operators[i].after) {
        if (stage_of_[from] == stage_of_[i]) continue;
        traffic[{from, stage_of_[i]}] =
            2 * static_cast<double>(count(workload_.operators[from].kind).output) *
            static_cast<double>(batch) * options_.element_bytes;
      }
    }
    std::map<std::pair<std::size_t, std::size_t>, double> between;
    for (const auto& [key, bytes] : traffic) between[{stage_of_[key.first], key.second}] += bytes;
    for (const auto& [key, bytes] : between) {
      graph.edges.push_back(
          {key.first, key.second, bytes / dimension.link_bytes_per_s + 2 * dimension.latency_s});
    }
  }

  double largest_gradients() const {
    std::vector<double> bytes(ranges_.size(), 0);
    for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
      bytes[stage_of_[i]] += static_cast<double>(count(workload_.operators[i].kind).parameters) *
                             options_.element_bytes;
    }
    return *std::max_element(bytes.begin(), bytes.end());
  }

  const Workload& workload_;
  const System& system_;
  const CentimaniOptions& options_;
  std::vector<StageRange> ranges_;
  std::vector<std::size_t> stage_of_;  ///< of each operator
};

}  // namespace

std::vector<StageRange> cut_stages(const Workload& workload, std::int64_t stages) {
  const std::size_t operators = workload.operators.size();
  const auto parts = static_cast<std::size_t>(stages);
  if (stages < 1 || parts > operators) {
    throw RequestError(fmt::format("expected 1 to {} stages, one operator or more each, found {}",
                                   operators, stages));
  }
  double total = 0;
  for (const Operator& op : workload.operators) total += training_flop(op);
  std::vector<StageRange> ranges;
  std::size_t first = 0;
  double done = 0;
  for (std::size_t i = 0; i < operators; ++i) {
    done += training_flop(workload.operators[i]);
    const std::size_t to_come = parts - ranges.size() - 1;  // parts behind this one
    if (to_come == 0) break;
    const double target =
        total * static_cast<double>(ranges.size() + 1) / static_cast<double>(parts);
    if (done >= target || operators - i - 1 == to_come) {
      ranges.emplace_back(first, i);
      first = i + 1;
    }
  }
  ranges.emplace_back(first, operators - 1);
  return ranges;
}

std::vector<double> level_bytes(const Workload& workload, const std::vector<StageRange>& stages,
                                const System& system, const TrainingOptions& training) {
  const std::vector<OperatorFootprint> operators =
      operator_footprints(workload, training.element_bytes);
  std::vector<double> most(system.memories.size() + 1, 0);
  for (const auto& [first, last] : stages) {
    const std::vector<LevelUse> uses =
        memory_use(training_graph(part(operators, first, last), training), system);
    for (std::size_t i = 0; i < uses.size(); ++i) most[i] = std::max(most[i], uses[i].peak);
  }
  return most;
}

CentimaniResult centimani(const Workload& workload, const System& system,
                          const CentimaniOptions& options) {
  demand_known(workload, NetworkUser::centimani);
  check_options(system, options);
  const Predictor predictor(workload, system, options);
  CentimaniResult result;
  result.ranges = predictor.ranges();
  result.choice = choose_batch(options.batches, system,
                               [&](std::int64_t batch) { return predictor.memory(batch); });
  for (const BatchCandidate& candidate : result.choice.candidates) {
    result.times.push_back(predictor.time(candidate));
  }
  if (result.choice.best) {
    result.class_bytes = predictor.class_bytes(result.choice.candidates[*result.choice.best].batch);
  }
  return result;
}

}  // namespace waferloom::planner
