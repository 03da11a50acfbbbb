#include "optimize/search/reweighing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace waferloom::optimize {
namespace {

constexpr std::int64_t kStep = Decimal6::kOne / 100;  // of edges: keeps exact distances small

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Decimal6 scaled(Decimal6 weight, double factor) {
  const double product = static_cast<double>(weight.millionths) * factor;
  const auto most = static_cast<double>(kMaxWeight.millionths);
  return {static_cast<std::int64_t>(std::llround(std::min(product, most)))};
}

Decimal6 edge_weight(double weight) {
  constexpr std::int64_t kOneInSteps = Decimal6::kOne / kStep;
  constexpr std::int64_t kMostSteps = kMaxEdgeWeight.millionths / kStep;
  const double steps = weight * static_cast<double>(kOneInSteps);
  const double within = std::clamp(steps, 1.0, static_cast<double>(kMostSteps));
  return {kStep * static_cast<std::int64_t>(std::llround(within))};
}

}  // namespace

Problem reweighed(const Problem& problem, const Reweighing& weights) {
  ProblemData data = problem.data();
  data.weights.time = scaled(data.weights.time, weights.time);
  data.weights.distance = scaled(data.weights.distance, weights.distance);
  data.weights.adapter = scaled(data.weights.adapter, weights.adapter);
  if (weights.edges.size() == data.connections.size() && !weights.edges.empty()) {
    const double scale = mean(weights.edges);
    for (std::size_t i = 0; i < data.connections.size(); ++i) {
      data.connections[i].weight = edge_weight(scale > 0 ? weights.edges[i] / scale : 1);
    }
  }
  return Problem(std::move(data));
}

std::vector<double> blended(const std::vector<double>& loads, double share) {
  if (loads.empty()) return {};
  const double scale = mean(loads);
  std::vector<double> weights;
  for (const double load : loads) {
    weights.push_back(scale > 0 ? 1 - share + share * load / scale : 1);
  }
  return weights;
}

}  // namespace waferloom::optimize
