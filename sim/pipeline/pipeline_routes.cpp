#include "sim/pipeline/pipeline_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/errors.h"
#include "model/mesh.h"
#include "sim/pipeline/demands.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline/sample_routes.h"

namespace waferloom::sim {
namespace {

/// The names of a pipeline's tensors, by channel.
std::vector<std::string> tensor_names(const PipelineSpec& spec) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const ChannelSpec& channel : spec.channels) {
    const int count = ++seen[channel.name];
    names.push_back(count == 1 ? channel.name : fmt::format("{} #{}", channel.name, count));
  }
  return names;
}

std::string gradient_name(const std::string& tensor) { return "gradient of " + tensor; }

/// What a sample needs of stages, of ports together and of adapters, whatever the routes.
std::vector<NamedBound> bounds_on_any_routes(const PipelineSpec& spec, const Traffic& traffic,
                                             const Hardware& hardware) {
  std::vector<NamedBound> bounds = Demands::on_any_routes(spec).bounds();
  std::erase_if(bounds, [](const NamedBound& bound) {
    return bound.kind == bound_name(Bound::adapter);  // with the lanes that the router has
  });
  for (const ChannelSpec& channel : spec.channels) {
    if (channel.adapters == 0) continue;
    const Rectangle& from = traffic.blocks[channel.producer].tiles;
    const Rectangle& to = traffic.blocks[channel.consumer].tiles;
    const auto lanes =
        static_cast<std::int64_t>(lanes_between(from, to, hardware.routing.lanes_max).size());
    bounds.push_back({bound_name(Bound::adapter), "adapter of " + channel.name,
                      static_cast<double>(adapter_pass_ps(channel.bytes, hardware, lanes)) /
                          static_cast<double>(kPicosecondsPerSecond)});
  }
  return bounds;
}

/// A block for every stage or, where stages share tiles, for every worker.
std::vector<TrafficBlock> blocks_of(const PipelineSpec& spec, const std::vector<Rectangle>& tiles) {
  std::vector<TrafficBlock> blocks(spec.worker_count());
  for (std::size_t i = 0; i < spec.stages.size(); ++i) {
    const StageSpec& stage = spec.stages[i];
    TrafficBlock& block = blocks[spec.worker(i)];
    block.name = spec.worker_of.empty() ? stage.name : spec.workers[spec.worker(i)].name;
    block.tiles = tiles[spec.worker(i)];
    block.work_ps = later(block.work_ps, stage.forward + (spec.training ? stage.backward : 0));
  }
  return blocks;
}

/// Live ports of the kind that a channel goes through, as far as they are joined to those that it
/// has, or the one that the hardware gives it.
std::vector<std::size_t> ports_of(const PipelineSpec& spec, const ChannelSpec& channel,
                                  const Wafer& wafer, const LiveParts& parts) {
  if (channel.ports.empty()) return {};
  if (channel.has_fixed_port) return {channel.ports.front()};
  const auto part = [&](std::size_t port) {
    const TilePlace& tile = spec.ports[port].tile;
    return parts.part(static_cast<NodeIndex>(tile.y * wafer.width + tile.x));
  };
  std::vector<std::size_t> ports;
  for (std::size_t i = 0; i < spec.ports.size(); ++i) {
    if (spec.ports[i].is_memory != passes_memory(spec, channel)) continue;
    if (spec.ports[i].most_bytes_per_ps == 0) continue;  // at a dead tile
    if (part(i) == part(channel.ports.front())) ports.push_back(i);
  }
  return ports;
}

TrafficPort traffic_port(const PortSpec& port) {
  constexpr double kPerSecond = 1e12;
  const bool limited = std::isfinite(port.bytes_per_ps);
  return {port.name, port.tile,
          limited ? Rate(std::llround(port.bytes_per_ps * kPerSecond)) : std::nullopt};
}

/// Whether a channel's tensor leaves tiles and goes to others.
bool moves(const PipelineSpec& spec, const ChannelSpec& channel) {
  if (channel.streams) return sample_bytes(spec, channel) > 0;
  return channel.is_outside() || spec.worker(channel.producer) != spec.worker(channel.consumer);
}

}  // namespace

Traffic pipeline_traffic(const PipelineSpec& spec, const Hardware& hardware,
                         const std::vector<Rectangle>& tiles) {
  Traffic traffic;
  traffic.blocks = blocks_of(spec, tiles);
  for (const PortSpec& port : spec.ports) traffic.ports.push_back(traffic_port(port));
  const std::vector<std::string> names = tensor_names(spec);
  const LiveParts parts(hardware);
  const auto block = [&](std::size_t stage) {
    return stage == ChannelSpec::kOutside ? TrafficTensor::kOutside : spec.worker(stage);
  };
  for (std::size_t i = 0; i < spec.channels.size(); ++i) {
    const ChannelSpec& channel = spec.channels[i];
    if (!moves(spec, channel)) continue;
    TrafficTensor tensor{
        names[i], TensorKind::edge, block(channel.producer), block(channel.consumer), channel.bytes,
        {},       channel.adapters};
    if (channel.is_outside()) {
      tensor.kind = channel.is_input() ? TensorKind::input : TensorKind::output;
      tensor.bytes = sample_bytes(spec, channel);
      tensor.ports = ports_of(spec, channel, hardware.wafer, parts);
      if (channel.streams) tensor.store = channel.is_input() ? channel.consumer : channel.producer;
    }
    traffic.tensors.push_back(tensor);
    if (!spec.training || tensor.kind != TensorKind::edge) continue;
    traffic.tensors.push_back({gradient_name(tensor.name), TensorKind::gradient, tensor.consumer,
                               tensor.producer, tensor.bytes});
  }
  traffic.bounds = bounds_on_any_routes(spec, traffic, hardware);
  double most = 0;
  for (const NamedBound& bound : traffic.bounds) most = std::max(most, bound.seconds);
  traffic.period_ps = std::llround(most * static_cast<double>(kPicosecondsPerSecond));
  return traffic;
}

void set_routes(PipelineSpec& spec, const Hardware& hardware, const Routes& routes) {
  std::map<std::string, const RoutedTensor*> by_name;
  for (const RoutedTensor& tensor : routes.tensors) by_name[tensor.name] = &tensor;
  const auto routed = [&](const std::string& name) -> const RoutedTensor& {
    const auto at = by_name.find(name);
    if (at == by_name.end()) throw RequestError("tensor " + name + " has no routes");
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
    if (!moves(spec, channel)) {
      channel.lanes.clear();
      channel.ports.clear();
      continue;
    }
    const RoutedTensor& tensor = routed(names[i]);
    channel.lanes = lanes_of(tensor);
    channel.planned_bytes = tensor.bytes;
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
