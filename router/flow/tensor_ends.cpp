#include "router/flow/tensor_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

// Problem: choose on which sides of blocks, and at which ports, the lanes of a tensor begin and
// end, and how many lanes it gets.
// Idea: list the pairs of sides that the hardware allows. For each pair collect the border tiles
// that a live link joins to the rest of the mesh. Estimate the time of a sample: bytes of a lane,
// and hops between the middles of the ends. The pair with the least time is taken.
// Source: ours (docs/router.md, "What is planned").
// Cost: at most 16 pairs of sides, each O(border tiles + ports).
namespace waferloom::router {
namespace {

/// The border tiles of a side, counter-clockwise.
std::vector<TilePlace> side_tiles(const Rectangle& of, Direction side) {
  std::vector<TilePlace> tiles;
  if (is_along_x(side)) {
    const std::int64_t x = side == Direction::east ? of.x + of.width - 1 : of.x;
    for (std::int64_t i = 0; i < of.height; ++i) tiles.push_back({x, of.y + i});
    if (side == Direction::west) std::reverse(tiles.begin(), tiles.end());
  } else {
    const std::int64_t y = side == Direction::north ? of.y + of.height - 1 : of.y;
    for (std::int64_t i = 0; i < of.width; ++i) tiles.push_back({of.x + i, y});
    if (side == Direction::north) std::reverse(tiles.begin(), tiles.end());
  }
  return tiles;
}

/// Whether a live link leaves the tile (`leaving`), or reaches it.
bool is_open(const Mesh& mesh, const TilePlace& tile, bool leaving) {
  const NodeIndex node = mesh.node(tile);
  return std::any_of(kDirections.begin(), kDirections.end(), [&](Direction direction) {
    if (!mesh.has_neighbour(node, direction)) return false;
    return !mesh.is_dead_link(
        leaving ? Mesh::link(node, direction)
                : Mesh::link(mesh.neighbour(node, direction), opposite(direction)));
  });
}

class EndFinder {
 public:
  EndFinder(const TrafficTensor& tensor, const Traffic& traffic, const Hardware& hardware,
            const Mesh& mesh, const LiveParts& parts, double lane_ps, const WayLoads& loads)
      : tensor_(tensor),
        traffic_(traffic),
        hardware_(hardware),
        mesh_(mesh),
        parts_(parts),
        lane_ps_(lane_ps),
        loads_(loads) {}

  TensorEnds find() const {
    std::vector<Choice> all = joined_choices(true);
    const std::vector<double> times = times_of(all, lanes_wanted());
    if (times.empty()) return {};
    std::size_t best =
        static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
    const double most = kAlmost * times[best];
    double load = way_bytes(all[best].ends);
    if (load > loads_.easy_bytes) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double here = times[i] <= most ? way_bytes(all[i].ends) : load;
        if (here >= load) continue;
        load = here;
        best = i;
      }
    }
    return std::move(all[best].ends);
  }

  /// All ends that find() may choose, for any number of lanes.
  TensorEnds possible() const {
    std::vector<Choice> all = joined_choices(false);
    std::vector<bool> may_be(all.size(), false);
    for (std::int64_t most = 1;; most = 2 * most >= kAnyLanes ? kAnyLanes : 2 * most) {
      for (const std::int64_t wanted : {lanes_wanted(), kAnyLanes}) {
        mark_first(all, std::min(most, wanted), may_be);
      }
      if (most == kAnyLanes) break;
    }
    TensorEnds both;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!may_be[i]) continue;
      const TensorEnds& ends = all[i].ends;
      both.from.insert(both.from.end(), ends.from.begin(), ends.from.end());
      both.to.insert(both.to.end(), ends.to.begin(), ends.to.end());
      both.tiles = std::max(both.tiles, ends.tiles);
      both.lanes_most = std::max(both.lanes_most, ends.lanes_most);
    }
    both.lanes = both.lanes_most;
    return both;
  }

 private:
  /// Sides by which a sample takes up to so much longer may be chosen for their tiles' ways.
  static constexpr double kAlmost = 1.01;
  static constexpr std::int64_t kAnyLanes = std::int64_t{1} << 20;

  struct Choice {
    TensorEnds ends;
    bool joined = true;  // both ends are in the same part of the mesh
  };
  /// A choice for each allowed pair of sides. If dead tiles divide the mesh: with `one_part` the
  /// ends in the best part, otherwise the ends in all parts that hold both.
  std::vector<Choice> choices(bool one_part) const {
    const bool input = tensor_.producer == TrafficTensor::kOutside;
    const bool output = tensor_.consumer == TrafficTensor::kOutside;
    if (input && output) throw std::logic_error("tensor " + tensor_.name + " joins no block");
    const TensorEnd ports = input || output ? port_tiles(input) : TensorEnd{};
    std::vector<Choice> all;
    for (const auto& [from_side, to_side] : sides(input, output)) {
      Choice choice;
      TensorEnds& ends = choice.ends;
      ends.from = input ? ports_before(ports, tensor_.consumer, to_side)
                        : side(tensor_.producer, from_side, true);
      ends.to = output ? ports_before(ports, tensor_.producer, from_side)
                       : side(tensor_.consumer, to_side, false);
      // Now both ends run from right to left, seen in the direction of the lanes.
      std::reverse(ends.to.begin(), ends.to.end());
      if (ends.from.empty() || ends.to.empty()) continue;
      choice.joined = keep_joined(ends, one_part);
      ends.tiles = static_cast<std::int64_t>(tiles_for_lanes(ends.from.size(), ends.to.size()));
      ends.lanes_most = std::min(
          {ends.tiles, hardware_.routing.lanes_max, std::max<std::int64_t>(1, tensor_.bytes)});
      all.push_back(std::move(choice));
    }
    return all;
  }

  /// The ends of other choices lie in different parts of the mesh. Live links may still join them
  /// in a single direction, so they are used if there is nothing better.
  std::vector<Choice> joined_choices(bool one_part) const {
    std::vector<Choice> all = choices(one_part);
    const bool joined =
        std::any_of(all.begin(), all.end(), [](const Choice& c) { return c.joined; });
    if (joined) std::erase_if(all, [](const Choice& choice) { return !choice.joined; });
    return all;
  }

  /// Sets the choices' lanes, and answers the times of a sample.
  std::vector<double> times_of(std::vector<Choice>& all, std::int64_t lanes) const {
    std::vector<double> times;
    for (Choice& choice : all) {
      choice.ends.lanes = std::min(choice.ends.lanes_most, lanes);
      times.push_back(time_ps(choice.ends));
    }
    return times;
  }

  /// Marks the choices by which a sample with `lanes` lanes arrives first, or almost first.
  void mark_first(std::vector<Choice>& all, std::int64_t lanes, std::vector<bool>& marks) const {
    const std::vector<double> times = times_of(all, lanes);
    if (times.empty()) return;
    const double least = *std::min_element(times.begin(), times.end());
    for (std::size_t i = 0; i < all.size(); ++i) marks[i] = marks[i] || times[i] <= kAlmost * least;
  }

  /// Tiles of the shorter end. Ports do not limit the lanes.
  std::size_t tiles_for_lanes(std::size_t from, std::size_t to) const {
    if (tensor_.producer == TrafficTensor::kOutside) return to;
    if (tensor_.consumer == TrafficTensor::kOutside) return from;
    return std::min(from, to);
  }

  /// Keeps only tiles in the part of the mesh that allows most lanes (`one_part`), or in all parts
  /// that hold tiles of both ends. If no part holds tiles of both, answers false and changes
  /// nothing.
  bool keep_joined(TensorEnds& ends, bool one_part) const {
    if (parts_.is_whole()) return true;
    const auto part = [&](const EndTile& end) { return parts_.part(mesh_.node(end.tile)); };
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> counts;
    for (const EndTile& from : ends.from) ++counts[part(from)].first;
    for (const EndTile& to : ends.to) ++counts[part(to)].second;
    std::uint32_t best = 0;
    std::size_t most = 0;
    for (const auto& [which, count] : counts) {
      if (count.first == 0 || count.second == 0) continue;
      const std::size_t tiles = tiles_for_lanes(count.first, count.second);
      if (tiles <= most) continue;
      most = tiles;
      best = which;
    }
    if (most == 0) return false;
    const auto is_elsewhere = [&](const EndTile& end) {
      if (one_part) return part(end) != best;
      const auto& [from, to] = counts[part(end)];
      return from == 0 || to == 0;
    };
    std::erase_if(ends.from, is_elsewhere);
    std::erase_if(ends.to, is_elsewhere);
    return true;
  }

  std::int64_t lanes_wanted() const {
    if (lane_ps_ <= 0) return std::numeric_limits<std::int64_t>::max();
    double rate = mesh_.tile_bytes_per_ps();
    if (!mesh_.is_uniform()) rate = std::min(rate, bytes_per_ps(hardware_.group_link.bytes_per_s));
    const double lanes = std::ceil(static_cast<double>(tensor_.bytes) / rate / lane_ps_);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(lanes, 1e9)));
  }

  struct Sides {
    Direction from = Direction::east;
    Direction to = Direction::east;
  };
  /// The allowed pairs of sides. Where lanes use facing sides, two blocks have a single pair.
  std::vector<Sides> sides(bool input, bool output) const {
    std::vector<Sides> all;
    if (!input && !output && hardware_.routing.lane_sides == LaneSides::facing) {
      const Rectangle& from = traffic_.blocks[tensor_.producer].tiles;
      const Rectangle& to = traffic_.blocks[tensor_.consumer].tiles;
      return {{facing_side(from, to), facing_side(to, from)}};
    }
    for (const Direction from : kDirections) {
      for (const Direction to : kDirections) {
        if ((input && from != Direction::east) || (output && to != Direction::east)) continue;
        all.push_back({from, to});
      }
    }
    return all;
  }

  TensorEnd side(std::size_t block, Direction direction, bool leaving) const {
    TensorEnd end;
    for (const TilePlace& tile : side_tiles(traffic_.blocks[block].tiles, direction)) {
      if (is_open(mesh_, tile, leaving)) end.push_back({tile});
    }
    return end;
  }

  /// The ports that lie before a side of a block, in their order around the mesh. Lanes to other
  /// ports would have to go around the block.
  TensorEnd ports_before(const TensorEnd& ports, std::size_t block, Direction direction) const {
    const Rectangle& tiles = traffic_.blocks[block].tiles;
    const auto lies_before = [&](const EndTile& port) {
      switch (direction) {
        case Direction::east:
          return port.tile.x >= tiles.x + tiles.width - 1;
        case Direction::west:
          return port.tile.x <= tiles.x;
        case Direction::north:
          return port.tile.y >= tiles.y + tiles.height - 1;
        case Direction::south:
          return port.tile.y <= tiles.y;
      }
      return false;
    };
    // The ports before the side are a connected piece of the mesh's border. Begin behind a port
    // that is not before it.
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (!lies_before(ports[i])) begin = i + 1;
      if (begin > 0 && lies_before(ports[i])) break;
    }
    TensorEnd end;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const EndTile& port = ports[(begin + i) % ports.size()];
      if (lies_before(port)) end.push_back(port);
    }
    return end;
  }

  /// An estimate of a sample's time: the bytes of a lane, and the hops between the middles of the
  /// ends, or to the nearest port.
  double time_ps(const TensorEnds& ends) const {
    const bool input = ends.from.front().port != SIZE_MAX;
    const TensorEnd& here = input ? ends.to : ends.from;
    const TensorEnd& there = input ? ends.from : ends.to;
    // Lanes through one port share its link.
    const auto ways = std::min<std::int64_t>(ends.lanes, static_cast<std::int64_t>(there.size()));
    const double bytes = static_cast<double>(tensor_.bytes) / static_cast<double>(ways);
    const TilePlace& middle = here[here.size() / 2].tile;
    const auto hops_to = [&](const TilePlace& tile) {
      return std::abs(tile.x - middle.x) + std::abs(tile.y - middle.y);
    };
    std::int64_t hops = hops_to(there[there.size() / 2].tile);
    if (there.front().port != SIZE_MAX) {
      for (const EndTile& port : there) hops = std::min(hops, hops_to(port.tile));
    }
    return bytes / mesh_.tile_bytes_per_ps() +
           static_cast<double>(hops) * static_cast<double>(mesh_.latency(0));
  }

  /// Of the tiles of the block's sides, the mean bytes on their ways, this tensor's included; of
  /// two sides the greater.
  double way_bytes(const TensorEnds& ends) const {
    const auto mean = [&](const TensorEnd& end, const std::map<NodeIndex, std::int64_t>& ways) {
      if (end.front().port != SIZE_MAX) return 0.0;
      std::int64_t sum = tensor_.bytes;
      for (const EndTile& tile : end) {
        const auto at = ways.find(mesh_.node(tile.tile));
        if (at != ways.end()) sum += at->second;
      }
      return static_cast<double>(sum) / static_cast<double>(end.size());
    };
    return std::max(mean(ends.from, loads_.ways.out_of), mean(ends.to, loads_.ways.into));
  }

  /// The live ports of the tensor, clockwise around the mesh, from the south end of its west edge.
  TensorEnd port_tiles(bool leaving) const {
    TensorEnd end;
    for (const std::size_t port : tensor_.ports) {
      const TilePlace& tile = traffic_.ports[port].tile;
      if (is_open(mesh_, tile, leaving)) end.push_back({tile, port});
    }
    std::stable_sort(end.begin(), end.end(), [&](const EndTile& a, const EndTile& b) {
      return around(a.tile) < around(b.tile);
    });
    return end;
  }
  std::int64_t around(const TilePlace& tile) const {
    const std::int64_t columns = mesh_.columns();
    const std::int64_t rows = mesh_.rows();
    if (tile.x == 0) return tile.y;
    if (tile.y == rows - 1) return rows + tile.x;
    if (tile.x == columns - 1) return 2 * rows + columns - tile.y;
    return 2 * rows + 2 * columns - tile.x;
  }

  const TrafficTensor& tensor_;
  const Traffic& traffic_;
  const Hardware& hardware_;
  const Mesh& mesh_;
  const LiveParts& parts_;
  double lane_ps_;
  const WayLoads& loads_;
};

}  // namespace

void WayLoads::add(const TensorEnds& ends, std::int64_t bytes, const Mesh& mesh) {
  const auto spread = [&](const TensorEnd& end, std::map<NodeIndex, std::int64_t>& side) {
    const auto tiles = static_cast<std::int64_t>(end.size());
    for (const EndTile& tile : end) side[mesh.node(tile.tile)] += bytes / tiles;
  };
  spread(ends.from, ways.out_of);
  spread(ends.to, ways.into);
}

TensorEnds tensor_ends(const TrafficTensor& tensor, const Traffic& traffic,
                       const Hardware& hardware, const Mesh& mesh, const LiveParts& parts,
                       double lane_ps, const WayLoads& loads) {
  return EndFinder(tensor, traffic, hardware, mesh, parts, lane_ps, loads).find();
}

TensorEnds possible_ends(const TrafficTensor& tensor, const Traffic& traffic,
                         const Hardware& hardware, const Mesh& mesh, const LiveParts& parts,
                         double lane_ps) {
  return EndFinder(tensor, traffic, hardware, mesh, parts, lane_ps, {}).possible();
}

}  // namespace waferloom::router
