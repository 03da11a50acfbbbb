#include "router/detailed/lane_router.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "router/route_result.h"

namespace waferloom::router {
namespace {

/// Tiles around a lane's ends in which a maze is searched first.
constexpr std::int64_t kMazeMargin = 24;
/// Tiles that mazes of a pass may reach: a maze costs as much as hundreds of lanes on tracks.
constexpr std::int64_t kMostReached = 1'000'000;
/// A path through a maze is taken if it costs no more than this share of one on tracks.
constexpr double kMuchCheaper = 0.8;

}  // namespace

LaneRouter::LaneRouter(const CellGrid& grid, const Mesh& mesh, const std::vector<float>& room,
                       const LaneRouterOptions& options)
    : mesh_(mesh), options_(options), loads_(mesh, room), tracks_(grid, loads_), maze_(loads_) {}

bool LaneRouter::lay(LanePath& lane, bool through_maze) {
  TrackPath found = tracks_.cheapest(lane.task, lane.part);
  if (through_maze || found.cost >= TrackLoads::kDeadCost) {
    auto path = maze_.find(lane.task.from.tile, lane.task.to.tile, lane.part, {kMazeMargin});
    if (!path) return false;
    // A maze's many turns cross other lanes, which then need more colours.
    const double cost = loads_.path_cost(lane.task.from.tile, *path, lane.part);
    if (cost < kMuchCheaper * found.cost) found.legs = *std::move(path);
  }
  lane.legs = std::move(found.legs);
  loads_.add(lane.task.from.tile, lane.legs, lane.part);
  return true;
}

bool LaneRouter::reroute_around(LanePath& lane, const std::vector<std::uint64_t>& blocked,
                                std::uint64_t bits, bool far) {
  loads_.remove(lane.task.from.tile, lane.legs, lane.part);
  const MazeLimits limits{kMazeMargin, far, &blocked, bits};
  auto path = maze_.find(lane.task.from.tile, lane.task.to.tile, lane.part, limits);
  const bool found = path.has_value();
  if (found) lane.legs = *std::move(path);
  loads_.add(lane.task.from.tile, lane.legs, lane.part);
  return found;
}

std::ptrdiff_t LaneRouter::route(std::vector<LanePath>& lanes) {
  std::vector<std::size_t> order(lanes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lanes[a].task.bytes > lanes[b].task.bytes;
  });
  for (const std::size_t i : order) {
    end_if_cut();
    if (!lay(lanes[i], false)) return static_cast<std::ptrdiff_t>(i);
  }
  keep_best(lanes);
  const double enough_ps = std::max(options_.enough_ps, kNearBound * options_.bound_ps);
  for (std::int64_t pass = 1; pass < options_.passes && best_ps_ > enough_ps; ++pass) {
    if (options_.control.is_cut()) break;
    const std::int64_t most_reached = maze_.reached() + kMostReached;
    for (const std::size_t i : order) {
      LanePath& lane = lanes[i];
      const double fullest = loads_.fullest(lane.task.from.tile, lane.legs);
      if (fullest * options_.target_ps <= enough_ps) continue;
      loads_.remove(lane.task.from.tile, lane.legs, lane.part);
      const bool through_maze = pass > 2 && maze_.reached() < most_reached;
      lay(lane, through_maze);
    }
    keep_best(lanes);
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].legs == best_[i]) continue;
    loads_.remove(lanes[i].task.from.tile, lanes[i].legs, lanes[i].part);
    lanes[i].legs = best_[i];
    loads_.add(lanes[i].task.from.tile, lanes[i].legs, lanes[i].part);
  }
  return -1;
}

void LaneRouter::keep_best(const std::vector<LanePath>& lanes) {
  const double busiest = busiest_ps(lanes);
  if (!best_.empty() && busiest >= best_ps_) return;
  best_ps_ = busiest;
  best_.clear();
  for (const LanePath& lane : lanes) best_.push_back(lane.legs);
}

double LaneRouter::busiest_ps(const std::vector<LanePath>& lanes) {
  link_bytes_.resize(mesh_.link_count(), 0);
  const auto for_each_link = [&](const auto& visit) {
    for (const LanePath& lane : lanes) {
      for_each_path_link(mesh_, lane.task.from.tile, lane.legs,
                         [&](LinkIndex link) { visit(link_bytes_[link], link, lane); });
    }
  };
  for_each_link([](std::int64_t& bytes, LinkIndex /*link*/, const LanePath& lane) {
    bytes += lane.task.bytes;
  });
  double most = 0;
  for_each_link([&](std::int64_t& bytes, LinkIndex link, const LanePath& /*lane*/) {
    if (bytes > 0) most = std::max(most, link_time(mesh_, link, bytes));
    bytes = 0;
  });
  return most;
}

double busiest_of(const std::vector<LanePath>& lanes, const Mesh& mesh) {
  const auto for_each_link = [&](const auto& visit) {
    for (const LanePath& lane : lanes) {
      for_each_path_link(mesh, lane.task.from.tile, lane.legs,
                         [&](LinkIndex link) { visit(link, lane.task.bytes); });
    }
  };
  return busiest_on_paths(mesh, for_each_link).time_ps;
}

}  // namespace waferloom::router
