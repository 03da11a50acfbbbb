#include "router/colours/colouring.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

// Problem: give lanes that share a tile different colours, with a word of colours a tile.
// Idea: sequential colouring, long lanes first. Where that leaves a tensor with no lane, all lanes
// are coloured again in the order of saturation: next comes the lane whose tiles have most colours.
// Source: DSATUR (Brélaz, Comm. ACM 1979). The graph is never written down: a word of bits a tile
// stands for its edges.
// Cost: O(hops); of saturation O(lanes² + hops · lanes of a tile); a maze for lanes that find none.
namespace waferloom::router {
namespace {

/// Colours for which a lane is laid around the tiles that have them.
constexpr std::size_t kColoursTried = 3;
/// Tiles that mazes around colours may reach, besides those of lanes that have to have one.
constexpr std::int64_t kMostReached = 5'000'000;

class Colouring {
 public:
  Colouring(const Traffic& traffic, const Hardware& hardware, LaneRouter& router)
      : columns_(hardware.wafer.width),
        colours_(hardware.routing.colours),
        router_(router),
        reached_before_(router.maze_reached()) {
    taken_.assign(static_cast<std::size_t>(hardware.wafer.width * hardware.wafer.height), 0);
    const std::int64_t kept = std::min(hardware.routing.kernel_colours, colours_);
    std::uint64_t bits = 0;
    for (std::int64_t i = colours_ - kept; i < colours_; ++i) bits |= std::uint64_t{1} << i;
    for (const TrafficBlock& block : traffic.blocks) {
      for (std::int64_t y = block.tiles.y; y < block.tiles.y + block.tiles.height; ++y) {
        for (std::int64_t x = block.tiles.x; x < block.tiles.x + block.tiles.width; ++x) {
          taken_[index({x, y})] |= bits;
        }
      }
    }
  }

  ColouringResult colour(std::vector<LanePath>& lanes) {
    // The longest of every tensor first, so that none is left with no lane; then long lanes before
    // short ones, which find a colour more easily.
    std::vector<std::size_t> order(lanes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::int64_t> hops;
    for (const LanePath& lane : lanes) hops.push_back(hops_of(lane.legs));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return hops[a] > hops[b]; });
    std::set<std::size_t> tensors;
    is_first_.assign(lanes.size(), false);
    for (const std::size_t i : order) is_first_[i] = tensors.insert(lanes[i].tensor).second;
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return is_first_[i]; });
    const std::vector<std::uint64_t> kept = taken_;
    ColouringResult result = colour_in_order(lanes, order);
    const auto has_to = [&](const UncolouredLane& none) { return is_first_[none.lane]; };
    if (std::any_of(result.without.begin(), result.without.end(), has_to)) {
      taken_ = kept;
      result = colour_by_saturation(lanes, std::move(order));
    }
    for (const std::uint64_t bits : taken_) {
      result.most = std::max<std::int64_t>(result.most, std::popcount(bits));
    }
    return result;
  }

 private:
  ColouringResult colour_in_order(std::vector<LanePath>& lanes,
                                  const std::vector<std::size_t>& order) {
    ColouringResult result;
    for (const std::size_t i : order) colour_or_list(lanes, i, result);
    return result;
  }

  void colour_or_list(std::vector<LanePath>& lanes, std::size_t i, ColouringResult& result) {
    LanePath& lane = lanes[i];
    router_.end_if_cut();
    if (colour_one(lane) || reroute(lane, is_first_[i])) return;
    result.without.push_back({i, fullest_tile(lane)});
  }

  /// First lanes that have to have a colour; of those the one whose tiles have most colours; of
  /// several the first in `left`.
  ColouringResult colour_by_saturation(std::vector<LanePath>& lanes,
                                       std::vector<std::size_t> left) {
    lanes_at_.assign(taken_.size(), {});
    met_.assign(lanes.size(), 0);
    for (const std::size_t i : left) {
      for_each_tile(lanes[i], [&](std::size_t tile) {
        lanes_at_[tile].push_back(i);
        met_[i] |= taken_[tile];
      });
    }
    const auto comes_later = [&](std::size_t a, std::size_t b) {
      if (is_first_[a] != is_first_[b]) return static_cast<bool>(is_first_[b]);
      return std::popcount(met_[a]) < std::popcount(met_[b]);
    };
    ColouringResult result;
    while (!left.empty()) {
      const auto next = std::max_element(left.begin(), left.end(), comes_later);
      const std::size_t i = *next;
      left.erase(next);
      colour_or_list(lanes, i, result);
    }
    return result;
  }

  std::size_t index(const TilePlace& tile) const {
    return static_cast<std::size_t>(tile.y * columns_ + tile.x);
  }

  template <typename Visit>
  void for_each_tile(const LanePath& lane, Visit&& visit) const {
    std::size_t at = index(lane.task.from.tile);
    visit(at);
    for (const PathLeg& leg : lane.legs) {
      const std::ptrdiff_t step = leg.direction == Direction::east    ? 1
                                  : leg.direction == Direction::west  ? -1
                                  : leg.direction == Direction::north ? columns_
                                                                      : -columns_;
      for (std::int64_t hop = 0; hop < leg.hops; ++hop) {
        at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + step);
        visit(at);
      }
    }
  }

  bool colour_one(LanePath& lane) {
    std::uint64_t met = 0;
    for_each_tile(lane, [&](std::size_t tile) { met |= taken_[tile]; });
    const std::int64_t colour = std::countr_one(met);
    if (colour >= colours_) return false;
    take(lane, colour);
    return true;
  }

  void take(LanePath& lane, std::int64_t colour) {
    lane.colour = colour;
    const std::uint64_t bit = std::uint64_t{1} << colour;
    for_each_tile(lane, [&](std::size_t tile) {
      taken_[tile] |= bit;
      if (lanes_at_.empty()) return;
      for (const std::size_t other : lanes_at_[tile]) met_[other] |= bit;
    });
  }

  /// Colours that fewest tiles of the lane have come first. A lane that has to have a colour tries
  /// all, and goes far.
  bool reroute(LanePath& lane, bool has_to) {
    std::vector<std::int64_t> met(static_cast<std::size_t>(colours_), 0);
    for_each_tile(lane, [&](std::size_t tile) {
      for (std::uint64_t bits = taken_[tile]; bits != 0; bits &= bits - 1) {
        ++met[static_cast<std::size_t>(std::countr_zero(bits))];
      }
    });
    std::vector<std::size_t> order(met.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return met[a] < met[b]; });
    if (has_to) {
      const std::uint64_t open = router_.open_bits(lane, taken_, all_colours());
      std::erase_if(order, [&](std::size_t colour) { return ((open >> colour) & 1) == 0; });
    } else {
      if (router_.maze_reached() - reached_before_ > kMostReached) return false;
      order.resize(std::min(order.size(), kColoursTried));
    }
    for (const std::size_t colour : order) {
      if (!router_.reroute_around(lane, taken_, std::uint64_t{1} << colour, has_to)) continue;
      take(lane, static_cast<std::int64_t>(colour));
      return true;
    }
    return false;
  }

  std::uint64_t all_colours() const {
    return colours_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << colours_) - 1;
  }

  TilePlace fullest_tile(const LanePath& lane) const {
    std::size_t fullest = index(lane.task.from.tile);
    for_each_tile(lane, [&](std::size_t tile) {
      if (std::popcount(taken_[tile]) > std::popcount(taken_[fullest])) fullest = tile;
    });
    const auto tile = static_cast<std::int64_t>(fullest);
    return {tile % columns_, tile / columns_};
  }

  std::int64_t columns_;
  std::int64_t colours_;
  LaneRouter& router_;
  std::int64_t reached_before_;
  std::vector<std::uint64_t> taken_;  // by tile: a bit a colour
  std::vector<bool> is_first_;        // by lane: whether it has to have a colour
  // For the order of saturation:
  std::vector<std::vector<std::size_t>> lanes_at_;  // by tile
  std::vector<std::uint64_t> met_;                  // by lane: the colours of its tiles
};

}  // namespace

std::optional<CrowdedEnd> crowded_end(const Traffic& traffic, const std::vector<TensorEnds>& ends,
                                      const Hardware& hardware) {
  const auto is_fixed = [&](const TensorEnd& end, std::size_t block) {
    if (end.size() != 1) return false;
    if (block == TrafficTensor::kOutside) return true;
    const Rectangle& tiles = traffic.blocks[block].tiles;
    return tiles.width * tiles.height == 1;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> tensors;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const TrafficTensor& tensor = traffic.tensors[i];
    std::set<std::pair<std::int64_t, std::int64_t>> tiles;
    for (const auto& [end, block] :
         {std::pair{&ends[i].from, tensor.producer}, std::pair{&ends[i].to, tensor.consumer}}) {
      if (is_fixed(*end, block)) tiles.emplace(end->front().tile.x, end->front().tile.y);
    }
    for (const auto& tile : tiles) ++tensors[tile];
  }
  std::optional<CrowdedEnd> most;
  for (const auto& [tile, count] : tensors) {
    const TilePlace place{tile.first, tile.second};
    const bool in_block =
        std::any_of(traffic.blocks.begin(), traffic.blocks.end(), [&](const TrafficBlock& block) {
          return contains(block.tiles, {place.x, place.y, 1, 1});
        });
    const RoutingSpec& rules = hardware.routing;
    const std::int64_t colours =
        std::max<std::int64_t>(0, rules.colours - (in_block ? rules.kernel_colours : 0));
    if (count <= colours || (most && count - colours <= most->tensors - most->colours)) continue;
    most = {place, count, colours};
  }
  return most;
}

ColouringResult colour_lanes(std::vector<LanePath>& lanes, const Traffic& traffic,
                             const Hardware& hardware, LaneRouter& router) {
  return Colouring(traffic, hardware, router).colour(lanes);
}

std::optional<UncolouredLane> leave_out(std::vector<LanePath>& lanes,
                                        const std::vector<UncolouredLane>& without) {
  if (without.empty()) return std::nullopt;
  struct Tensor {
    std::int64_t lanes = 0;  // that stay
    std::int64_t bytes = 0;  // of those that do not
  };
  std::map<std::size_t, Tensor> tensors;
  for (const LanePath& lane : lanes) ++tensors[lane.tensor].lanes;
  std::vector<bool> is_out(lanes.size(), false);
  for (const UncolouredLane& out : without) {
    Tensor& tensor = tensors[lanes[out.lane].tensor];
    if (--tensor.lanes == 0) return out;
    tensor.bytes += lanes[out.lane].task.bytes;
    is_out[out.lane] = true;
  }
  std::vector<LanePath> kept;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (is_out[i]) continue;
    LanePath& lane = kept.emplace_back(std::move(lanes[i]));
    Tensor& tensor = tensors[lane.tensor];
    const std::int64_t more = tensor.bytes / tensor.lanes--;
    lane.task.bytes += more;
    tensor.bytes -= more;
  }
  lanes = std::move(kept);
  return std::nullopt;
}

}  // namespace waferloom::router
