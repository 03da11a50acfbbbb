#include <algorithm>
#include <vector>

#include "benchmarks_ispd2020/cases/network_builder.h"
#include "benchmarks_ispd2020/generated/networks.h"

namespace waferloom::ispd2020 {
namespace {

constexpr std::int64_t kLeastLength = 4;
constexpr std::int64_t kMostLength = 8;
constexpr std::int64_t kDenseHalvings = 4;

/// A kernel whose channels later ones read.
struct Source {
  KernelIndex kernel = 0;
  std::int64_t channels = 0;
};

std::int64_t channels_of(const std::vector<Source>& sources) {
  std::int64_t channels = 0;
  for (const Source& source : sources) channels += source.channels;
  return channels;
}

/// What a convolution makes: field × field, to `out` channels, on a square image.
struct Layer {
  std::int64_t image = 0;
  std::int64_t field = 0;
  std::int64_t out = 0;
};

/// Adds a convolution that reads all the sources.
Source add_reader(ProblemData& data, const std::vector<Source>& sources, const Layer& layer) {
  const KernelIndex reader =
      add_kernel(data, ConvFormal{layer.image, layer.image, layer.field, layer.field,
                                  channels_of(sources), layer.out, 1, 1});
  for (const Source& source : sources) {
    add_link(data, {source.kernel, reader}, square_tensor(layer.image, source.channels));
  }
  return {reader, layer.out};
}

}  // namespace

ProblemData densenet_network(const ProblemSettings& settings, const NetworkScale& scale,
                             SeededDraws draws) {
  const std::int64_t growth = scale.features / 2;
  ProblemData data = start_network(settings, square_tensor(scale.image, 3));
  const ConvFormal stem{scale.image, scale.image, 3, 3, 3, 2 * growth, 1, 1};
  std::vector<Source> block{
      {add_chained(data, stem, square_tensor(scale.image, 3)), stem.channels_out}};
  std::int64_t image = scale.image;
  std::int64_t halvings = 0;
  for (std::int64_t left = scale.kernels - 1; left > 0;) {
    const std::int64_t drawn = kLeastLength + draws.below(kMostLength - kLeastLength + 1);
    const std::int64_t length = std::min(left, drawn);
    for (std::int64_t i = 0; i < length; ++i) {
      block.push_back(add_reader(data, block, {image, 3, growth}));
    }
    left -= length;
    if (left == 0) break;
    block = {add_reader(data, block, {image, 1, channels_of(block) / 2})};
    --left;
    if (halvings++ < kDenseHalvings) image /= 2;
  }
  const TensorShape output = square_tensor(image, block.back().channels);
  add_output(data, output);
  add_output_link(data, block.back().kernel, output);
  return data;
}

}  // namespace waferloom::ispd2020
