#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <vector>

#include "model/placement.h"

namespace waferloom {
namespace {

std::int64_t within_range(Int128 sum, const char* message) {
  if (sum > kMaxHalfDistance) throw std::overflow_error(message);
  return static_cast<std::int64_t>(sum);
}

Int128 preference(const Problem& problem, const std::vector<Rectangle>& tiles) {
  Int128 sum = 0;
  for (const Region& region : problem.constraints().regions) {
    if (region.rule != RegionRule::prefer) continue;
    for (const KernelIndex kernel : region.kernels) {
      sum += Int128(region.weight.millionths) * half_distance_to_area(tiles[kernel], region.area);
    }
  }
  return sum;
}

}  // namespace

std::int64_t half_distance(const Rectangle& a, const Rectangle& b) {
  const std::int64_t dx = (2 * a.x + a.width) - (2 * b.x + b.width);
  const std::int64_t dy = (2 * a.y + a.height) - (2 * b.y + b.height);
  return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
}

std::int64_t half_distance_to_area(const Rectangle& tiles, const Rectangle& area) {
  const auto outside = [](std::int64_t at, std::int64_t low, std::int64_t high) {
    return std::max({std::int64_t{0}, low - at, at - high});
  };
  return outside(2 * tiles.x + tiles.width, 2 * area.x, 2 * (area.x + area.width)) +
         outside(2 * tiles.y + tiles.height, 2 * area.y, 2 * (area.y + area.height));
}

Score score(const Problem& problem, const Placement& placement) {
  assert(placement.kernels.size() == problem.kernel_count());
  Score result;
  std::vector<Rectangle> tiles;
  std::vector<Signature> signatures;
  tiles.reserve(problem.kernel_count());
  signatures.reserve(problem.kernel_count());
  for (KernelIndex index = 0; index < problem.kernel_count(); ++index) {
    const Kernel& kernel = problem.kernel(index);
    const PlacedKernel& placed = placement.kernels[index];
    tiles.push_back(rectangle(kernel, placed));
    signatures.push_back(signature(kernel, placed.execution));
    result.time =
        std::max(result.time, compute_time(kernel, placed.execution, problem.time_denominator()));
  }
  Int128 distance = 0;
  for (const Connection& edge : problem.connections()) {
    distance += Int128(problem.edge_units(edge)) *
                half_distance(tiles[edge.producer], tiles[edge.consumer]);
    result.adapter += adapter_mismatches(signatures[edge.producer], signatures[edge.consumer]);
  }
  result.half_distance = within_range(distance, "the distance of the placement exceeds 2^62 units");
  result.preference = within_range(preference(problem, tiles),
                                   "the preference of the placement exceeds 2^62 units");
  return result;
}

CostModel::CostModel(const Problem& problem) {
  const Int128 time_units = problem.time_denominator();
  const Int128 steps = time_units % 2 == 0 ? time_units : 2 * time_units;  // lcm(q, 2)
  const Int128 edges = problem.distance_denominator();
  scale_ = steps * Decimal6::kOne * edges;
  per_time_ = steps / time_units * problem.weights().time.millionths * edges;
  per_half_distance_ = steps / 2 * problem.weights().distance.millionths;
  per_adapter_ = steps * problem.weights().adapter.millionths * edges;
  per_preference_ = steps / 2 * edges;
  distance_unit_ = Decimal6::kOne / problem.distance_denominator();
}

std::string time_text(const Problem& problem, std::int64_t time) {
  return decimal_text(time, problem.time_denominator());
}

std::string distance_text(const Problem& problem, std::int64_t half_distance) {
  return decimal_text(half_distance, 2 * problem.distance_denominator());
}

std::string preference_text(std::int64_t preference) {
  return decimal_text(preference, 2 * Decimal6::kOne);
}

std::string distance_text(std::int64_t half_tiles) { return decimal_text(half_tiles, 2); }

std::string total_text(const CostModel& costs, Int128 total) {
  return decimal_text(total, costs.scale());
}

}  // namespace waferloom
