#include "optimize/plans/kept_shares.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace waferloom::optimize {
namespace {

constexpr double kWeightOfPromise = 0.25;

std::vector<double> doublings_of(const Plan& plan) {
  std::vector<double> doublings;
  for (const std::int64_t degree : {plan.tensor, plan.data, plan.pipeline, plan.micro_batch}) {
    doublings.push_back(std::log2(static_cast<double>(degree)));
  }
  return doublings;
}

}  // namespace

void KeptShares::add(const Plan& plan, double share) {
  if (share > 0 && std::isfinite(share)) ran_.push_back({doublings_of(plan), share});
}

double KeptShares::of(const Plan& plan) const {
  const std::vector<double> at = doublings_of(plan);
  double weights = kWeightOfPromise;
  double sum = kWeightOfPromise;
  double most_of_same = 0;
  for (const Ran& other : ran_) {
    double distance = 0;
    for (std::size_t i = 0; i < at.size(); ++i) distance += std::abs(at[i] - other.doublings[i]);
    if (distance == 0) most_of_same = std::max(most_of_same, other.share);
    const double weight = std::exp2(-distance);
    weights += weight;
    sum += weight * other.share;
  }
  return most_of_same > 0 ? most_of_same : sum / weights;
}

}  // namespace waferloom::optimize
