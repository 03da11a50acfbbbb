#include "benchmarks_ispd2020/generated/objective.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/int128.h"
#include "kernels/quarters.h"

namespace waferloom::ispd2020 {
namespace {

/// So many times as much as time is what distance adds.
struct Share {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};
constexpr std::array<Share, 5> kShares{Share{1, 30}, Share{1, 10}, Share{1, 3}, Share{1, 1},
                                       Share{3, 1}};
constexpr std::array<std::int64_t, 6> kTimeWeights{1, 1, 1, 1, 2, 5};
constexpr std::array<std::int64_t, 3> kAdapterFactors{0, 1, 10};
constexpr std::array<std::int64_t, 6> kEdgeWeights{500'000,   1'000'000, 1'000'000,
                                                   2'000'000, 4'000'000, 8'000'000};
constexpr std::int64_t kLeastDistanceWeight = 10'000;  // millionths
constexpr std::int64_t kMostDistanceWeight = 1'000'000'000;

/// Multiplications of a kernel, roughly.
Int128 work(const Kernel& kernel) {
  Int128 sum = 0;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    const Convolution& conv = kernel.convolutions[i];
    const Int128 pixels = Int128(conv.height4) * conv.width4 / conv.stride_area;
    sum += pixels * conv.in4 * conv.out4 * conv.field_height * conv.field_width;
  }
  return sum / (Int128(kQuarters) * kQuarters * kQuarters * kQuarters);
}

/// The time if the wafer were filled: a tile row of 3 tiles and a row above it multiply once a
/// step, so that 3 to 6 tiles do, say 4.
Int128 rough_time(const ProblemData& data) {
  Int128 sum = 0;
  for (const ProblemKernel& kernel : data.kernels) sum += work(kernel.kernel);
  return 4 * sum / (Int128(data.wafer.width) * data.wafer.height) + 1;
}

/// The distance if every edge joined neighbours of the average size.
std::int64_t rough_distance(const ProblemData& data) {
  const std::int64_t tiles = data.wafer.width * data.wafer.height;
  const std::int64_t each = tiles / static_cast<std::int64_t>(data.kernels.size());
  std::int64_t side = 1;
  while (side * side < each) ++side;
  return side * std::max<std::int64_t>(1, static_cast<std::int64_t>(data.connections.size()));
}

/// The largest of 0.01, 0.02, 0.05, 0.1, … 1000 that is at most `millionths`; at least 0.01.
Decimal6 round_weight(Int128 millionths) {
  std::int64_t best = kLeastDistanceWeight;
  for (std::int64_t ten = best; ten <= kMostDistanceWeight; ten *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      const std::int64_t weight = digit * ten;
      if (weight <= millionths && weight <= kMostDistanceWeight) best = weight;
    }
  }
  return Decimal6{best};
}

}  // namespace

Weights drawn_weights(const ProblemData& data, SeededDraws draws) {
  const Share share = draws.one_of(kShares);
  Weights weights;
  weights.time = decimal6(draws.one_of(kTimeWeights));
  weights.distance = round_weight(rough_time(data) * Decimal6::kOne * share.numerator /
                                  share.denominator / rough_distance(data));
  weights.adapter = {draws.one_of(kAdapterFactors) * weights.distance.millionths};
  return weights;
}

void draw_edge_weights(ProblemData& data, SeededDraws draws) {
  for (Connection& edge : data.connections) edge.weight = {draws.one_of(kEdgeWeights)};
}

}  // namespace waferloom::ispd2020
