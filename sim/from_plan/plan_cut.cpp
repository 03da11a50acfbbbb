#include "sim/from_plan/plan_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/plan.h"
#include "model/text.h"
#include "sim/from_plan/layer_streams.h"
#include "sim/from_plan/stage_branches.h"
#include "sim/plan_pipeline.h"

// Problem: cut a workload into the stages of a plan, with the work of each and the bytes between
// them.
// Idea: operators stay in their order, so a stage is an interval of them. The plan binds the
// intervals, or the costliest stage is made as cheap as possible. A tensor that several operators
// of a stage take moves there once.
// Source: ours; the cut of a chain is exact (model/plan.h).
// Cost: O(V + E log E) without the cut of the chain, for V operators with E inputs.
namespace waferloom::sim {
namespace {

constexpr std::int64_t kMostTensorBytes = 1'000'000'000'000'000;
constexpr std::int64_t kMostFlop = 4'000'000'000'000'000'000;

class Cutter {
 public:
  Cutter(const Workload& workload, const Plan& plan, const Hardware& hardware)
      : workload_(workload), plan_(plan), hardware_(hardware) {}

  PlanCut run() {
    check_degrees();
    check_layer();
    if (!plan_.stages.empty() && plan_.stages.size() != static_cast<std::size_t>(plan_.parts())) {
      throw PlanFault({"stages"}, fmt::format("stages: expected {}, found {}", plan_.parts(),
                                              plan_.stages.size()));
    }
    if (plan_.schedule == Schedule::interleaved) check_interleaving();
    choose_operators();
    find_rate();
    add_stages();
    check_branches(workload_, plan_, cut_);
    add_edges();
    add_ends();
    return std::move(cut_);
  }

 private:
  void check_degrees() const {
    if (plan_.degrees.empty()) return;
    std::set<std::string_view> known;
    for (const Operator& op : workload_.operators) {
      const std::string_view name = op.name;
      known.insert(name);
      known.insert(name.substr(0, name.rfind('.')));
    }
    for (const auto& [name, degrees] : plan_.degrees) {
      if (known.contains(name)) continue;
      throw PlanFault({"degrees"}, "degrees: there is no operator " + name);
    }
  }

  /// A mapping is of some layer of the network; it is read in full where that layer streams.
  void check_layer() const {
    if (plan_.layer.partitions.empty()) return;
    const bool is_known = std::any_of(
        workload_.operators.begin(), workload_.operators.end(), [&](const Operator& op) {
          const auto* layer = std::get_if<TransformerOperator>(&op.kind);
          return layer != nullptr && maps_layer(*layer, plan_.layer);
        });
    if (is_known) return;
    throw PlanFault({"layer"},
                    "layer: no layer of the network has just the kernels of its "
                    "partitions");
  }

  void check_interleaving() const {
    if (plan_.pipeline < 2) {
      throw PlanFault({"schedule"}, "an interleaved schedule needs at least 2 stages");
    }
    if (plan_.micro_batches % plan_.pipeline != 0) {
      throw PlanFault(
          {"micro_batches", "schedule"},
          fmt::format(
              "an interleaved schedule needs micro-batches in multiples of its {} stages, found {}",
              plan_.pipeline, plan_.micro_batches));
    }
  }

  /// Chooses the operators that the plan does not leave out, in their order.
  void choose_operators() {
    std::set<std::string> left_out(plan_.leave_out.begin(), plan_.leave_out.end());
    for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
      if (left_out.erase(workload_.operators[i].name) == 0) chosen_.push_back(i);
    }
    if (!left_out.empty()) {
      throw PlanFault({"leave_out"}, "leave_out: there is no operator " + *left_out.begin());
    }
  }

  void find_rate() {
    const auto peak = hardware_.peak_flop_per_s_per_tile.find(plan_.data_type);
    if (peak == hardware_.peak_flop_per_s_per_tile.end()) {
      std::string known;
      for (const auto& [type, rate] : hardware_.peak_flop_per_s_per_tile) {
        known += (known.empty() ? "" : ", ") + type;
      }
      throw PlanFault({"data_type"},
                      "data_type: hardware " + in_quotes(hardware_.name) +
                          " has no peak_flop_per_s_per_tile of " + in_quotes(plan_.data_type) +
                          ", " + (known.empty() ? "nor of any other type" : "only of " + known));
    }
    const auto rate = static_cast<double>(peak->second);
    tile_flop_per_s_ = rate * efficiency_of(hardware_, plan_.data_type).limit;
    cost_ = {flop_per_byte(hardware_, plan_.data_type),
             static_cast<double>(hardware_.element_bytes), plan_.sequence_parallel};
  }

  void add_stages() {
    std::vector<double> works;
    Int128 flop = 0;
    for (const std::size_t at : chosen_) {
      const Operator& op = workload_.operators[at];
      const OperatorCount counted = count(op.kind);
      const PaidWork paid = paid_work(counted, plan_.degrees_of(op).out, cost_);
      works.push_back(paid.forward + (plan_.trains() ? paid.backward : 0));
      flop += counted.matrix_flop + counted.element_flop +
              (plan_.trains() ? counted.backward_flop() : 0);
    }
    // The sum of a stage is at most the sum of all, so this check is enough.
    if (flop * plan_.samples() > kMostFlop) {
      throw PlanFault({"micro_batch", "data"}, "a micro-batch takes more than 4*10^18 operations");
    }
    if (flop == 0) throw PlanFault({"leave_out"}, "the operators take no operations");
    cut_.sample_flop = static_cast<std::int64_t>(flop);
    const auto parts = static_cast<std::size_t>(plan_.parts());
    if (plan_.stages.empty() && works.size() < parts) {
      throw PlanFault({"pipeline", "schedule"}, "there are fewer operators than stages");
    }
    const auto begins = plan_.stages.empty() ? cut_chain(works, parts).first : bound_begins();
    for (std::size_t i = 0; i < begins.size(); ++i) {
      add_stage(i, begins[i], i + 1 < begins.size() ? begins[i + 1] : chosen_.size());
    }
  }

  /// Parts of experts have as many experts, and slices of them, each.
  static void check_experts(const Operator& op, const Degrees& cut) {
    if (cut.experts == 1) return;
    const auto* layer = std::get_if<TransformerOperator>(&op.kind);
    if (layer == nullptr || !layer->experts) {
      throw PlanFault({"degrees"}, "degrees: operator " + op.name + " has no experts to divide");
    }
    const std::int64_t count = layer->experts->count;
    if (count % cut.experts == 0 && cut.out % cut.experts == 0) return;
    throw PlanFault({"degrees"},
                    fmt::format("degrees: expected experts of operator {} to divide its {} experts "
                                "and its tensor degree, {}, found {}",
                                op.name, count, cut.out, cut.experts));
  }

  void add_stage(std::size_t part, std::size_t begin, std::size_t end) {
    const Plan own = plan_.of_part(part);
    StageWork stage;
    stage.name = part_name(part);
    stage.flop_per_s = tile_flop_per_s_ * static_cast<double>(own.tiles());
    stage.element_cost = cost_;
    for (std::size_t i = begin; i < end; ++i) {
      const Operator& op = workload_.operators[chosen_[i]];
      check_experts(op, own.degrees_of(op));
      const OperatorCount counted = count(op.kind);
      stage.operators.push_back(chosen_[i]);
      stage.forward_flop += plan_.samples() * (counted.matrix_flop + counted.element_flop);
      if (plan_.trains()) stage.backward_flop += plan_.samples() * counted.backward_flop();
      stage.parameters += counted.parameters;
      stage_of_[chosen_[i]] = part;
    }
    cut_.stages.push_back(std::move(stage));
  }

  /// The first operator of each stage that the plan binds, as an index into chosen_.
  std::vector<std::size_t> bound_begins() const {
    std::vector<std::size_t> begins;
    std::size_t at = 0;
    for (const StageBinding& stage : plan_.stages) {
      begins.push_back(at);
      while (at < chosen_.size() && workload_.operators[chosen_[at]].name != stage.to) ++at;
      if (at == chosen_.size()) {
        throw PlanFault({"stages"},
                        "stages: there is no operator " + stage.to + " behind the stage before");
      }
      ++at;
    }
    if (at < chosen_.size()) {
      throw PlanFault({"stages"}, "stages: operator " + workload_.operators[chosen_[at]].name +
                                      " is behind the last stage");
    }
    return begins;
  }

  /// "s1"; with an interleaved schedule "s1.0" for the first part of stage 1.
  std::string part_name(std::size_t part) const {
    const auto workers = static_cast<std::size_t>(plan_.pipeline);
    const std::string name = fmt::format("s{}", part % workers);
    return plan_.chunks == 1 ? name : fmt::format("{}.{}", name, part / workers);
  }

  void add_edges() {
    std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> tensors;
    for (const std::size_t at : chosen_) {
      for (const std::size_t before : workload_.operators[at].after) {
        const auto from = stage_of_.find(before);
        if (from == stage_of_.end() || from->second == stage_of_.at(at)) continue;
        tensors[{from->second, stage_of_.at(at)}].insert(before);
      }
    }
    for (const auto& [ends, producers] : tensors) {
      Int128 elements = 0;
      for (const std::size_t at : producers) elements += count(workload_.operators[at].kind).output;
      cut_.edges.push_back(
          {ends.first, ends.second, tensor_bytes(hardware_, elements * plan_.samples())});
    }
  }

  /// Adds the inputs from outside: of kernels of graphs each has its own, else once for each stage.
  /// In inference it also adds the outputs: what nobody takes, and what the last operator makes.
  void add_ends() {
    const auto add = [&](std::size_t at, std::int64_t elements, bool input) {
      cut_.ends.push_back({stage_of_.at(at), workload_.operators[at].name,
                           tensor_bytes(hardware_, Int128(elements) * plan_.samples()), input});
    };
    std::set<std::size_t> fed;  // stages
    for (const std::size_t at : chosen_) {
      const Operator& op = workload_.operators[at];
      const bool is_fed = std::any_of(op.after.begin(), op.after.end(), [&](std::size_t before) {
        return stage_of_.contains(before);
      });
      if (is_fed) continue;
      if (is_graph_kernel(op.kind) || fed.insert(stage_of_.at(at)).second) {
        add(at, count(op.kind).input, true);
      }
    }
    if (plan_.trains()) return;
    std::set<std::size_t> taken;
    for (const std::size_t at : chosen_) {
      const std::vector<std::size_t>& before = workload_.operators[at].after;
      taken.insert(before.begin(), before.end());
    }
    for (const std::size_t at : chosen_) {
      const bool leaves = at == chosen_.back() || !taken.contains(at);
      if (leaves) add(at, count(workload_.operators[at].kind).output, false);
    }
  }

  const Workload& workload_;
  const Plan& plan_;
  const Hardware& hardware_;
  std::vector<std::size_t> chosen_;
  double tile_flop_per_s_ = 0;
  ElementCost cost_;
  std::map<std::size_t, std::size_t> stage_of_;  // by operator
  PlanCut cut_;
};

}  // namespace

std::int64_t tensor_bytes(const Hardware& hardware, Int128 elements) {
  const Int128 bytes = elements * hardware.element_bytes;
  if (bytes > kMostTensorBytes) throw RequestError("a tensor has more than 10^15 bytes");
  return static_cast<std::int64_t>(bytes);
}

Recompute recompute_of(const Plan& plan, const OperatorKind& kind) {
  const bool is_end =
      std::holds_alternative<EmbeddingOperator>(kind) || std::holds_alternative<HeadOperator>(kind);
  return is_end ? Recompute::none : plan.recompute;
}

bool takes_whole(const Plan& own, const Operator& op) {
  const bool needs_all = std::holds_alternative<TransformerOperator>(op.kind) ||
                         std::holds_alternative<HeadOperator>(op.kind) ||
                         std::holds_alternative<PatchesOperator>(op.kind);
  return needs_all && own.degrees_of(op).out > 1;
}

bool makes_whole(const Plan& own, const Operator& op) {
  const Degrees cut = own.degrees_of(op);
  const Int128 output = Int128(count(op.kind).output) * own.samples() / cut.replicas();
  const std::vector<AllReduce> sums = all_reduces(op.kind, own.samples(), cut);
  return std::any_of(sums.begin(), sums.end(), [&](const AllReduce& sum) {
    return sum.phase == AllReduce::Phase::forward && sum.among == Dimension::out &&
           sum.elements >= output;
  });
}

PlanCut cut_plan(const Workload& workload, const Plan& plan, const Hardware& hardware) {
  demand_cuttable(workload, plan.trains());
  return Cutter(workload, plan, hardware).run();
}

}  // namespace waferloom::sim
