#include <algorithm>
#include <cmath>

#include "model/routes.h"

namespace waferloom {
namespace {

/// Calls visit(link, bytes) for every link of every lane.
template <typename Visit>
void for_each_link(const Routes& routes, const Mesh& mesh, const Visit& visit) {
  for (const RoutedTensor& tensor : routes.tensors) {
    for (const RoutedLane& lane : tensor.lanes) {
      for_each_path_link(mesh, lane.from, lane.path,
                         [&](LinkIndex link) { visit(link, lane.bytes); });
    }
  }
}

}  // namespace

std::int64_t adapter_pass_ps(std::int64_t bytes, const Hardware& hardware, std::int64_t lanes) {
  const double rate = bytes_per_ps(hardware.link.bytes_per_s) * static_cast<double>(lanes);
  // Less than a millionth of a picosecond is rounding.
  const double time = std::ceil(static_cast<double>(bytes) / rate - 1e-6);
  return hardware.adapter_setup_ps + static_cast<std::int64_t>(std::min(time, 1e18));
}

std::int64_t adapter_pass_ps(const RoutedTensor& tensor, const Hardware& hardware) {
  if (tensor.lanes.empty()) return 0;
  const auto lanes = static_cast<std::int64_t>(tensor.lanes.size());
  const auto by_bytes = [](const RoutedLane& a, const RoutedLane& b) { return a.bytes < b.bytes; };
  const std::int64_t most =
      std::max_element(tensor.lanes.begin(), tensor.lanes.end(), by_bytes)->bytes;
  const bool is_even = most <= (tensor.bytes + lanes - 1) / lanes;
  return is_even ? adapter_pass_ps(tensor.bytes, hardware, lanes)
                 : adapter_pass_ps(most, hardware, 1);
}

std::int64_t hops_of(const std::vector<PathLeg>& path) {
  std::int64_t hops = 0;
  for (const PathLeg& leg : path) hops += leg.hops;
  return hops;
}

double mean_hops(const RoutedTensor& tensor) {
  double sum = 0;
  for (const RoutedLane& lane : tensor.lanes) {
    sum += static_cast<double>(lane.bytes) * static_cast<double>(hops_of(lane.path));
  }
  return tensor.bytes > 0 ? sum / static_cast<double>(tensor.bytes) : 0;
}

LinkReserve link_reserve(const Traffic& traffic, const Hardware& hardware) {
  LinkReserve reserve{{},
                      traffic.kernel_link_percent.value_or(hardware.routing.kernel_link_percent)};
  for (const TrafficBlock& block : traffic.blocks) reserve.kernels.push_back(block.tiles);
  return reserve;
}

std::vector<std::int64_t> link_bytes_of(const Routes& routes, const Mesh& mesh) {
  std::vector<std::int64_t> bytes(mesh.link_count(), 0);
  for_each_link(routes, mesh, [&](LinkIndex link, std::int64_t more) { bytes[link] += more; });
  return bytes;
}

BusiestLink busiest_link(const std::vector<std::int64_t>& link_bytes, const Mesh& mesh) {
  BusiestLink busiest;
  for (LinkIndex link = 0; link < link_bytes.size(); ++link) {
    if (link_bytes[link] == 0) continue;
    const double time = link_time(mesh, link, link_bytes[link]);
    if (time > busiest.time_ps) busiest = {link, time};
  }
  return busiest;
}

BusiestLink busiest_link(const Routes& routes, const Mesh& mesh) {
  return busiest_on_paths(mesh, [&](const auto& visit) { for_each_link(routes, mesh, visit); });
}

TileWays tile_ways_of(const Routes& routes, const Mesh& mesh) {
  TileWays ways;
  for (const RoutedTensor& tensor : routes.tensors) {
    for (const RoutedLane& lane : tensor.lanes) {
      ways.add_lane(mesh.node(lane.from), mesh.node(lane.to), lane.bytes);
    }
  }
  return ways;
}

BusiestTile busiest_tile(const TileWays& ways, const Mesh& mesh) {
  BusiestTile busiest;
  for (const auto* side : {&ways.out_of, &ways.into}) {
    for (const auto& [tile, bytes] : *side) {
      const double time = tile_way_time(mesh, bytes);
      if (time > busiest.time_ps) busiest = {tile, time};
    }
  }
  return busiest;
}

double busiest_port_ps(const Routes& routes, const Traffic& traffic) {
  std::map<std::pair<std::size_t, bool>, std::int64_t> bytes;  // by port and direction
  for (std::size_t i = 0; i < routes.tensors.size(); ++i) {
    const bool leaves = traffic.tensors[i].consumer == TrafficTensor::kOutside;
    for (const RoutedLane& lane : routes.tensors[i].lanes) {
      if (lane.port) bytes[{*lane.port, leaves}] += lane.bytes;
    }
  }
  double longest = 0;
  for (const auto& [way, carried] : bytes) {
    const double rate = bytes_per_ps(traffic.ports[way.first].bytes_per_s);
    longest = std::max(longest, static_cast<double>(carried) / rate);
  }
  return longest;
}

}  // namespace waferloom
