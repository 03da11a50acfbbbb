#include <algorithm>
#include <vector>

#include "benchmarks_ispd2020/cases/network_builder.h"
#include "benchmarks_ispd2020/generated/networks.h"

namespace waferloom::ispd2020 {
namespace {

constexpr std::size_t kStages = 5;
constexpr std::int64_t kVggDoublings = 3;
constexpr std::int64_t kFullyConnected = 3;

/// Convolutions of each stage: at least one, the rest in proportion to drawn shares.
std::vector<std::int64_t> stage_lengths(std::int64_t convolutions, SeededDraws& draws) {
  std::vector<std::int64_t> up_to{0};  // sums of shares
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    up_to.push_back(up_to.back() + 1 + draws.below(4));
  }
  const std::int64_t rest = convolutions - static_cast<std::int64_t>(kStages);
  std::vector<std::int64_t> lengths;
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    const std::int64_t begin = rest * up_to[stage] / up_to.back();
    const std::int64_t end = rest * up_to[stage + 1] / up_to.back();
    lengths.push_back(1 + end - begin);
  }
  return lengths;
}

}  // namespace

ProblemData vgg_network(const ProblemSettings& settings, const NetworkScale& scale,
                        SeededDraws draws) {
  std::int64_t channels = 3;
  ProblemData data = start_network(settings, square_tensor(scale.image, channels));
  std::int64_t image = scale.image;
  std::int64_t doublings = 0;
  for (const std::int64_t length : stage_lengths(scale.kernels - kFullyConnected, draws)) {
    const std::int64_t out = scale.features << std::min(doublings++, kVggDoublings);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t field = draws.once_in(8) ? 1 : 3;
      add_chained(data, ConvFormal{image, image, field, field, channels, out, 1, 1},
                  square_tensor(image, channels));
      channels = out;
    }
    image /= 2;
  }
  channels *= image * image;  // all pixels become channels of one
  const std::int64_t wide = 64 * scale.features;
  for (const std::int64_t out : {wide, wide, wide / 4}) {
    add_chained(data, ConvFormal{1, 1, 1, 1, channels, out, 1, 1}, square_tensor(1, channels));
    channels = out;
  }
  add_output(data, square_tensor(1, channels));
  add_output_link(data, data.kernels.size() - 1, square_tensor(1, channels));
  return data;
}

}  // namespace waferloom::ispd2020
