#include <string_view>

#include "model/text.h"
#include "optimize/plan.h"

namespace waferloom::optimize {
namespace {

std::optional<PlanLack> objective_lack(const PlanJob& job, const Hardware& hardware) {
  const bool lacks_price =
      job.objective == planner::Objective::cost && !hardware.price_usd.has_value();
  const bool lacks_power =
      job.objective == planner::Objective::energy && !hardware.power_w.has_value();
  if (!lacks_price && !lacks_power) return std::nullopt;
  return PlanLack{"objective",
                  hardware.name + " does not say its " + (lacks_price ? "price_usd" : "power_w")};
}

std::optional<PlanLack> rate_lack(const planner::PlanSpace& space, const Hardware& hardware) {
  if (hardware.peak_flop_per_s_per_tile.contains(space.base.data_type)) return std::nullopt;
  std::vector<std::string_view> types;
  for (const auto& [type, rate] : hardware.peak_flop_per_s_per_tile) types.push_back(type);
  return PlanLack{"data-type",
                  hardware.name + " tells no peak rate of " + space.base.data_type +
                      (types.empty() ? ", nor of any other type" : "; of " + alternatives(types))};
}

/// AMPeD's equations are of transformers in training.
std::optional<PlanLack> model_lack(const PlanJob& job, const planner::PlanSpace& space) {
  if (job.model != RankingModel::amped) return std::nullopt;
  const char* why = !space.base.trains()  ? "inference"
                    : space.heads.empty() ? "a network without transformer layers"
                                          : nullptr;
  if (why == nullptr) return std::nullopt;
  return PlanLack{"model", std::string("AMPeD does not know ") + why};
}

}  // namespace

std::optional<PlanLack> plan_lack(const PlanJob& job, const planner::PlanSpace& space,
                                  const Hardware& hardware) {
  if (auto lack = objective_lack(job, hardware)) return lack;
  if (auto lack = rate_lack(space, hardware)) return lack;
  return model_lack(job, space);
}

}  // namespace waferloom::optimize
