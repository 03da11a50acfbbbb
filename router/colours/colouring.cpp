#include "router/colours/colouring.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

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
    ColouringResult result;
    // The longest of every tensor first, so that none is left with no lane; then long lanes before
    // short ones, which find a colour more easily.
    std::vector<std::size_t> order(lanes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::int64_t> hops;
    for (const LanePath& lane : lanes) hops.push_back(hops_of(lane.legs));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return hops[a] > hops[b]; });
    std::set<std::size_t> tensors;
    std::vector<bool> is_first(lanes.size(), false);
    for (const std::size_t i : order) is_first[i] = tensors.insert(lanes[i].tensor).second;
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return is_first[i]; });
    for (const std::size_t i : order) {
      LanePath& lane = lanes[i];
      router_.end_if_stopped();
      if (colour_one(lane) || reroute(lane, is_first[i])) continue;
      result.without.push_back({i, fullest_tile(lane)});
    }
    for (const std::uint64_t bits : taken_) {
      result.most = std::max<std::int64_t>(result.most, std::popcount(bits));
    }
    return result;
  }

 private:
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
    for_each_tile(lane, [&](std::size_t tile) { taken_[tile] |= std::uint64_t{1} << colour; });
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
};

}  // namespace

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
