#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/hardware.h"
#include "model/routes.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

/// The least that the busiest link of a traffic needs, over all simple paths of all lanes and all
/// ways to cut a tensor's bytes, in quarters or evenly, into lanes, on a mesh of at most 16 tiles.
/// It knows of the router where tensors may begin and end and how many
/// lanes they have, and nothing else.
///
/// A path is a set of links, a bit each. Of the paths between any two tiles of a tensor's ends only
/// those matter whose links no other path has all of: taking that one instead makes no link busier.
/// Lanes are laid one after the other; a prefix that is no better than the best is given up.
class EveryRouting {
 public:
  EveryRouting(const Hardware& hardware, const Traffic& traffic)
      : hardware_(hardware), traffic_(traffic) {
    find_rates();
  }

  /// In picoseconds; infinite if a tensor's ends are not joined.
  double least_ps(const std::vector<TensorEnds>& ends) {
    lanes_.clear();
    ways_.clear();
    for (const TensorEnds& end : ends) {
      ways_.push_back(ways_of(end));
      if (ways_.back().empty()) return std::numeric_limits<double>::infinity();
    }
    loads_.assign(static_cast<std::size_t>(4 * columns() * rows()), 0);
    best_ = std::numeric_limits<double>::infinity();
    cut(ends);
    return best_;
  }

 private:
  /// Cuts the next tensor in every way; lays the lanes once all are cut.
  void cut(const std::vector<TensorEnds>& ends, std::size_t tensor = 0) {
    if (tensor == ends.size()) {
      lay(0, 0, 0);
      return;
    }
    const std::int64_t bytes = traffic_.tensors[tensor].bytes;
    const std::int64_t lanes = ends[tensor].lanes;
    std::vector<std::int64_t> even;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      even.push_back(bytes / lanes + (lane < bytes % lanes ? 1 : 0));
    }
    std::vector<std::vector<std::int64_t>> cuts{even};
    for (std::int64_t a = 4; a >= 2; --a) {
      for (std::int64_t b = std::min(a, 4 - a); 2 * b >= 4 - a; --b) {
        const std::int64_t first = bytes * a / 4;
        const std::int64_t second = bytes * b / 4;
        if (lanes == 2 && a + b == 4) cuts.push_back({first, bytes - first});
        if (lanes == 3) cuts.push_back({first, second, bytes - first - second});
      }
    }
    for (const std::vector<std::int64_t>& parts : cuts) {
      for (std::size_t lane = 0; lane < parts.size(); ++lane) {
        const bool is_alike = lane > 0 && parts[lane] == lanes_.back().bytes;
        lanes_.push_back({tensor, parts[lane], is_alike});
      }
      cut(ends, tensor + 1);
      lanes_.resize(lanes_.size() - parts.size());
    }
  }

  struct Lane {
    std::size_t tensor = 0;
    std::int64_t bytes = 0;
    bool is_alike = false;  // the lane before has as many bytes and the same ways
  };

  std::int64_t columns() const { return hardware_.wafer.width; }
  std::int64_t rows() const { return hardware_.wafer.height; }
  std::size_t link(const TilePlace& from, int direction) const {
    return static_cast<std::size_t>(4 * (from.y * columns() + from.x) + direction);
  }
  static TilePlace beside(const TilePlace& from, int direction) {
    constexpr std::int64_t kAcross[] = {1, -1, 0, 0};
    constexpr std::int64_t kUp[] = {0, 0, 1, -1};
    return {from.x + kAcross[direction], from.y + kUp[direction]};
  }
  static bool holds(const Rectangle& tiles, const TilePlace& tile) {
    return tile.x >= tiles.x && tile.x < tiles.x + tiles.width && tile.y >= tiles.y &&
           tile.y < tiles.y + tiles.height;
  }

  bool is_live(const TilePlace& tile) const {
    const auto& dead = hardware_.wafer.dead;
    return holds({0, 0, columns(), rows()}, tile) &&
           std::none_of(dead.begin(), dead.end(),
                        [&](const Rectangle& tiles) { return holds(tiles, tile); });
  }

  /// Bytes a picosecond of every link; 0 of those that nothing can use.
  void find_rates() {
    rates_.assign(static_cast<std::size_t>(4 * columns() * rows()), 0);
    for (std::int64_t y = 0; y < rows(); ++y) {
      for (std::int64_t x = 0; x < columns(); ++x) {
        for (int direction = 0; direction < 4; ++direction) {
          rates_[link({x, y}, direction)] = rate({x, y}, direction);
        }
      }
    }
    for (const DeadLink& dead : hardware_.dead_links) {
      rates_[link({dead.x, dead.y}, static_cast<int>(dead.direction))] = 0;
    }
  }
  double rate(const TilePlace& from, int direction) const {
    const TilePlace to = beside(from, direction);
    if (!is_live(from) || !is_live(to)) return 0;
    const bool same_group = from.x / hardware_.group_columns == to.x / hardware_.group_columns &&
                            from.y / hardware_.group_rows == to.y / hardware_.group_rows;
    const LinkClass& kind = same_group ? hardware_.link : hardware_.group_link;
    double rate = static_cast<double>(kind.bytes_per_s.value()) / 1e12;
    for (const TrafficBlock& block : traffic_.blocks) {
      if (holds(block.tiles, from) && holds(block.tiles, to)) {
        rate *= static_cast<double>(100 - hardware_.routing.kernel_link_percent) / 100;
      }
    }
    return rate;
  }

  std::vector<std::uint64_t> ways_of(const TensorEnds& ends) const {
    std::vector<std::uint64_t> all;
    for (const EndTile& from : ends.from) {
      for (const EndTile& to : ends.to) walk(from.tile, to.tile, 0, 0, all);
    }
    std::sort(all.begin(), all.end(), [](std::uint64_t a, std::uint64_t b) {
      return std::popcount(a) != std::popcount(b) ? std::popcount(a) < std::popcount(b) : a < b;
    });
    std::vector<std::uint64_t> least;
    for (const std::uint64_t way : all) {
      const bool is_needless = std::any_of(
          least.begin(), least.end(), [&](std::uint64_t other) { return (other & ~way) == 0; });
      if (!is_needless) least.push_back(way);
    }
    return least;
  }

  void walk(const TilePlace& at, const TilePlace& to, std::uint64_t seen, std::uint64_t links,
            std::vector<std::uint64_t>& all) const {
    if (at == to) {
      all.push_back(links);
      return;
    }
    seen |= std::uint64_t{1} << (at.y * columns() + at.x);
    for (int direction = 0; direction < 4; ++direction) {
      if (rates_[link(at, direction)] == 0) continue;
      const TilePlace next = beside(at, direction);
      if ((seen >> (next.y * columns() + next.x) & 1) != 0) continue;
      walk(next, to, seen, links | std::uint64_t{1} << link(at, direction), all);
    }
  }

  void lay(std::size_t lane, std::size_t way_before, double busiest) {
    if (busiest >= best_) return;
    if (lane == lanes_.size()) {
      best_ = busiest;
      return;
    }
    const Lane laid = lanes_[lane];
    const std::vector<std::uint64_t>& ways = ways_[laid.tensor];
    for (std::size_t way = laid.is_alike ? way_before : 0; way < ways.size(); ++way) {
      double most = busiest;
      for (std::uint64_t links = ways[way]; links != 0; links &= links - 1) {
        const auto at = static_cast<std::size_t>(std::countr_zero(links));
        loads_[at] += laid.bytes;
        most = std::max(most, static_cast<double>(loads_[at]) / rates_[at]);
      }
      lay(lane + 1, way, most);
      for (std::uint64_t links = ways[way]; links != 0; links &= links - 1) {
        loads_[static_cast<std::size_t>(std::countr_zero(links))] -= laid.bytes;
      }
    }
  }

  const Hardware& hardware_;
  const Traffic& traffic_;
  std::vector<double> rates_;                     // by link, 4 · tile + direction
  std::vector<std::vector<std::uint64_t>> ways_;  // by tensor
  std::vector<Lane> lanes_;
  std::vector<std::int64_t> loads_;
  double best_ = 0;
};

}  // namespace waferloom::router
