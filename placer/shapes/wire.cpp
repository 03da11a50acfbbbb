#include "placer/shapes/wire.h"

#include <algorithm>
#include <cstdlib>

#include "model/placement.h"

namespace waferloom::placer {

Wire::Wire(const Problem& problem) {
  const CostModel costs(problem);
  per_unit_ = static_cast<double>(costs.per_half_distance());
  for (const Connection& edge : problem.connections()) {
    edges_.push_back(Edge{static_cast<std::uint32_t>(edge.producer),
                          static_cast<std::uint32_t>(edge.consumer), problem.edge_units(edge)});
  }
  for (const Region& region : problem.constraints().regions) {
    if (region.rule != RegionRule::prefer) continue;
    const Rectangle& area = region.area;
    // Where a region ends beyond any wafer is all the same.
    const auto doubled = [](std::int64_t at) {
      return static_cast<std::int32_t>(2 * std::clamp(at, -kMaxWaferSide, 2 * kMaxWaferSide));
    };
    for (const std::size_t kernel : region.kernels) {
      preferences_.push_back(
          Preference{static_cast<std::uint32_t>(kernel),
                     {doubled(area.x), doubled(area.y)},
                     {doubled(area.x + area.width), doubled(area.y + area.height)},
                     static_cast<double>(costs.per_half_distance(region))});
    }
  }
  edges_of_.resize(problem.kernel_count());
  preferences_of_.resize(problem.kernel_count());
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    edges_of_[edges_[i].a].push_back(i);
    edges_of_[edges_[i].b].push_back(i);
  }
  for (std::uint32_t i = 0; i < preferences_.size(); ++i) {
    preferences_of_[preferences_[i].kernel].push_back(i);
  }
}

double Wire::cost(std::span<const DoubledCentre> centres) const {
  std::int64_t units = 0;
  for (const Edge& edge : edges_) {
    const DoubledCentre& a = centres[edge.a];
    const DoubledCentre& b = centres[edge.b];
    units += edge.units * (std::abs(a.x - b.x) + std::abs(a.y - b.y));
  }
  double sum = per_unit_ * static_cast<double>(units);
  for (const Preference& preference : preferences_) sum += cost(preference, centres);
  return sum;
}

double Wire::cost_of(KernelIndex kernel, std::span<const DoubledCentre> centres) const {
  std::int64_t units = 0;
  for (const std::uint32_t index : edges_of_[kernel]) {
    const Edge& edge = edges_[index];
    const DoubledCentre& a = centres[edge.a];
    const DoubledCentre& b = centres[edge.b];
    units += edge.units * (std::abs(a.x - b.x) + std::abs(a.y - b.y));
  }
  double sum = per_unit_ * static_cast<double>(units);
  for (const std::uint32_t index : preferences_of_[kernel]) {
    sum += cost(preferences_[index], centres);
  }
  return sum;
}

double Wire::cost(const Preference& preference, std::span<const DoubledCentre> centres) {
  const DoubledCentre& at = centres[preference.kernel];
  const std::int32_t away = std::max({0, preference.low.x - at.x, at.x - preference.high.x}) +
                            std::max({0, preference.low.y - at.y, at.y - preference.high.y});
  return preference.price * away;
}

}  // namespace waferloom::placer
