#include "viz/routes/route_bundles.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/mesh.h"

namespace waferloom::viz {
namespace {

/// A leg of a lane: the track that it is on, and where along it.
struct Run {
  Direction direction = Direction::east;
  std::int64_t track = 0;  ///< row of legs along x, column of others
  std::int64_t first = 0;  ///< least tile along the track
  std::int64_t last = 0;   ///< greatest
};

Run run_of(const TilePlace& from, const PathLeg& leg) {
  const bool along_x = is_along_x(leg.direction);
  const bool up = leg.direction == Direction::east || leg.direction == Direction::north;
  const std::int64_t begin = along_x ? from.x : from.y;
  const std::int64_t end = up ? begin + leg.hops : begin - leg.hops;
  return {leg.direction, along_x ? from.y : from.x, std::min(begin, end), std::max(begin, end)};
}

TilePlace end_of(const TilePlace& from, const PathLeg& leg) {
  switch (leg.direction) {
    case Direction::east:
      return {from.x + leg.hops, from.y};
    case Direction::west:
      return {from.x - leg.hops, from.y};
    case Direction::north:
      return {from.x, from.y + leg.hops};
    case Direction::south:
      break;
  }
  return {from.x, from.y - leg.hops};
}

std::vector<Run> runs_of(const RoutedLane& lane) {
  if (lane.path.empty()) return {run_of(lane.from, {Direction::east, 0})};
  std::vector<Run> runs;
  TilePlace at = lane.from;
  for (const PathLeg& leg : lane.path) {
    runs.push_back(run_of(at, leg));
    at = end_of(at, leg);
  }
  return runs;
}

Rectangle tiles_of(const Run& run, std::int64_t tracks) {
  const std::int64_t length = run.last - run.first + 1;
  if (is_along_x(run.direction)) return {run.first, run.track, length, tracks};
  return {run.track, run.first, tracks, length};
}

bool are_side_by_side(const std::vector<Run>& a, const std::vector<Run>& b, std::int64_t apart) {
  for (std::size_t leg = 0; leg < a.size(); ++leg) {
    if (std::abs(a[leg].track - b[leg].track) > apart) return false;
    if (a[leg].first - b[leg].last > apart || b[leg].first - a[leg].last > apart) return false;
  }
  return true;
}

/// The runs of a bundle's lanes between two turns.
RouteBand band_of(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.first, a.last, a.track) < std::tie(b.first, b.last, b.track);
  });
  RouteBand band{runs.front().direction, {}, {}};
  for (std::size_t begin = 0; begin < runs.size();) {
    std::size_t end = begin + 1;
    const auto goes_on = [&](const Run& next) {
      return next.first == runs[begin].first && next.last == runs[begin].last &&
             next.track - runs[end - 1].track <= 1;
    };
    while (end < runs.size() && goes_on(runs[end])) ++end;
    band.tiles.push_back(tiles_of(runs[begin], runs[end - 1].track - runs[begin].track + 1));
    begin = end;
  }
  std::int64_t right = 0;
  std::int64_t top = 0;
  band.hull = band.tiles.front();
  for (const Rectangle& tiles : band.tiles) {
    right = std::max(right, tiles.x + tiles.width);
    top = std::max(top, tiles.y + tiles.height);
    band.hull.x = std::min(band.hull.x, tiles.x);
    band.hull.y = std::min(band.hull.y, tiles.y);
  }
  band.hull.width = right - band.hull.x;
  band.hull.height = top - band.hull.y;
  return band;
}

/// Lanes with paths that turn the same way, sorted by track, and which of them run together.
class Alike {
 public:
  Alike(const std::vector<std::vector<Run>>& runs, std::vector<std::size_t> lanes)
      : runs_(runs), lanes_(std::move(lanes)), root_(lanes_.size()) {
    std::sort(lanes_.begin(), lanes_.end(), [&](std::size_t a, std::size_t b) {
      const Run& run = runs_[a].front();
      const Run& other = runs_[b].front();
      return std::tie(run.track, run.first, a) < std::tie(other.track, other.first, b);
    });
    std::iota(root_.begin(), root_.end(), std::size_t{0});
  }

  std::vector<RouteBundle> bundles(std::int64_t apart) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      for (std::size_t j = i + 1; j < lanes_.size() && track(j) - track(i) <= apart; ++j) {
        if (are_side_by_side(runs_[lanes_[i]], runs_[lanes_[j]], apart)) join(i, j);
      }
    }
    std::map<std::size_t, std::vector<std::size_t>> together;
    for (std::size_t i = 0; i < lanes_.size(); ++i) together[root(i)].push_back(lanes_[i]);
    std::vector<RouteBundle> bundles;
    for (auto& [first, lanes] : together) bundles.push_back(bundle_of(std::move(lanes)));
    return bundles;
  }

 private:
  std::int64_t track(std::size_t i) const { return runs_[lanes_[i]].front().track; }
  std::size_t root(std::size_t i) const {
    while (root_[i] != i) i = root_[i];
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    const auto [least, most] = std::minmax({root(i), root(j)});
    root_[most] = least;
  }

  RouteBundle bundle_of(std::vector<std::size_t> lanes) const {
    RouteBundle bundle{std::move(lanes), {}};
    for (std::size_t leg = 0; leg < runs_[bundle.lanes.front()].size(); ++leg) {
      std::vector<Run> runs;
      for (const std::size_t lane : bundle.lanes) runs.push_back(runs_[lane][leg]);
      bundle.bands.push_back(band_of(std::move(runs)));
    }
    return bundle;
  }

  const std::vector<std::vector<Run>>& runs_;  // by lane
  std::vector<std::size_t> lanes_;
  std::vector<std::size_t> root_;  // by place in lanes_: another that runs with it, or itself
};

}  // namespace

std::vector<RouteBundle> route_bundles(const std::vector<RoutedLane>& lanes, std::int64_t apart) {
  std::vector<std::vector<Run>> runs;
  std::map<std::vector<Direction>, std::vector<std::size_t>> by_turns;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    runs.push_back(runs_of(lanes[lane]));
    std::vector<Direction> turns;
    for (const PathLeg& leg : lanes[lane].path) turns.push_back(leg.direction);
    by_turns[turns].push_back(lane);
  }
  std::vector<RouteBundle> all;
  for (auto& [turns, alike] : by_turns) {
    std::vector<RouteBundle> bundles = Alike(runs, std::move(alike)).bundles(apart);
    std::move(bundles.begin(), bundles.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const RouteBundle& a, const RouteBundle& b) {
    return *std::min_element(a.lanes.begin(), a.lanes.end()) <
           *std::min_element(b.lanes.begin(), b.lanes.end());
  });
  return all;
}

std::int64_t covered_tiles(const RouteBundle& bundle) {
  std::int64_t covered = 0;
  for (const RouteBand& band : bundle.bands) {
    for (const Rectangle& tiles : band.tiles) covered += tiles.width * tiles.height;
  }
  return covered;
}

}  // namespace waferloom::viz
