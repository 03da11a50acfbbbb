#include "sim/stage_service.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/tile_groups.h"

namespace waferloom {
namespace {

Picoseconds compute_time(std::int64_t flop, double flop_per_s) {
  constexpr double kLongest = 1e17;
  const double time =
      static_cast<double>(flop) / flop_per_s * static_cast<double>(kPicosecondsPerSecond);
  if (time > kLongest) throw std::invalid_argument("a stage takes more than 10^17 ps");
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(std::llround(time)));
}

std::vector<AllReduce> sums_of(const OperatorKind& kind, const Plan& plan) {
  try {
    return all_reduces(kind, plan.samples(), degrees_of(kind, plan.data, plan.tensor));
  } catch (const std::overflow_error& error) {
    throw std::invalid_argument(std::string("a micro-batch is too large: ") + error.what());
  }
}

/// What one operator of a stage takes of a micro-batch.
class ServiceSum {
 public:
  ServiceSum(const Plan& plan, const Hardware& hardware, const StageRings& rings)
      : plan_(plan), hardware_(hardware), rings_(rings) {}

  void add(const OperatorKind& kind, Picoseconds backward) {
    Picoseconds update = 0;
    for (const AllReduce& sum : sums_of(kind, plan_)) {
      const std::int64_t bytes = tensor_bytes(hardware_, sum.elements);
      switch (sum.phase) {
        case AllReduce::Phase::forward:
          add_forward(kind, rings_.tensor.time(bytes));
          break;
        case AllReduce::Phase::backward:
          add_tensor(service_.backward_exchange, rings_.tensor.time(bytes));
          break;
        case AllReduce::Phase::update:
          update = later(update, add_update(bytes));
          break;
      }
    }
    updates_.emplace_back(backward, update);
    service_.update = later(service_.update, update);
  }

  StageService take() {
    service_.update_left = plan_.overlap ? last_update() : service_.update;
    return service_;
  }

 private:
  void add_tensor(Picoseconds& exchange, Picoseconds time) {
    exchange = later(exchange, time);
    service_.tensor_exchange = later(service_.tensor_exchange, time);
  }

  void add_forward(const OperatorKind& kind, Picoseconds time) {
    add_tensor(service_.forward_exchange, time);
    if (recompute_of(plan_, kind) != Recompute::full) return;
    add_tensor(service_.backward_exchange, time);
    service_.recompute = later(service_.recompute, time);
  }

  void add_data(Picoseconds& exchange, Picoseconds time) {
    exchange = later(exchange, time);
    service_.data_exchange = later(service_.data_exchange, time);
  }

  /// Answers what is left for the end of a batch.
  Picoseconds add_update(std::int64_t bytes) {
    if (plan_.zero < 2) return rings_.data.time(bytes);
    const Picoseconds half = rings_.data.half_time(bytes);
    add_data(service_.backward_exchange, half);
    if (plan_.zero == 2) return half;
    add_data(service_.forward_exchange, half);
    add_data(service_.backward_exchange, half);
    return 0;
  }

  /// How long after the last operator's backward the updates end, one behind the other, each when
  /// its operator has gone backward: the last operator of the stage first.
  Picoseconds last_update() const {
    Picoseconds now = 0;
    Picoseconds free = 0;
    for (auto at = updates_.rbegin(); at != updates_.rend(); ++at) {
      now = later(now, at->first);
      free = later(std::max(free, now), at->second);
    }
    return free - now;
  }

  const Plan& plan_;
  const Hardware& hardware_;
  const StageRings& rings_;
  StageService service_;
  std::vector<std::pair<Picoseconds, Picoseconds>> updates_;  // after so long backward
};

/// Operations of a micro-batch that an operator does again.
std::int64_t again(Recompute recompute, const OperatorCount& counted) {
  if (recompute == Recompute::selective) return counted.attention_flop;
  return recompute == Recompute::full ? counted.matrix_flop + counted.element_flop : 0;
}

}  // namespace

StageRings stage_rings(const Plan& plan, const Hardware& hardware, const Mesh& mesh,
                       const Rectangle& tiles, Meeting meeting) {
  const Grouping grouping{hardware.group_columns, hardware.group_rows};
  const StageGroups groups = stage_groups(tiles, {plan.tensor, plan.data}, plan.groups, grouping);
  const auto all_reduce = [&](const std::vector<TileGroup>& members) {
    return Collective(
        mesh, hardware,
        collective_phases(CollectiveKind::all_reduce, plan.collective, members, grouping), meeting);
  };
  return {all_reduce(groups.tensor), all_reduce(groups.data)};
}

StageService stage_service(const Workload& workload, const Plan& plan, const Hardware& hardware,
                           const PlanCut& cut, std::size_t stage, const StageRings& rings) {
  const StageWork& work = cut.stages[stage];
  ServiceSum sum(plan, hardware, rings);
  std::int64_t again_flop = 0;
  for (const std::size_t at : work.operators) {
    const OperatorKind& kind = workload.operators[at].kind;
    const OperatorCount counted = count(kind);
    const std::int64_t more = again(recompute_of(plan, kind), counted);
    again_flop += plan.samples() * more;
    sum.add(kind,
            compute_time(plan.samples() * (counted.backward_flop() + more), cut.stage_flop_per_s));
  }
  StageService service = sum.take();
  const Picoseconds recompute =
      again_flop == 0 ? 0 : compute_time(again_flop, cut.stage_flop_per_s);
  service.recompute = later(service.recompute, recompute);
  service.forward =
      later(compute_time(work.forward_flop, cut.stage_flop_per_s), service.forward_exchange);
  service.backward = later(later(compute_time(work.backward_flop, cut.stage_flop_per_s), recompute),
                           service.backward_exchange);
  return service;
}

}  // namespace waferloom
