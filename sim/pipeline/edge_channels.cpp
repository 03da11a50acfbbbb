#include "sim/pipeline/edge_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "model/errors.h"
#include "model/mesh.h"
#include "sim/mesh/port_hops.h"
#include "sim/pipeline/demands.h"
#include "sim/pipeline/lanes.h"

namespace waferloom::sim {
namespace {

/// Whether ports of a side are one above the other.
bool is_upright(Direction side) { return side == Direction::west || side == Direction::east; }

}  // namespace

EdgeChannels::EdgeChannels(const Hardware& hardware, PipelineSpec& spec, EdgeIo behind)
    : hardware_(hardware),
      spec_(spec),
      memory_(behind == EdgeIo::dram),
      parts_(hardware),
      first_(spec.ports.size()) {
  const std::vector<EdgePort>& ports = memory_ ? hardware.dram_ports : hardware.host_ports;
  const Living living(hardware);
  if (!memory_) spec.host_bytes_per_ps = bytes_per_ps(hardware.host_bytes_per_s);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const TilePlace tile = port_tile(hardware.wafer, ports[i]);
    const bool is_live = living.state(tile) != TileState::dead;
    is_all_on_edges_ = is_all_on_edges_ && ports[i].inset == 0;
    if (is_live) {
      const Direction side = ports[i].side;
      live_.push_back(i);
      by_side_[static_cast<std::size_t>(side)].emplace_back(is_upright(side) ? tile.y : tile.x, i);
    }
    const double most = bytes_per_ps(port_bytes_per_s(hardware, ports[i]));
    spec.ports.push_back({fmt::format("{}{}", memory_ ? "dram " : "host ", i), tile,
                          ports[i].bytes_per_s ? most : kNoLimit, ports[i].response_ps, memory_,
                          ports[i].capacity_bytes, is_live ? most : 0});
  }
  for (std::vector<PortAt>& ports_of_side : by_side_) {
    std::sort(ports_of_side.begin(), ports_of_side.end());
  }
}

void EdgeChannels::connect(ChannelSpec& channel, const std::string& name,
                           const Rectangle& stage) const {
  const bool input = channel.is_input();
  const std::vector<std::size_t> usable = usable_ports(name, stage);
  channel.has_fixed_port = !memory_ && hardware_.host_port_of.contains(name);
  const std::vector<TilePlace> tiles = tiles_of_lanes(stage, usable);
  for (std::size_t lane = 0; lane < tiles.size(); ++lane) {
    channel.ports.push_back(first_ + port_for(name, tiles[lane], lane, tiles.size(), usable));
    const TilePlace& port = spec_.ports[channel.ports.back()].tile;
    channel.lanes.push_back(input ? Lane{port, tiles[lane]} : Lane{tiles[lane], port});
  }
}

/// Whether a port stands at each tile of a stage.
bool EdgeChannels::have_own_ports(const Rectangle& stage,
                                  const std::vector<std::size_t>& usable) const {
  const auto area = static_cast<std::size_t>(stage.width * stage.height);
  if (usable.size() < area) return false;
  std::set<std::pair<std::int64_t, std::int64_t>> own;  // row, column
  for (const std::size_t port : usable) {
    const TilePlace& tile = spec_.ports[first_ + port].tile;
    if (contains(stage, Rectangle{tile.x, tile.y, 1, 1})) own.emplace(tile.y, tile.x);
  }
  return own.size() == area;
}

/// The tiles of a stage to which lanes of an input or output lead: all, as many as lanes may be,
/// where each has a host port of its own, as chips have; else those that face the nearest port.
std::vector<TilePlace> EdgeChannels::tiles_of_lanes(const Rectangle& stage,
                                                    const std::vector<std::size_t>& usable) const {
  const std::int64_t area = stage.width * stage.height;
  if (memory_ || !have_own_ports(stage, usable)) {
    const TilePlace nearest = spec_.ports[first_ + nearest_port(stage, usable)].tile;
    return lane_tiles(stage, {nearest.x, nearest.y, 1, 1}, hardware_.lanes_max);
  }
  const std::int64_t lanes = std::min(area, hardware_.lanes_max);
  std::vector<TilePlace> tiles;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t at = lane * area / lanes;
    tiles.push_back({stage.x + at % stage.width, stage.y + at / stage.width});
  }
  return tiles;
}

/// The live ports that are joined to a stage, ascending.
std::vector<std::size_t> EdgeChannels::usable_ports(const std::string& name,
                                                    const Rectangle& stage) const {
  const char* kind = memory_ ? "DRAM" : "host";
  if (spec_.ports.size() == first_) {
    throw RequestError(std::string("there are inputs or outputs, but no ") + kind + " ports: " +
                       (memory_ ? "dram_ports" : "host_ports") + " of the hardware is empty");
  }
  if (parts_.is_whole()) return live_;
  const auto columns = hardware_.wafer.width;
  const auto part = [&](const TilePlace& tile) {
    return parts_.part(static_cast<NodeIndex>(tile.y * columns + tile.x));
  };
  std::vector<std::size_t> usable;
  for (const std::size_t port : live_) {
    if (part(spec_.ports[first_ + port].tile) == part({stage.x, stage.y})) usable.push_back(port);
  }
  if (usable.empty()) {
    throw InfeasibleError(live_.empty() ? std::string("all ") + kind + " ports are at dead tiles"
                                        : std::string("no ") + kind + " port is joined to tile " +
                                              tile_text({stage.x, stage.y}) + ", where " + name +
                                              " is needed: dead tiles or links cut it off");
  }
  return usable;
}

/// The port that the hardware gives an input or output.
std::size_t EdgeChannels::mapped_port(const std::string& name, std::size_t port,
                                      const std::vector<std::size_t>& usable) const {
  if (std::binary_search(usable.begin(), usable.end(), port)) return port;
  const bool is_live = std::binary_search(live_.begin(), live_.end(), port);
  throw InfeasibleError(
      fmt::format("host port {}, that of {}, is at tile {}{}", port, name,
                  tile_text(spec_.ports[first_ + port].tile),
                  is_live ? ", which is cut off from where it is needed" : ", which is dead"));
}

/// The port that one of so many lanes of an input or output uses, which begins or ends at a tile.
std::size_t EdgeChannels::port_for(const std::string& name, const TilePlace& tile, std::size_t lane,
                                   std::size_t lanes,
                                   const std::vector<std::size_t>& usable) const {
  const auto mapped = hardware_.host_port_of.find(name);
  if (!memory_ && mapped != hardware_.host_port_of.end()) {
    return mapped_port(name, static_cast<std::size_t>(mapped->second), usable);
  }
  const PortChoice choice = memory_ ? hardware_.dram_port_choice : hardware_.host_port_choice;
  if (choice == PortChoice::all) return usable[(2 * lane + 1) * usable.size() / (2 * lanes)];
  return nearest_port({tile.x, tile.y, 1, 1}, usable);
}

std::size_t EdgeChannels::nearest_port(const Rectangle& tiles,
                                       const std::vector<std::size_t>& usable) const {
  const bool is_plain = is_all_on_edges_ && hardware_.topology != Topology::torus;
  if (is_plain && usable.size() == live_.size()) return nearest_live_port(tiles);
  std::pair<std::int64_t, std::size_t> best{std::numeric_limits<std::int64_t>::max(), 0};
  for (const std::size_t port : usable) {
    best = std::min(best, {hops_over(hardware_, spec_.ports[first_ + port].tile, tiles), port});
  }
  return best.second;
}

std::size_t EdgeChannels::nearest_live_port(const Rectangle& tiles) const {
  std::pair<std::int64_t, std::size_t> best{std::numeric_limits<std::int64_t>::max(), 0};
  for (const std::size_t side : {0, 1, 2, 3}) {
    const bool upright = is_upright(static_cast<Direction>(side));
    const std::int64_t first = upright ? tiles.y : tiles.x;
    const std::int64_t last = first + (upright ? tiles.height : tiles.width) - 1;
    const std::vector<PortAt>& ports = by_side_[side];
    const auto consider = [&](std::size_t i) {
      best = std::min(best, {hops_to(spec_.ports[first_ + i].tile, tiles), i});
    };
    // Of those beside the rectangle the first in the list, else the next on either hand.
    auto at = std::lower_bound(ports.begin(), ports.end(), PortAt{first, 0});
    if (at != ports.begin()) {
      const std::int64_t before = std::prev(at)->first;
      consider(std::lower_bound(ports.begin(), at, PortAt{before, 0})->second);
    }
    if (at != ports.end()) consider(at->second);
    for (; at != ports.end() && at->first <= last; ++at) consider(at->second);
  }
  return best.second;
}

}  // namespace waferloom::sim
