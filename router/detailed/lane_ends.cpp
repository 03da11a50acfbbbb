#include "router/detailed/lane_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

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

/// What lanes put on tiles, as one end of a tensor sees it.
class EndLoads {
 public:
  EndLoads(const Mesh& mesh, TileLoads& loads, bool leaving)
      : mesh_(mesh), way_(leaving ? loads.ways.out_of : loads.ways.into), lanes_(loads.lanes) {}

  /// On the way that the tensor's lanes would take.
  std::int64_t way(const EndTile& end) const { return at(way_, end); }
  /// Of lanes that have their ends, in and out together.
  std::int64_t lanes(const EndTile& end) const { return at(lanes_, end); }
  void add(const EndTile& end, std::int64_t bytes) {
    way_[mesh_.node(end.tile)] += bytes;
    lanes_[mesh_.node(end.tile)] += bytes;
  }

 private:
  using Bytes = std::map<NodeIndex, std::int64_t>;
  std::int64_t at(const Bytes& bytes, const EndTile& end) const {
    const auto found = bytes.find(mesh_.node(end.tile));
    return found == bytes.end() ? 0 : found->second;
  }

  const Mesh& mesh_;
  Bytes& way_;
  Bytes& lanes_;
};

/// Where a lane at place `from` of [first, last] moves. If its tile's way is busy, to the least
/// busy way, no farther than half the places. Else to the nearest tile with less from other lanes,
/// no farther than half the way to its neighbours, so that lanes stay even.
std::int64_t better_place(std::int64_t from, std::int64_t first, std::int64_t last, bool is_busy,
                          const TensorEnd& end, const EndLoads& loads) {
  constexpr std::int64_t kNear = 3;
  const auto load = [&](std::int64_t place) {
    const EndTile& tile = end[static_cast<std::size_t>(place)];
    return is_busy ? loads.way(tile) : loads.lanes(tile);
  };
  const std::int64_t reach = is_busy ? (last - first + 1) / 2 : std::min(kNear, (last - first) / 2);
  std::int64_t best = from;
  for (std::int64_t apart = 1; apart <= reach && (is_busy || best == from); ++apart) {
    for (const std::int64_t place : {from - apart, from + apart}) {
      if (place < first || place > last || load(place) >= load(best)) continue;
      best = place;
      if (!is_busy) break;
    }
  }
  return best;
}

/// Moves places, ascending, to less loaded ones near them. A way is busy if it carries more than
/// `most` bytes. A lane to the tile `opposite` needs no link: it stays if its way is not busy.
void avoid_loads(std::vector<std::int64_t>& places, const TensorEnd& end,
                 const std::vector<TilePlace>& opposite, const EndLoads& loads, double most) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const EndTile& here = end[static_cast<std::size_t>(places[i])];
    const bool is_busy = static_cast<double>(loads.way(here)) > most;
    if (!opposite.empty() && here.tile == opposite[i] && !is_busy) continue;
    const std::int64_t first = i == 0 ? 0 : places[i - 1] + 1;
    const std::int64_t last =
        i + 1 == places.size() ? static_cast<std::int64_t>(end.size()) - 1 : places[i + 1] - 1;
    places[i] = better_place(places[i], first, last, is_busy, end, loads);
  }
}

/// An end without ports whose tiles carry more than `most` bytes, if one is left for every lane.
TensorEnd open_ports(const TensorEnd& end, std::int64_t lanes, double most, const EndLoads& loads) {
  if (end.front().port == SIZE_MAX) return end;
  TensorEnd open;
  std::copy_if(end.begin(), end.end(), std::back_inserter(open), [&](const EndTile& port) {
    const std::int64_t carried = loads.lanes(port);
    return carried == 0 || static_cast<double>(carried) <= most;
  });
  return static_cast<std::int64_t>(open.size()) >= lanes ? open : end;
}

/// A block's end for lanes that take all its tiles, and how many lanes. Where some way would carry
/// more than `most` bytes, the busiest tiles are left out as long as that makes the busiest way
/// carry less.
std::pair<TensorEnd, std::int64_t> open_tiles(const TensorEnd& end, std::int64_t lanes, double most,
                                              std::int64_t bytes, const EndLoads& loads) {
  const auto count = static_cast<std::int64_t>(end.size());
  if (end.front().port != SIZE_MAX || lanes < count) return {end, lanes};
  std::vector<std::size_t> order(end.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return loads.way(end[a]) < loads.way(end[b]);
  });
  const auto busiest = [&](std::int64_t tiles) {
    return static_cast<double>(loads.way(end[order[static_cast<std::size_t>(tiles - 1)]])) +
           static_cast<double>(bytes) / static_cast<double>(tiles);
  };
  std::int64_t best = count;
  if (busiest(count) > most) {
    for (std::int64_t tiles = count - 1; tiles > 0; --tiles) {
      if (busiest(tiles) < busiest(best)) best = tiles;
    }
  }
  order.resize(static_cast<std::size_t>(best));
  std::sort(order.begin(), order.end());
  TensorEnd open;
  for (const std::size_t place : order) open.push_back(end[place]);
  return {std::move(open), best};
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
                                TileLoads& loads, double way_bytes) {
  const auto count = [](const TensorEnd& end) { return static_cast<std::int64_t>(end.size()); };
  // Ports are many, or few; lanes are even at the block's side.
  const bool by_from = ends.to.front().port != SIZE_MAX ||
                       (ends.from.front().port == SIZE_MAX && count(ends.from) <= count(ends.to));
  EndLoads even_loads(mesh, loads, by_from);
  EndLoads other_loads(mesh, loads, !by_from);
  const auto [even, even_lanes] =
      open_tiles(by_from ? ends.from : ends.to, ends.lanes, way_bytes, bytes, even_loads);
  const auto [across_end, lanes] =
      open_tiles(by_from ? ends.to : ends.from, even_lanes, way_bytes, bytes, other_loads);
  const double most = way_bytes - static_cast<double>(bytes / lanes + 1);
  const TensorEnd other = open_ports(across_end, lanes, most, other_loads);
  std::vector<std::int64_t> places = even_places(lanes, count(even));
  avoid_loads(places, even, {}, even_loads, most);
  std::vector<TilePlace> tiles;
  for (const std::int64_t place : places)
    tiles.push_back(even[static_cast<std::size_t>(place)].tile);
  std::vector<std::int64_t> across = opposite_places(other, tiles);
  avoid_loads(across, other, tiles, other_loads, most);
  std::vector<LaneTask> tasks;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const EndTile& here = even[static_cast<std::size_t>(places[i])];
    const EndTile& there = other[static_cast<std::size_t>(across[i])];
    const std::int64_t part =
        bytes / lanes + (static_cast<std::int64_t>(i) < bytes % lanes ? 1 : 0);
    tasks.push_back({by_from ? here : there, by_from ? there : here, part});
    even_loads.add(here, part);
    other_loads.add(there, part);
  }
  return tasks;
}

std::vector<std::vector<LaneTask>> all_lane_ends(const std::vector<TensorEnds>& ends,
                                                 const std::vector<std::int64_t>& bytes,
                                                 const Mesh& mesh, double way_bytes) {
  TileLoads loads;
  const auto add_fixed = [&](std::map<NodeIndex, std::int64_t>& side, const TensorEnd& end,
                             std::int64_t more) {
    if (end.size() == 1) side[mesh.node(end.front().tile)] += more;
  };
  for (std::size_t i = 0; i < ends.size(); ++i) {
    add_fixed(loads.ways.out_of, ends[i].from, bytes[i]);
    add_fixed(loads.ways.into, ends[i].to, bytes[i]);
  }
  std::vector<std::vector<LaneTask>> lanes;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    add_fixed(loads.ways.out_of, ends[i].from, -bytes[i]);
    add_fixed(loads.ways.into, ends[i].to, -bytes[i]);
    lanes.push_back(lane_ends(ends[i], bytes[i], mesh, loads, way_bytes));
  }
  return lanes;
}

}  // namespace waferloom::router
