#include <utility>

#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/cases/families.h"
#include "benchmarks_ispd2020/cases/network_builder.h"

namespace waferloom::ispd2020 {
namespace {

void check(const FullyConnectedParameters& parameters) {
  doubled(parameters.inputs, parameters.doublings, "fully connected inputs");
  doubled(parameters.outputs, 0, "fully connected outputs");
  demand(parameters.layers_per_width >= 0 && parameters.layers_per_width <= kMaxParameter,
         "fully connected layers_per_width: expected at least 0");
}

/// Channels that leave each layer, in the order of the flow.
std::vector<std::int64_t> layer_widths(const FullyConnectedParameters& parameters) {
  std::vector<std::int64_t> widths;
  for (std::int64_t step = 0; step <= parameters.doublings; ++step) {
    const std::int64_t width = parameters.inputs << step;
    if (step > 0) widths.push_back(width);
    for (std::int64_t layer = 0; layer < parameters.layers_per_width; ++layer)
      widths.push_back(width);
  }
  widths.push_back(parameters.outputs);
  return widths;
}

}  // namespace

Problem make_fully_connected(const FullyConnectedParameters& parameters,
                             const ProblemSettings& settings) {
  check(parameters);
  ProblemData data = start_network(settings, square_tensor(1, parameters.inputs));
  std::int64_t channels = parameters.inputs;
  for (const std::int64_t width : layer_widths(parameters)) {
    add_chained(data, ConvFormal{1, 1, 1, 1, channels, width, 1, 1}, square_tensor(1, channels));
    channels = width;
  }
  add_output(data, square_tensor(1, channels));
  add_output_link(data, data.kernels.size() - 1, square_tensor(1, channels));
  return Problem(std::move(data));
}

}  // namespace waferloom::ispd2020
