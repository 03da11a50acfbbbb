#include "sim/network/water_filling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace waferloom::sim {
namespace {

/// The θ with Σ min(wanted, θ · weight) = share; infinite if all that is wanted fits.
double port_factor(double share, std::span<const PortMember> members) {
  if (port_demand(members) <= share) return std::numeric_limits<double>::infinity();
  std::vector<PortMember> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end(), [](const PortMember& a, const PortMember& b) {
    return a.wanted() * b.weight < b.wanted() * a.weight;
  });
  double rest = share;
  double weights = 0;
  for (const PortMember& member : members) weights += member.weight;
  for (const PortMember& member : sorted) {
    const double factor = rest / weights;
    if (member.wanted() >= factor * member.weight) return factor;
    rest -= member.wanted();
    weights -= member.weight;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void WaterFilling::fill(double capacity, std::span<const Claim> claims) {
  capacity_ = capacity;
  claims_.assign(claims.begin(), claims.end());
  order_.resize(claims.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    const double x = claims_[a].demand * claims_[b].weight;
    const double y = claims_[b].demand * claims_[a].weight;
    return x != y ? x < y : a < b;
  });
  places_.resize(claims.size());
  demand_sums_.assign(1, 0);
  weight_sums_.assign(1, 0);
  for (std::size_t place = 0; place < order_.size(); ++place) {
    places_[order_[place]] = place;
    demand_sums_.push_back(demand_sums_.back() + claims_[order_[place]].demand);
    weight_sums_.push_back(weight_sums_.back() + claims_[order_[place]].weight);
  }
  level_ = demand_sums_.back() <= capacity ? std::numeric_limits<double>::infinity()
                                           : level_with_greedy(order_.size());
}

double WaterFilling::level_with_greedy(std::size_t greedy) const {
  // Where the first `met` in order get all they want, the others share what is left.
  const auto level_after = [&](std::size_t met) {
    double left = capacity_ - demand_sums_[met];
    double weight = weight_sums_.back() - weight_sums_[met];
    if (greedy < met) {
      left += claims_[order_[greedy]].demand;
      weight += claims_[order_[greedy]].weight;
    }
    return weight > 0 ? left / weight : std::numeric_limits<double>::infinity();
  };
  std::size_t low = 0;
  std::size_t high = order_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const Claim& claim = claims_[order_[middle]];
    if (claim.demand <= level_after(middle) * claim.weight) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return level_after(low);
}

double WaterFilling::share_if_greedy(std::size_t claim) const {
  const auto& [demand, weight] = claims_[claim];
  if (demand >= level_ * weight) return level_ * weight;
  return std::max(demand, level_with_greedy(places_[claim]) * weight);
}

double port_demand(std::span<const PortMember> members) {
  double demand = 0;
  for (const PortMember& member : members) demand += member.wanted();
  return demand;
}

void divide_port(double share, std::span<PortMember> members) {
  const double factor = port_factor(share, members);
  // What a member would get if it wanted everything: its part by weight, or all that it wants.
  const auto part = [&](const PortMember& member) {
    return std::isinf(factor) ? member.wanted() : factor * member.weight;
  };
  double used = 0;
  for (const PortMember& member : members) used += std::min(member.wanted(), part(member));
  const double spare = std::max(0.0, share - used);
  for (PortMember& member : members) {
    const double taken = std::min(member.wanted(), part(member));
    member.offer = std::min(member.arrival, std::max(part(member), taken + spare));
  }
}

}  // namespace waferloom::sim
