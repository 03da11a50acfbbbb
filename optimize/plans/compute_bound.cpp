#include "optimize/plans/compute_bound.h"

#include <algorithm>
#include <limits>

#include "model/workload.h"

namespace waferloom::optimize {

ComputeBound::ComputeBound(const PlanGround& ground, const planner::PlanSpace& space)
    : ground_(ground), space_(space), kinds_(planner::alike_kinds(ground.workload)) {
  for (const Operator& op : ground.workload.operators) counted_.push_back(count(op.kind));
}

const ComputeBound::Cut& ComputeBound::cut(const Plan& whole) {
  const auto [at, is_new] = cuts_.try_emplace({whole.tensor, whole.pipeline});
  if (!is_new) return at->second;
  Plan plan = space_.base;
  plan.data = plan.micro_batch = 1;
  plan.tensor = whole.tensor;
  plan.pipeline = whole.pipeline;
  for (const sim::StageWork& stage :
       sim::cut_plan(ground_.workload, plan, ground_.hardware).stages) {
    at->second.stages.push_back(stage.operators);
    at->second.flop_per_s =
        std::max(at->second.flop_per_s, stage.flop_per_s / static_cast<double>(plan.tiles()));
    at->second.element_cost = stage.element_cost;
  }
  return at->second;
}

double ComputeBound::paid_of(std::size_t place, const Plan& plan, const ElementCost& cost,
                             std::int64_t parts) const {
  const PaidWork paid = paid_work(counted_[place], parts, cost);
  // Replicas have whole micro-batches, so how many samples these have makes no difference but to
  // how many parts there can be.
  return paid.forward + (plan.trains() ? paid.backward : 0);
}

double ComputeBound::work_of(std::size_t place, const Plan& plan, const ElementCost& cost,
                             const Degrees& degrees) const {
  const OperatorKind& kind = ground_.workload.operators[place].kind;
  return paid_of(place, plan, cost, degrees.out) *
         stretch(kind, plan.samples(), degrees, plan.tiles());
}

double ComputeBound::found_least(std::size_t place, const Plan& plan) const {
  const OperatorKind& kind = ground_.workload.operators[place].kind;
  const ElementCost& cost = cuts_.at({plan.tensor, plan.pipeline}).element_cost;
  // Of a whole output, even parts but of samples and rows: no degrees have less than that.
  constexpr double kRoundedDown = 1 - 1e-6;
  const double even = kRoundedDown * paid_of(place, plan, cost, 1);
  double least = std::numeric_limits<double>::max();
  planner::for_each_degrees(
      kind, plan.samples(), plan.tiles(),
      [&](const Degrees& some) {
        return even * stretch(kind, plan.samples(), some, some.product()) < least;
      },
      [&](const Degrees& degrees) {
        least = std::min(least, work_of(place, plan, cost, degrees));
      });
  return least;
}

double ComputeBound::least_work(std::size_t place, const Plan& plan) {
  const auto [at, is_new] = least_.try_emplace(least_key(place, plan), 0);
  if (is_new) at->second = found_least(place, plan);
  return at->second;
}

void ComputeBound::prepare(const std::vector<const Plan*>& plans, int threads,
                           const RunControl& control) {
  struct Wanted {
    std::size_t place;
    const Plan* plan;
    double* least;
  };
  std::vector<Wanted> wanted;
  const std::vector<Operator>& operators = ground_.workload.operators;
  for (const Plan* plan : plans) {
    control.end_if_cut();
    cut(*plan);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (!planner::OperatorDegrees::has_choice(operators[i].kind)) continue;
      const auto [at, is_new] = least_.try_emplace(least_key(i, *plan), 0);
      if (is_new) wanted.push_back({i, plan, &at->second});
    }
  }
  constexpr std::size_t kSlice = 64;
  try {
    parallel_tasks((wanted.size() + kSlice - 1) / kSlice, threads, control, [&](std::size_t task) {
      const std::size_t end = std::min(wanted.size(), (task + 1) * kSlice);
      for (std::size_t i = task * kSlice; i < end; ++i) {
        *wanted[i].least = found_least(wanted[i].place, *wanted[i].plan);
      }
    });
  } catch (...) {
    least_.clear();  // some are not known
    throw;
  }
}

const std::vector<double>& ComputeBound::flop(const Plan& plan) {
  const auto [at, is_new] = flop_.try_emplace({plan.tensor, plan.data, plan.samples()});
  if (!is_new) return at->second;
  const ElementCost cost = cut(plan).element_cost;
  for (std::size_t i = 0; i < ground_.workload.operators.size(); ++i) {
    const Operator& op = ground_.workload.operators[i];
    const Degrees own = plan.degrees_of(op);
    double least = work_of(i, plan, cost, own);
    for (const Degrees& cuts : planner::expert_cuts(op.kind, own)) {
      least = std::min(least, work_of(i, plan, cost, cuts));
    }
    if (planner::OperatorDegrees::has_choice(op.kind)) least = std::min(least, least_work(i, plan));
    at->second.push_back(least);
  }
  return at->second;
}

double ComputeBound::samples_per_s(const Plan& plan) {
  const Cut& all = cut(plan);
  const std::vector<double>& by_operator = flop(plan);
  // Other degrees may cut the network elsewhere: no cut of these works has a shorter longest part.
  std::vector<double> works;
  for (const std::vector<std::size_t>& stage : all.stages) {
    for (const std::size_t index : stage) works.push_back(by_operator[index]);
  }
  const ChainCut<double> even = cut_chain(works, all.stages.size());
  double fill = 0;
  double slowest = 0;
  for (std::size_t part = 0; part < all.stages.size(); ++part) {
    const std::size_t end = part + 1 < all.stages.size() ? even.first[part + 1] : works.size();
    double sum = 0;
    for (std::size_t i = even.first[part]; i < end; ++i) sum += works[i];
    fill += sum;
    slowest = std::max(slowest, sum);
  }
  const double flop_per_s = static_cast<double>(plan.tiles()) * all.flop_per_s;
  if (!plan.trains()) return flop_per_s / slowest;
  return flop_per_s * static_cast<double>(space_.batch) /
         (static_cast<double>(plan.samples()) *
          planner::pipeline_time({fill, slowest}, plan.micro_batches));
}

}  // namespace waferloom::optimize
