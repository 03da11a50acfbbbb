// The judge of routes. It knows nothing of how they were found.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/mesh.h"
#include "model/routes.h"

namespace waferloom {
namespace {

bool is_inside(const Rectangle& tiles, const TilePlace& tile) {
  return tile.x >= tiles.x && tile.x < tiles.x + tiles.width && tile.y >= tiles.y &&
         tile.y < tiles.y + tiles.height;
}

class RoutesJudge {
 public:
  RoutesJudge(const Traffic& traffic, const Hardware& hardware, const Routes& routes,
              std::size_t most)
      : traffic_(traffic), hardware_(hardware), routes_(routes), most_(most) {}

  std::vector<RouteFault> judge() {
    const Wafer& wafer = hardware_.wafer;
    if (routes_.columns != wafer.width || routes_.rows != wafer.height) {
      add("", {},
          fmt::format("the routes are of a mesh of {} x {} tiles, the hardware has {} x {}",
                      routes_.columns, routes_.rows, wafer.width, wafer.height));
      return std::move(faults_);
    }
    index_tiles();
    match_tensors();
    for (std::size_t i = 0; i < routes_.tensors.size(); ++i) judge_tensor(i);
    return std::move(faults_);
  }

 private:
  void add(const std::string& tensor, std::optional<std::size_t> lane, std::string message,
           bool needs_dead = false) {
    if (faults_.size() < most_) faults_.push_back({tensor, lane, std::move(message), needs_dead});
  }

  void index_tiles() {
    const auto tiles = static_cast<std::size_t>(routes_.columns * routes_.rows);
    colours_.assign(tiles, 0);
    dead_.assign(tiles, 0);
    for (const Rectangle& dead : closed_tiles(hardware_)) {
      for_each_tile(dead, [&](std::size_t tile) { dead_[tile] = kDeadTileMark; });
    }
    for (const DeadLink& link : hardware_.dead_links) {
      auto& mark = dead_[index({link.x, link.y})];
      mark = static_cast<std::uint8_t>(mark | 1U << static_cast<unsigned>(link.direction));
    }
    const RoutingSpec& rules = hardware_.routing;
    const std::int64_t open = std::max<std::int64_t>(0, rules.colours - rules.kernel_colours);
    for (const TrafficBlock& block : traffic_.blocks) {
      // A kernel keeps the last colours.
      for_each_tile(block.tiles, [&](std::size_t tile) {
        for (std::int64_t colour = open; colour < rules.colours; ++colour) {
          colours_[tile] |= std::uint64_t{1} << colour;
        }
      });
    }
  }

  template <typename Visit>
  void for_each_tile(const Rectangle& tiles, Visit&& visit) const {
    for (std::int64_t y = std::max<std::int64_t>(0, tiles.y);
         y < std::min(routes_.rows, tiles.y + tiles.height); ++y) {
      for (std::int64_t x = std::max<std::int64_t>(0, tiles.x);
           x < std::min(routes_.columns, tiles.x + tiles.width); ++x) {
        visit(index({x, y}));
      }
    }
  }

  std::size_t index(const TilePlace& tile) const {
    return static_cast<std::size_t>(tile.y * routes_.columns + tile.x);
  }

  void match_tensors() {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < traffic_.tensors.size(); ++i) {
      places[traffic_.tensors[i].name] = i;
    }
    std::vector<bool> found(traffic_.tensors.size(), false);
    for (const RoutedTensor& tensor : routes_.tensors) {
      const auto at = places.find(tensor.name);
      const bool known = at != places.end();
      of_.push_back(known ? &traffic_.tensors[at->second] : nullptr);
      if (!known) {
        add(tensor.name, {}, "tensor " + tensor.name + " is not one of the placement's");
      } else if (found[at->second]) {
        add(tensor.name, {}, "tensor " + tensor.name + " is there twice");
      } else {
        found[at->second] = true;
      }
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string& name = traffic_.tensors[i].name;
      if (!found[i]) add(name, {}, "tensor " + name + " has no lanes");
    }
  }

  void judge_tensor(std::size_t place) {
    const RoutedTensor& routed = routes_.tensors[place];
    const TrafficTensor* tensor = of_[place];
    if (tensor == nullptr) return;
    if (routed.bytes != tensor->bytes) {
      add(routed.name, {},
          fmt::format("tensor {} has {} bytes a sample, the routes say {}", routed.name,
                      tensor->bytes, routed.bytes));
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < routed.lanes.size(); ++i) {
      sum += routed.lanes[i].bytes;
      judge_lane(routed, *tensor, i);
    }
    if (sum != routed.bytes) {
      add(routed.name, {},
          fmt::format("the lanes of tensor {} carry {} bytes of its {}", routed.name, sum,
                      routed.bytes));
    }
  }

  void judge_lane(const RoutedTensor& routed, const TrafficTensor& tensor, std::size_t place) {
    const RoutedLane& lane = routed.lanes[place];
    const std::string name = fmt::format("lane {} of tensor {}", place, routed.name);
    const auto fault = [&](const std::string& what, bool needs_dead = false) {
      add(routed.name, place, name + " " + what, needs_dead);
    };
    if (lane.bytes < 0) fault("carries less than nothing");
    judge_end(tensor, lane, lane.from, tensor.producer, "begins", fault);
    judge_end(tensor, lane, lane.to, tensor.consumer, "ends", fault);
    if (lane.colour < 0 || lane.colour >= hardware_.routing.colours) {
      fault(fmt::format("has colour {} of {}", lane.colour, hardware_.routing.colours));
      return;
    }
    walk(lane, fault);
  }

  template <typename Fault>
  void judge_end(const TrafficTensor& tensor, const RoutedLane& lane, const TilePlace& tile,
                 std::size_t block, const char* verb, Fault&& fault) {
    if (block != TrafficTensor::kOutside) {
      if (is_inside(traffic_.blocks[block].tiles, tile)) return;
      fault(std::string(verb) + " at tile " + tile_text(tile) + ", which is not one of " +
            traffic_.blocks[block].name);
      return;
    }
    const auto& ports = tensor.ports;
    if (!lane.port || std::find(ports.begin(), ports.end(), *lane.port) == ports.end()) {
      // Ports that are dead, or cut off from the tensor's, are none that it may use.
      const bool is_there = lane.port && *lane.port < traffic_.ports.size();
      const bool is_dead =
          is_there && (dead_[index(traffic_.ports[*lane.port].tile)] & kDeadTileMark) != 0;
      if (is_dead) {
        fault("needs port " + traffic_.ports[*lane.port].name + " at tile " +
                  tile_text(traffic_.ports[*lane.port].tile) + ", which is dead",
              true);
      } else {
        fault("uses no port that the tensor may use");
      }
    } else if (!(traffic_.ports[*lane.port].tile == tile)) {
      fault(std::string(verb) + " at tile " + tile_text(tile) + ", but its port is at " +
            tile_text(traffic_.ports[*lane.port].tile));
    }
  }

  /// Follows a lane's path from tile to tile, and marks its colour on them.
  template <typename Fault>
  void walk(const RoutedLane& lane, Fault&& fault) {
    TilePlace at = lane.from;
    bool whole = visit(at, lane, fault);
    for (const PathLeg& leg : lane.path) {
      for (std::int64_t hop = 0; whole && hop < leg.hops; ++hop) {
        if ((dead_[index(at)] & 1U << static_cast<unsigned>(leg.direction)) != 0) {
          fault("takes the dead link " +
                    std::string(kDirectionNames.at(static_cast<std::size_t>(leg.direction))) +
                    " of tile " + tile_text(at),
                true);
          return;
        }
        at.x += leg.direction == Direction::east ? 1 : leg.direction == Direction::west ? -1 : 0;
        at.y += leg.direction == Direction::north ? 1 : leg.direction == Direction::south ? -1 : 0;
        whole = visit(at, lane, fault);
      }
    }
    if (whole && !(at == lane.to)) {
      fault("ends at tile " + tile_text(at) + ", not at " + tile_text(lane.to));
    }
  }

  template <typename Fault>
  bool visit(const TilePlace& at, const RoutedLane& lane, Fault&& fault) {
    if (at.x < 0 || at.y < 0 || at.x >= routes_.columns || at.y >= routes_.rows) {
      fault("leaves the mesh at " + tile_text(at));
      return false;
    }
    if ((dead_[index(at)] & kDeadTileMark) != 0) {
      fault("crosses the dead tile " + tile_text(at), true);
      return false;
    }
    const std::uint64_t colour = std::uint64_t{1} << lane.colour;
    if ((colours_[index(at)] & colour) != 0) {
      fault(fmt::format("shares tile {} with another lane or a kernel of its colour, {}",
                        tile_text(at), lane.colour));
      return false;
    }
    colours_[index(at)] |= colour;
    return true;
  }

  static constexpr std::uint8_t kDeadTileMark = 16;

  const Traffic& traffic_;
  const Hardware& hardware_;
  const Routes& routes_;
  std::size_t most_;
  std::vector<const TrafficTensor*> of_;  // by routed tensor; null: unknown
  std::vector<std::uint64_t> colours_;    // by tile: those of lanes seen and of kernels
  std::vector<std::uint8_t> dead_;        // by tile: bits 0 to 3 of links, 4 of the tile
  std::vector<RouteFault> faults_;
};

}  // namespace

std::vector<RouteFault> verify_routes(const Traffic& traffic, const Hardware& hardware,
                                      const Routes& routes, std::size_t most) {
  return RoutesJudge(traffic, hardware, routes, most).judge();
}

}  // namespace waferloom
