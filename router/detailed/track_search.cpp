#include "router/detailed/track_search.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace waferloom::router {
namespace {

/// Places for the middle piece of a path with two turns that are tried.
constexpr std::int64_t kMostPlaces = 24;

bool goes_up(Direction direction) {
  return direction == Direction::east || direction == Direction::north;
}

Direction towards(bool along_x, bool up) {
  if (along_x) return up ? Direction::east : Direction::west;
  return up ? Direction::north : Direction::south;
}

}  // namespace

std::vector<PathLeg> legs_through(const std::vector<TilePlace>& points) {
  std::vector<PathLeg> legs;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const std::int64_t x = points[i + 1].x - points[i].x;
    const std::int64_t y = points[i + 1].y - points[i].y;
    if (x == 0 && y == 0) continue;
    const Direction direction = towards(x != 0, x != 0 ? x > 0 : y > 0);
    const std::int64_t hops = std::abs(x) + std::abs(y);
    if (!legs.empty() && legs.back().direction == direction) {
      legs.back().hops += hops;
    } else {
      legs.push_back({direction, hops});
    }
  }
  return legs;
}

std::vector<TrackSearch::Run> TrackSearch::runs_of(const LaneTask& lane) const {
  std::vector<Run> runs;
  const std::vector<CellIndex>& cells = lane.guide->cells;
  // The lane's own tiles may lie in other cells than the guide's ends.
  if (cells.empty() || grid_.cell_at(lane.from.tile) != cells.front() ||
      grid_.cell_at(lane.to.tile) != cells.back()) {
    return runs;
  }
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    const Rectangle here = grid_.tiles(cells[i]);
    const Rectangle there = grid_.tiles(cells[i + 1]);
    const bool along_x = here.y == there.y;
    const Direction direction = towards(along_x, along_x ? there.x > here.x : there.y > here.y);
    if (runs.empty() || runs.back().direction != direction) {
      Run run{direction};
      run.first_track = along_x ? here.y : here.x;
      run.last_track = run.first_track + (along_x ? here.height : here.width);
      run.low = along_x ? here.x : here.y;
      run.high = run.low + (along_x ? here.width : here.height);
      runs.push_back(run);
    }
    Run& run = runs.back();
    run.low = std::min(run.low, along_x ? there.x : there.y);
    run.high = std::max(run.high, along_x ? there.x + there.width : there.y + there.height);
  }
  if (runs.empty()) return runs;
  const auto fix = [](Run& run, const TilePlace& tile) {
    run.first_track = is_along_x(run.direction) ? tile.y : tile.x;
    run.last_track = run.first_track + 1;
  };
  const Run last = runs.back();
  fix(runs.front(), lane.from.tile);
  if (runs.size() > 1) {
    fix(runs.back(), lane.to.tile);
  } else if (last.direction == runs.front().direction) {
    const bool along_x = is_along_x(last.direction);
    const bool straight =
        along_x ? lane.from.tile.y == lane.to.tile.y : lane.from.tile.x == lane.to.tile.x;
    if (!straight) runs.clear();
  }
  return runs;
}

void TrackSearch::follow(const LaneTask& lane, const std::vector<Run>& runs, float part,
                         TrackPath& best) {
  const std::size_t count = runs.size();
  sums_.resize(std::max(sums_.size(), count));
  least_.resize(std::max(least_.size(), count));
  before_.resize(std::max(before_.size(), count));
  const auto along = [](const Run& run, const TilePlace& tile) {
    return is_along_x(run.direction) ? tile.x : tile.y;
  };
  const auto tracks = [](const Run& run) {
    return static_cast<std::size_t>(run.last_track - run.first_track);
  };
  for (std::size_t r = 0; r < count; ++r) {
    const Run& run = runs[r];
    sums_[r].resize(std::max(sums_[r].size(), tracks(run)));
    for (std::size_t track = 0; track < tracks(run); ++track) {
      loads_.add_up(run.direction, run.first_track + static_cast<std::int64_t>(track), run.low,
                    static_cast<std::size_t>(run.high - 1 - run.low), part, sums_[r][track]);
    }
  }
  // What it costs to get on a run's track from its low end, or its high one, to a place.
  const auto cost_to = [&](std::size_t r, std::size_t track, std::int64_t place) {
    const std::vector<float>& sums = sums_[r][track];
    const auto at = static_cast<std::size_t>(place - runs[r].low);
    return static_cast<double>(goes_up(runs[r].direction) ? sums[at] : sums.back() - sums[at]);
  };
  const std::int64_t begin = along(runs.front(), lane.from.tile);
  least_[0].assign(1, -cost_to(0, 0, begin));
  for (std::size_t r = 1; r < count; ++r) {
    least_[r].assign(tracks(runs[r]), std::numeric_limits<double>::infinity());
    before_[r].assign(tracks(runs[r]), 0);
    for (std::size_t track = 0; track < tracks(runs[r]); ++track) {
      const std::int64_t place = runs[r].first_track + static_cast<std::int64_t>(track);
      for (std::size_t from = 0; from < tracks(runs[r - 1]); ++from) {
        const std::int64_t from_place = runs[r - 1].first_track + static_cast<std::int64_t>(from);
        const double cost =
            least_[r - 1][from] + cost_to(r - 1, from, place) - cost_to(r, track, from_place);
        if (cost >= least_[r][track]) continue;
        least_[r][track] = cost;
        before_[r][track] = from;
      }
    }
  }
  const double cost =
      least_[count - 1][0] + cost_to(count - 1, 0, along(runs.back(), lane.to.tile));
  if (cost >= best.cost) return;
  std::vector<TilePlace> points{lane.to.tile};
  std::size_t track = 0;
  for (std::size_t r = count - 1; r > 0; --r) {
    const std::size_t from = before_[r][track];
    const std::int64_t here = runs[r].first_track + static_cast<std::int64_t>(track);
    const std::int64_t there = runs[r - 1].first_track + static_cast<std::int64_t>(from);
    const bool along_x = is_along_x(runs[r].direction);
    points.push_back(along_x ? TilePlace{there, here} : TilePlace{here, there});
    track = from;
  }
  points.push_back(lane.from.tile);
  std::reverse(points.begin(), points.end());
  best = {legs_through(points), cost};
}

void TrackSearch::try_turns(const LaneTask& lane, float part, bool x_first, TrackPath& best) {
  const TilePlace& from = lane.from.tile;
  const TilePlace& to = lane.to.tile;
  const std::int64_t begin = x_first ? from.x : from.y;
  const std::int64_t end = x_first ? to.x : to.y;
  const std::int64_t near_line = x_first ? from.y : from.x;
  const std::int64_t far_line = x_first ? to.y : to.x;
  const std::int64_t low = std::min(begin, end);
  const std::int64_t length = std::max(begin, end) - low;
  const bool up = end >= begin;
  const bool across_up = far_line >= near_line;
  loads_.add_up(towards(x_first, up), near_line, low, static_cast<std::size_t>(length), part,
                near_);
  loads_.add_up(towards(x_first, up), far_line, low, static_cast<std::size_t>(length), part, far_);
  const std::int64_t places = std::min(kMostPlaces, length + 1);
  for (std::int64_t i = 0; i < places; ++i) {
    const std::int64_t offset = places > 1 ? i * length / (places - 1) : 0;
    const auto at = static_cast<std::size_t>(offset);
    // Up: along the near line to the turn, along the far line from there; down: the other way.
    const double straight = up ? static_cast<double>(near_[at] + far_.back() - far_[at])
                               : static_cast<double>(near_.back() - near_[at] + far_[at]);
    if (straight >= best.cost) continue;
    const double cost =
        straight + loads_.cost(towards(!x_first, across_up), low + offset,
                               std::min(near_line, far_line), std::abs(far_line - near_line), part);
    if (cost >= best.cost) continue;
    const std::int64_t turn = low + offset;
    best.cost = cost;
    best.legs = x_first ? legs_through({from, {turn, from.y}, {turn, to.y}, to})
                        : legs_through({from, {from.x, turn}, {to.x, turn}, to});
  }
}

TrackPath TrackSearch::cheapest(const LaneTask& lane, float part) {
  TrackPath best;
  if (lane.from.tile == lane.to.tile) return best;
  best.cost = std::numeric_limits<double>::infinity();
  // Of paths that cost the same those with few turns: lanes side by side then do not cross.
  try_turns(lane, part, true, best);
  try_turns(lane, part, false, best);
  const std::vector<Run> runs = runs_of(lane);
  if (!runs.empty()) follow(lane, runs, part, best);
  return best;
}

}  // namespace waferloom::router
