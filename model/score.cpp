#include "model/score.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <vector>

namespace waferloom {

std::int64_t half_distance(const Rectangle& a, const Rectangle& b) {
  const std::int64_t dx = (2 * a.x + a.width) - (2 * b.x + b.width);
  const std::int64_t dy = (2 * a.y + a.height) - (2 * b.y + b.height);
  return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
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
    distance += half_distance(tiles[edge.producer], tiles[edge.consumer]);
    result.adapter += adapter_mismatches(signatures[edge.producer], signatures[edge.consumer]);
  }
  if (distance > kMaxHalfDistance) {
    throw std::overflow_error("the distance of the placement exceeds 2^62 half tiles");
  }
  result.half_distance = static_cast<std::int64_t>(distance);
  return result;
}

CostModel::CostModel(const Problem& problem) {
  const Int128 time_units = problem.time_denominator();
  const Int128 steps = time_units % 2 == 0 ? time_units : 2 * time_units;  // lcm(q, 2)
  scale_ = steps * Decimal6::kOne;
  per_time_ = steps / time_units * problem.weights().time.millionths;
  per_half_distance_ = steps / 2 * problem.weights().distance.millionths;
  per_adapter_ = steps * problem.weights().adapter.millionths;
}

std::string time_text(const Problem& problem, std::int64_t time) {
  return decimal_text(time, problem.time_denominator());
}

std::string distance_text(std::int64_t half_distance) { return decimal_text(half_distance, 2); }

std::string total_text(const CostModel& costs, Int128 total) {
  return decimal_text(total, costs.scale());
}

}  // namespace waferloom
