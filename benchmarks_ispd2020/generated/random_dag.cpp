#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "benchmarks_ispd2020/cases/network_builder.h"
#include "benchmarks_ispd2020/generated/networks.h"

namespace waferloom::ispd2020 {
namespace {

constexpr std::int64_t kNear = 8;
constexpr std::int64_t kSmallestImage = 4;
constexpr std::int64_t kImageChannels = 3;

/// A convolution in the order of the flow.
struct DagNode {
  ConvFormal formal;
  std::vector<std::size_t> sources;  ///< positions in the flow; none: the network's input
  bool read = false;                 ///< by a later one
  TensorShape made() const {
    return {formal.height / formal.stride_y, formal.width / formal.stride_x, formal.channels_out};
  }
};

/// One to three different nodes in front of position `at`, ascending; none for the first, and now
/// and then.
std::vector<std::size_t> drawn_sources(std::size_t at, SeededDraws& draws) {
  const auto before = static_cast<std::int64_t>(at);
  std::vector<std::size_t> sources;
  if (before == 0 || draws.once_in(24)) return sources;
  std::int64_t count = 1;
  if (draws.once_in(3)) ++count;
  if (draws.once_in(4)) ++count;
  for (; count > 0; --count) {
    const std::int64_t far = draws.once_in(25) ? before : std::min(kNear, before);
    sources.push_back(static_cast<std::size_t>(before - 1 - draws.below(far)));
  }
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

DagNode drawn_node(std::vector<DagNode>& flow, const NetworkScale& scale, SeededDraws& draws) {
  DagNode node;
  node.sources = drawn_sources(flow.size(), draws);
  std::int64_t image = scale.image;
  std::int64_t channels = node.sources.empty() ? kImageChannels : 0;
  for (const std::size_t source : node.sources) {
    flow[source].read = true;
    channels += flow[source].formal.channels_out;
  }
  if (!node.sources.empty()) image = flow[node.sources.front()].made().height;
  const std::int64_t change = draws.below(12);
  if (change == 0 && 2 * image <= scale.image) image *= 2;
  const std::int64_t stride = change == 1 && image >= 2 * kSmallestImage ? 2 : 1;
  const std::int64_t field = draws.one_of(std::array<std::int64_t, 6>{1, 1, 3, 3, 3, 5});
  const std::int64_t out = scale.features << draws.below(4);
  node.formal = ConvFormal{image, image, field, field, channels, out, stride, stride};
  return node;
}

/// A number for each position of the flow: a shuffle of all of them.
std::vector<KernelIndex> shuffled_numbers(std::size_t count, SeededDraws& draws) {
  std::vector<KernelIndex> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = i;
  for (std::size_t i = count; i > 1; --i) {
    std::swap(numbers[i - 1],
              numbers[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(i)))]);
  }
  return numbers;
}

/// Edges in the order of the flow.
void add_links(ProblemData& data, const std::vector<DagNode>& flow,
               const std::vector<KernelIndex>& numbers) {
  const TensorShape output = flow.back().made();
  add_output(data, output);
  for (std::size_t i = 0; i < flow.size(); ++i) {
    const DagNode& node = flow[i];
    const std::int64_t image = node.formal.height;
    if (node.sources.empty()) {
      add_input_link(data, numbers[i], square_tensor(image, kImageChannels));
    }
    for (const std::size_t source : node.sources) {
      add_link(data, {numbers[source], numbers[i]},
               square_tensor(image, flow[source].formal.channels_out));
    }
    if (!node.read) add_output_link(data, numbers[i], node.made());
  }
}

}  // namespace

ProblemData random_dag_network(const ProblemSettings& settings, const NetworkScale& scale,
                               SeededDraws draws) {
  std::vector<DagNode> flow;
  for (std::int64_t i = 0; i < scale.kernels; ++i) flow.push_back(drawn_node(flow, scale, draws));
  const std::vector<KernelIndex> numbers = shuffled_numbers(flow.size(), draws);
  std::vector<std::size_t> position(flow.size());
  for (std::size_t i = 0; i < flow.size(); ++i) position[numbers[i]] = i;
  ProblemData data = start_network(settings, square_tensor(scale.image, kImageChannels));
  for (const std::size_t at : position) add_kernel(data, flow[at].formal);
  add_links(data, flow, numbers);
  return data;
}

}  // namespace waferloom::ispd2020
