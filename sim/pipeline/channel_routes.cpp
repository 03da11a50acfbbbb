#include "sim/pipeline/channel_routes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace waferloom::sim {
namespace {

/// The names of a pipeline's tensors, by channel.
std::vector<std::string> tensor_names(const PipelineSpec& spec) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const ChannelSpec& channel : spec.channels) {
    const int count = ++seen[channel.name];
    names.push_back(count == 1 ? channel.name : channel.name + " #" + std::to_string(count));
  }
  return names;
}

std::string gradient_name(const std::string& tensor) { return "gradient of " + tensor; }

/// What a sample needs of the slowest stage, of the host or of an adapter.
double period_ps(const PipelineSpec& spec, const Traffic& traffic, const Hardware& hardware) {
  double most = 0;
  for (const StageSpec& stage : spec.stages) {
    const Picoseconds work = stage.forward + (spec.training ? stage.backward : 0);
    most = std::max(most, static_cast<double>(work));
  }
  double in = 0;
  double out = 0;
  for (const ChannelSpec& channel : spec.channels) {
    if (channel.is_input()) in += static_cast<double>(channel.bytes);
    if (channel.is_output()) out += static_cast<double>(channel.bytes);
    if (channel.adapters == 0) continue;
    const Rectangle& from = traffic.blocks[channel.producer].tiles;
    const Rectangle& to = traffic.blocks[channel.consumer].tiles;
    const auto lanes =
        static_cast<std::int64_t>(lanes_between(from, to, hardware.routing.lanes_max).size());
    most = std::max(most, static_cast<double>(adapter_pass_ps(channel.bytes, lanes, hardware)));
  }
  return std::max({most, in / spec.host_bytes_per_ps, out / spec.host_bytes_per_ps});
}

}  // namespace

Traffic pipeline_traffic(const PipelineSpec& spec, const Hardware& hardware,
                         const std::vector<Rectangle>& tiles) {
  Traffic traffic;
  for (std::size_t i = 0; i < spec.stages.size(); ++i) {
    const StageSpec& stage = spec.stages[i];
    traffic.blocks.push_back(
        {stage.name, tiles[i], stage.forward + (spec.training ? stage.backward : 0)});
  }
  std::vector<std::size_t> live;
  for (const PortSpec& port : spec.ports) {
    if (is_clear(hardware.wafer, {port.tile.x, port.tile.y, 1, 1})) {
      live.push_back(traffic.ports.size());
    }
    const bool limited = std::isfinite(port.bytes_per_ps);
    traffic.ports.push_back(
        {port.name, port.tile,
         limited ? Rate(std::llround(port.bytes_per_ps * 1e12)) : std::nullopt});
  }
  const std::vector<std::string> names = tensor_names(spec);
  for (std::size_t i = 0; i < spec.channels.size(); ++i) {
    const ChannelSpec& channel = spec.channels[i];
    TrafficTensor tensor{names[i],         TensorKind::edge, channel.producer,
                         channel.consumer, channel.bytes,    {},
                         channel.adapters};
    if (channel.is_outside()) {
      tensor.kind = channel.is_input() ? TensorKind::input : TensorKind::output;
      const bool fixed = !channel.ports.empty() && channel.has_fixed_port;
      tensor.ports = fixed ? std::vector<std::size_t>{channel.ports.front()} : live;
    }
    traffic.tensors.push_back(tensor);
    if (!spec.training || tensor.kind != TensorKind::edge) continue;
    traffic.tensors.push_back({gradient_name(tensor.name), TensorKind::gradient, tensor.consumer,
                               tensor.producer, tensor.bytes});
  }
  traffic.period_ps = static_cast<std::int64_t>(std::llround(period_ps(spec, traffic, hardware)));
  return traffic;
}

void set_routes(PipelineSpec& spec, const Hardware& hardware, const Routes& routes) {
  std::map<std::string, const RoutedTensor*> by_name;
  for (const RoutedTensor& tensor : routes.tensors) by_name[tensor.name] = &tensor;
  const auto routed = [&](const std::string& name) -> const RoutedTensor& {
    const auto at = by_name.find(name);
    if (at == by_name.end()) throw std::invalid_argument("tensor " + name + " has no routes");
    return *at->second;
  };
  const auto lanes_of = [](const RoutedTensor& tensor) {
    std::vector<Lane> lanes;
    for (const RoutedLane& lane : tensor.lanes) {
      lanes.push_back(
          {lane.from, lane.to, lane.path, lane.bytes, static_cast<std::uint8_t>(lane.colour)});
    }
    return lanes;
  };
  const std::vector<std::string> names = tensor_names(spec);
  for (std::size_t i = 0; i < spec.channels.size(); ++i) {
    ChannelSpec& channel = spec.channels[i];
    const RoutedTensor& tensor = routed(names[i]);
    channel.lanes = lanes_of(tensor);
    if (channel.is_outside()) {
      channel.ports.clear();
      for (const RoutedLane& lane : tensor.lanes) channel.ports.push_back(lane.port.value_or(0));
    } else if (spec.training) {
      channel.gradient_lanes = lanes_of(routed(gradient_name(names[i])));
    }
    if (channel.adapters > 0) channel.adapter_pass = adapter_pass_ps(tensor, hardware);
    if (tensor.buffer_samples && !hardware.buffer_samples) {
      channel.buffer_samples = *tensor.buffer_samples;
    }
  }
}

}  // namespace waferloom::sim
