#include "router/detailed/lane_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace waferloom::router {
namespace {

std::int64_t hops(const TilePlace& a, const TilePlace& b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

/// Even places of `lanes` among `count`.
std::vector<std::int64_t> even_places(std::int64_t lanes, std::int64_t count) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < lanes; ++i) places.push_back((2 * i + 1) * count / (2 * lanes));
  return places;
}

/// The place of an end's tile that is nearest to a tile; of several the middle one.
double nearest_place(const TensorEnd& end, const TilePlace& tile) {
  std::size_t first = 0;
  std::size_t last = 0;
  for (std::size_t i = 1; i < end.size(); ++i) {
    const std::int64_t here = hops(end[i].tile, tile);
    const std::int64_t best = hops(end[first].tile, tile);
    if (here < best) first = last = i;
    if (here == best && last + 1 == i) last = i;
  }
  return (static_cast<double>(first) + static_cast<double>(last)) / 2;
}

/// Places at an end, ascending, opposite to tiles.
std::vector<std::int64_t> opposite_places(const TensorEnd& end,
                                          const std::vector<TilePlace>& tiles) {
  const auto lanes = static_cast<double>(tiles.size());
  const auto count = static_cast<double>(end.size());
  const double apart = std::min(1.0, count / lanes);
  std::vector<double> wishes;
  for (const TilePlace& tile : tiles) wishes.push_back(nearest_place(end, tile));
  std::vector<std::int64_t> places;
  const std::vector<double> spread_out = spread(wishes, apart);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const double before = apart * static_cast<double>(i);
    const double most = count - 1 - apart * (lanes - 1) + before;
    const double place =
        std::clamp(std::round(spread_out[i] - before) + before, before, std::max(before, most));
    places.push_back(std::min(static_cast<std::int64_t>(place + 1e-9),
                              static_cast<std::int64_t>(end.size()) - 1));
  }
  return places;
}

/// Moves places, ascending, to less loaded ones next to them, but none away from the tile that it
/// lies opposite to: such a lane needs no link.
void avoid_loads(std::vector<std::int64_t>& places, const TensorEnd& end,
                 const std::vector<TilePlace>& opposite, const Mesh& mesh,
                 const std::vector<std::int64_t>& ramps) {
  const auto load = [&](std::int64_t place) {
    return ramps[mesh.node(end[static_cast<std::size_t>(place)].tile)];
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!opposite.empty() && end[static_cast<std::size_t>(places[i])].tile == opposite[i]) continue;
    const std::int64_t first = i == 0 ? 0 : places[i - 1] + 1;
    const std::int64_t last =
        i + 1 == places.size() ? static_cast<std::int64_t>(end.size()) - 1 : places[i + 1] - 1;
    // No farther than half the way to the neighbours, so that lanes stay even.
    for (const std::int64_t step : {-1, 1, -2, 2, -3, 3}) {
      const std::int64_t place = places[i] + step;
      if (place < first || place > last || 2 * std::abs(step) > last - first) continue;
      if (load(place) < load(places[i])) {
        places[i] = place;
        break;
      }
    }
  }
}

/// An end without ports whose ramps carry more than `most` bytes, if one is left for every lane.
TensorEnd open_ports(const TensorEnd& end, std::int64_t lanes, double most, const Mesh& mesh,
                     const std::vector<std::int64_t>& ramps) {
  if (end.front().port == SIZE_MAX) return end;
  TensorEnd open;
  std::copy_if(end.begin(), end.end(), std::back_inserter(open), [&](const EndTile& port) {
    const std::int64_t carried = ramps[mesh.node(port.tile)];
    return carried == 0 || static_cast<double>(carried) <= most;
  });
  return static_cast<std::int64_t>(open.size()) >= lanes ? open : end;
}

}  // namespace

std::vector<double> spread(const std::vector<double>& wishes, double apart) {
  struct Pool {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    pools.push_back({wishes[i] - apart * static_cast<double>(i), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> places;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      places.push_back(pool.mean() + apart * static_cast<double>(places.size()));
    }
  }
  return places;
}

std::vector<LaneTask> lane_ends(const TensorEnds& ends, std::int64_t bytes, const Mesh& mesh,
                                std::vector<std::int64_t>& ramps, double ramp_bytes) {
  const auto count = [](const TensorEnd& end) { return static_cast<std::int64_t>(end.size()); };
  // Ports are many, or few; lanes are even at the block's side.
  const bool by_from = ends.to.front().port != SIZE_MAX ||
                       (ends.from.front().port == SIZE_MAX && count(ends.from) <= count(ends.to));
  const TensorEnd& even = by_from ? ends.from : ends.to;
  const std::int64_t of_lane = bytes / ends.lanes + 1;
  const TensorEnd other = open_ports(by_from ? ends.to : ends.from, ends.lanes,
                                     ramp_bytes - static_cast<double>(of_lane), mesh, ramps);
  std::vector<std::int64_t> places = even_places(ends.lanes, count(even));
  avoid_loads(places, even, {}, mesh, ramps);
  std::vector<TilePlace> tiles;
  for (const std::int64_t place : places)
    tiles.push_back(even[static_cast<std::size_t>(place)].tile);
  std::vector<std::int64_t> across = opposite_places(other, tiles);
  avoid_loads(across, other, tiles, mesh, ramps);
  std::vector<LaneTask> lanes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const EndTile& here = even[static_cast<std::size_t>(places[i])];
    const EndTile& there = other[static_cast<std::size_t>(across[i])];
    const std::int64_t part = bytes / ends.lanes + (place < bytes % ends.lanes ? 1 : 0);
    lanes.push_back({by_from ? here : there, by_from ? there : here, part});
    ramps[mesh.node(here.tile)] += part;
    ramps[mesh.node(there.tile)] += part;
  }
  return lanes;
}

}  // namespace waferloom::router
