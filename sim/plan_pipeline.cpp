#include "sim/plan_pipeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "kernels/int128.h"
#include "sim/edge_channels.h"
#include "sim/mesh.h"
#include "sim/partition.h"
#include "sim/stage_layout.h"

namespace waferloom {
namespace {

class PlanPipeline {
 public:
  PlanPipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
               Meeting meeting)
      : workload_(workload),
        plan_(plan),
        hardware_(hardware),
        meeting_(meeting),
        mesh_(hardware),
        trains_(plan.schedule != Schedule::inference) {
    choose_operators();
    find_rate();
  }

  PlannedPipeline build() {
    result_.samples = plan_.samples();
    result_.spec.training = trains_;
    result_.spec.backward_last = plan_.schedule == Schedule::gpipe;
    cut();
    for (std::size_t i = 0; i < result_.stages.size(); ++i) add_stage(i);
    add_tensors();
    add_ends();
    return std::move(result_);
  }

 private:
  /// Those that take part, in their order.
  void choose_operators() {
    std::set<std::string> left_out(plan_.leave_out.begin(), plan_.leave_out.end());
    for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
      if (left_out.erase(workload_.operators[i].name) == 0) chosen_.push_back(i);
    }
    if (!left_out.empty()) {
      throw std::invalid_argument("leave_out: there is no operator " + *left_out.begin());
    }
    // No sum below exceeds this one.
    const OperatorCount all = count(workload_);
    if (Int128(plan_.samples()) *
            (Int128(all.matrix_flop) + all.element_flop + all.backward_flop()) >
        kMostFlop) {
      throw std::invalid_argument("a micro-batch takes more than 10^18 operations");
    }
  }

  void find_rate() {
    const auto peak = hardware_.peak_flop_per_s_per_tile.find(plan_.data_type);
    if (peak == hardware_.peak_flop_per_s_per_tile.end()) {
      throw std::invalid_argument("the hardware has no peak_flop_per_s_per_tile of " +
                                  plan_.data_type);
    }
    stage_flop_per_s_ = static_cast<double>(peak->second) *
                        static_cast<double>(hardware_.achievable_percent) / 100.0 *
                        static_cast<double>(plan_.tiles());
    result_.flop_per_s = stage_flop_per_s_ * static_cast<double>(plan_.pipeline);
  }

  /// Stages of operators, by how long they compute.
  void cut() {
    std::vector<std::int64_t> works;
    for (const std::size_t at : chosen_) works.push_back(flop(count(workload_.operators[at].kind)));
    const auto begins = even_parts(works, static_cast<std::size_t>(plan_.pipeline));
    const Grouping groups{hardware_.group_columns, hardware_.group_rows};
    const std::vector<Rectangle> tiles = lay_out_stages(plan_, hardware_.wafer, groups);
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : chosen_.size();
      PlannedStage stage;
      stage.tiles = tiles[i];
      stage.operators.assign(chosen_.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                             chosen_.begin() + static_cast<std::ptrdiff_t>(end));
      stage.name = "s" + std::to_string(i);
      for (const std::size_t at : stage.operators) stage_of_[at] = i;
      result_.stages.push_back(std::move(stage));
    }
    for (const std::int64_t work : works) result_.sample_flop += work;
  }

  std::int64_t flop(const OperatorCount& counted) const {
    return counted.matrix_flop + counted.element_flop + (trains_ ? counted.backward_flop() : 0);
  }

  Picoseconds compute_time(std::int64_t flop) const {
    constexpr double kLongest = 1e17;
    const double time = static_cast<double>(flop) / stage_flop_per_s_ * 1e12;
    if (time > kLongest) throw std::invalid_argument("a stage takes more than 10^17 ps");
    return std::max<Picoseconds>(1, static_cast<Picoseconds>(std::llround(time)));
  }

  std::int64_t bytes_of(Int128 elements) const {
    const Int128 bytes = elements * hardware_.element_bytes;
    if (bytes > kMostBytes) throw std::invalid_argument("a tensor has more than 10^15 bytes");
    return static_cast<std::int64_t>(bytes);
  }

  void add_stage(std::size_t index) {
    PlannedStage& stage = result_.stages[index];
    const StageGroups groups = stage_groups(stage.tiles, plan_.tensor, plan_.data);
    const RingAllReduce tensor(mesh_, hardware_.endpoint_latency_ps, groups.tensor, meeting_);
    const RingAllReduce data(mesh_, hardware_.endpoint_latency_ps, groups.data, meeting_);
    Picoseconds forward_exchange = 0;
    Picoseconds backward_exchange = 0;
    for (const std::size_t at : stage.operators) {
      const OperatorKind& kind = workload_.operators[at].kind;
      const OperatorCount counted = count(kind);
      stage.forward_flop += plan_.samples() * (counted.matrix_flop + counted.element_flop);
      stage.backward_flop += plan_.samples() * counted.backward_flop();
      stage.parameters += counted.parameters;
      for (const AllReduce& sum : all_reduces(kind, plan_.samples(), degrees_of(kind))) {
        const std::int64_t bytes = bytes_of(sum.elements);
        if (sum.phase == AllReduce::Phase::forward) forward_exchange += tensor.time(bytes);
        if (sum.phase == AllReduce::Phase::backward) backward_exchange += tensor.time(bytes);
        if (sum.phase == AllReduce::Phase::update) stage.update += data.time(bytes);
      }
    }
    StageSpec spec;
    spec.name = stage.name;
    spec.forward_exchange = forward_exchange;
    spec.forward = compute_time(stage.forward_flop) + forward_exchange;
    if (trains_) {
      spec.backward_exchange = backward_exchange;
      spec.backward = compute_time(stage.backward_flop) + backward_exchange;
      spec.most_in_flight = plan_.schedule == Schedule::gpipe
                                ? plan_.micro_batches
                                : plan_.pipeline - static_cast<std::int64_t>(index);
    }
    result_.spec.stages.push_back(std::move(spec));
  }

  /// A pool has no output features that its neighbours do not share.
  Degrees degrees_of(const OperatorKind& kind) const {
    Degrees degrees;
    degrees.batch = plan_.data;
    if (!std::holds_alternative<PoolOperator>(kind)) degrees.out = plan_.tensor;
    return degrees;
  }

  /// A channel for every two stages of which the later takes tensors from the earlier; a tensor
  /// that several of its operators take moves once.
  void add_tensors() {
    std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> tensors;
    for (const std::size_t at : chosen_) {
      for (const std::size_t before : workload_.operators[at].after) {
        const auto from = stage_of_.find(before);
        if (from == stage_of_.end() || from->second == stage_of_.at(at)) continue;
        tensors[{from->second, stage_of_.at(at)}].insert(before);
      }
    }
    for (const auto& [ends, producers] : tensors) {
      const auto [from, to] = ends;
      ChannelSpec channel;
      channel.producer = from;
      channel.consumer = to;
      channel.name = result_.stages[from].name + " -> " + result_.stages[to].name;
      Int128 elements = 0;
      for (const std::size_t at : producers) elements += count(workload_.operators[at].kind).output;
      channel.bytes = bytes_of(elements * plan_.samples());
      channel.lanes =
          lanes_between(result_.stages[from].tiles, result_.stages[to].tiles, hardware_.lanes_max);
      // Deep enough that a balanced pipeline never stalls for it.
      const auto apart = static_cast<std::int64_t>(to - from);
      channel.buffer_samples = hardware_.buffer_samples.value_or(
          std::max(1 + std::max<std::int64_t>(1, apart),
                   trains_ ? result_.spec.stages[from].most_in_flight : 0));
      result_.spec.channels.push_back(std::move(channel));
    }
  }

  /// What comes in from outside; of inference also what goes out.
  void add_ends() {
    const EdgeChannels edge(hardware_, result_.spec);
    for (const std::size_t at : chosen_) {
      const Operator& one = workload_.operators[at];
      const bool is_fed = std::any_of(one.after.begin(), one.after.end(), [&](std::size_t before) {
        return stage_of_.contains(before);
      });
      if (!is_fed) add_end(edge, at, count(one.kind).input, true);
    }
    const std::size_t last = chosen_.back();
    if (!trains_) add_end(edge, last, count(workload_.operators[last].kind).output, false);
  }

  void add_end(const EdgeChannels& edge, std::size_t at, std::int64_t elements, bool input) {
    const std::size_t stage = stage_of_.at(at);
    const std::string& name = workload_.operators[at].name;
    ChannelSpec channel;
    (input ? channel.consumer : channel.producer) = stage;
    channel.name = input ? "input -> " + name : name + " -> output";
    channel.bytes = bytes_of(Int128(elements) * plan_.samples());
    channel.buffer_samples = hardware_.buffer_samples.value_or(2);
    edge.connect(channel, input ? "input" : "output", result_.stages[stage].tiles);
    result_.spec.channels.push_back(std::move(channel));
  }

  static constexpr std::int64_t kMostFlop = 1'000'000'000'000'000'000;
  static constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;

  const Workload& workload_;
  const Plan& plan_;
  const Hardware& hardware_;
  Meeting meeting_;
  Mesh mesh_;
  bool trains_;
  std::vector<std::size_t> chosen_;
  std::map<std::size_t, std::size_t> stage_of_;  // by operator
  double stage_flop_per_s_ = 0;
  PlannedPipeline result_;
};

}  // namespace

PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              Meeting meeting) {
  return PlanPipeline(workload, plan, hardware, meeting).build();
}

}  // namespace waferloom
