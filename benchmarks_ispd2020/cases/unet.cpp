#include <utility>

#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/cases/families.h"
#include "benchmarks_ispd2020/cases/network_builder.h"

namespace waferloom::ispd2020 {
namespace {

void check(const UnetParameters& parameters) {
  demand(parameters.halvings >= 1, "unet halvings: expected at least 1");
  doubled(parameters.features, parameters.halvings, "unet features");
  doubled(parameters.channels_in, 0, "unet channels_in");
  doubled(parameters.channels_out, 0, "unet channels_out");
  demand(parameters.image >= 1 && parameters.image <= kMaxParameter &&
             parameters.image % (std::int64_t{1} << parameters.halvings) == 0,
         "unet image: expected a multiple of 2^halvings");
}

/// The chain of convolutions while it grows.
struct Chain {
  ProblemData data;
  std::int64_t channels = 0;  ///< that leave its last kernel
  KernelIndex last = 0;

  /// Adds a convolution to `out` channels behind the last; its input tensor has its own image.
  void add(std::int64_t image, std::int64_t field, std::int64_t out) {
    last = add_chained(data, ConvFormal{image, image, field, field, channels, out, 1, 1},
                       square_tensor(image, channels));
    channels = out;
  }
};

}  // namespace

Problem make_unet(const UnetParameters& parameters, const ProblemSettings& settings) {
  check(parameters);
  const std::int64_t image = parameters.image;
  Chain net{start_network(settings, square_tensor(image, parameters.channels_in)),
            parameters.channels_in, 0};
  const std::int64_t deepest = parameters.halvings;
  std::vector<Connection> skips;
  for (std::int64_t level = 0; level <= deepest; ++level) {
    const std::int64_t features = parameters.features << level;
    net.add(image >> level, 3, features);
    net.add(image >> level, 3, level < deepest ? 2 * features : features);
    if (level < deepest)
      skips.push_back({net.last, 0, square_tensor(image >> level, net.channels)});
  }
  for (std::int64_t level = deepest; level-- > 0;) {
    const std::int64_t features = parameters.features << level;
    net.add(image >> (level + 1), 2, 2 * features);
    if (level + 1 == deepest && parameters.deepest_tensor)
      net.data.connections.back().tensor = *parameters.deepest_tensor;
    net.add(image >> level, 3, features);
    skips[static_cast<std::size_t>(level)].consumer = net.last;
    net.add(image >> level, 3, features);
  }
  net.add(image, 1, parameters.channels_out);
  add_output(net.data, square_tensor(image, parameters.channels_out));
  add_output_link(net.data, net.last, square_tensor(image, parameters.channels_out));
  net.data.connections.insert(net.data.connections.end(), skips.begin(), skips.end());
  return Problem(std::move(net.data));
}

}  // namespace waferloom::ispd2020
