#include "planner/dfmodel/systems/plan_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/errors.h"
#include "model/text.h"
#include "planner/dfmodel/systems/network_times.h"

namespace waferloom::planner {

std::int64_t served_chips(const System& system, const SystemPlanChoice& choice,
                          Parallelism parallelism) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < system.dimensions.size(); ++i) {
    if (choice.dimensions[i] == parallelism) product *= system.dimensions[i].size;
  }
  return product;
}

void check_choice(const System& system, const SystemPlanChoice& choice) {
  if (choice.dimensions.size() == system.dimensions.size()) return;
  throw std::logic_error(fmt::format("expected strategies for {} dimensions, found {}",
                                     system.dimensions.size(), choice.dimensions.size()));
}

double objective_value(Objective objective, const SystemStep& step, const System& system) {
  const auto [step_s, samples] = step;
  switch (objective) {
    case Objective::time:
      return step_s;
    case Objective::throughput:
      return -samples / step_s;
    case Objective::cost:
      return system.price_usd() * step_s / samples;
    case Objective::energy:
      return system.power_w() * step_s / samples;
  }
  return step_s;
}

std::string missing_for(Objective objective, const System& system) {
  if (objective == Objective::cost && system.price_usd() <= 0) return "price_usd";
  if (objective == Objective::energy && system.power_w() <= 0) return "power_w";
  return {};
}

void check_ranked(const System& system, Objective objective) {
  if (const std::string missing = missing_for(objective, system); !missing.empty()) {
    throw RequestError(system.name + " does not say its " + missing);
  }
  collective_rate(CollectiveKind::all_reduce, system.dimensions);
}

std::vector<SystemPlanChoice> all_choices(const System& system, const SystemPlanOptions& options,
                                          bool may_recompute) {
  std::vector<SystemPlanChoice> result;
  std::size_t assignments = 1;
  for (const NetworkDimension& dimension : system.dimensions)
    assignments *= dimension.size > 1 ? 3 : 1;
  for (std::size_t code = 0; code < assignments; ++code) {
    SystemPlanChoice choice;
    std::size_t rest = code;
    for (const NetworkDimension& dimension : system.dimensions) {
      const std::size_t ways = dimension.size > 1 ? 3 : 1;
      choice.dimensions.push_back(static_cast<Parallelism>(rest % ways));
      rest /= ways;
    }
    for (const double micro_batch : options.micro_batches) {
      choice.micro_batch = micro_batch;
      for (const bool recompute : {false, true}) {
        choice.recompute = recompute;
        if (!recompute || (options.may_recompute && may_recompute)) result.push_back(choice);
      }
    }
  }
  return result;
}

std::string lack_of_memory(const System& system, std::size_t level, const SystemPlan& plan) {
  if (plan.state_bytes + plan.activation_bytes <= system.level_bytes(level)) return {};
  return system.level_name(level) + " has " + whole_bytes_text(system.level_bytes(level)) +
         " bytes, and " + whole_bytes_text(plan.state_bytes) + " of states and " +
         whole_bytes_text(plan.activation_bytes) + " of activations are needed";
}

void rank_plans(std::vector<SystemPlan>& plans, const RankedBy& by, const System& system) {
  const auto value = [&](const SystemPlan& plan) {
    if (!plan.is_possible()) return std::numeric_limits<double>::infinity();
    return objective_value(by.objective, {plan.total_s, by.batch}, system);
  };
  std::stable_sort(plans.begin(), plans.end(),
                   [&](const SystemPlan& a, const SystemPlan& b) { return value(a) < value(b); });
}

}  // namespace waferloom::planner
