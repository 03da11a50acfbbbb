#include "router/detailed/maze.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <utility>

#include "router/detailed/track_search.h"

namespace waferloom::router {
namespace {

constexpr std::uint8_t kBegin = 4;

TilePlace step(const TilePlace& from, Direction direction) {
  switch (direction) {
    case Direction::east:
      return {from.x + 1, from.y};
    case Direction::west:
      return {from.x - 1, from.y};
    case Direction::north:
      return {from.x, from.y + 1};
    case Direction::south:
      return {from.x, from.y - 1};
  }
  return from;
}

/// To the next tile by direction, where rows of so many tiles lie one behind the other.
std::array<std::uint32_t, 4> steps_of(std::uint32_t columns) {
  std::array<std::uint32_t, 4> steps{};
  for (const Direction direction : kDirections) {
    const std::uint32_t step = is_along_x(direction) ? 1 : columns;
    const bool is_up = direction == Direction::east || direction == Direction::north;
    steps[static_cast<std::size_t>(direction)] = is_up ? step : 0U - step;
  }
  return steps;
}

}  // namespace

std::optional<std::vector<PathLeg>> Maze::find(const TilePlace& from, const TilePlace& to,
                                               float part, const MazeLimits& limits) {
  const std::int64_t margin = limits.margin;
  const std::int64_t left = std::max<std::int64_t>(0, std::min(from.x, to.x) - margin);
  const std::int64_t low = std::max<std::int64_t>(0, std::min(from.y, to.y) - margin);
  const std::int64_t right = std::min(loads_.columns(), std::max(from.x, to.x) + margin + 1);
  const std::int64_t high = std::min(loads_.rows(), std::max(from.y, to.y) + margin + 1);
  const Rectangle window{left, low, right - left, high - low};
  const Rectangle whole{0, 0, loads_.columns(), loads_.rows()};
  auto found = find_within(window, from, to, part, limits);
  if (found || window == whole || !limits.far) return found;
  return find_within(whole, from, to, part, limits);
}

std::optional<std::vector<PathLeg>> Maze::find_within(const Rectangle& window,
                                                      const TilePlace& from, const TilePlace& to,
                                                      float part, const MazeLimits& limits) {
  const std::int64_t columns = loads_.columns();
  const auto index = [&](const TilePlace& tile) {
    return static_cast<std::uint32_t>(tile.y * columns + tile.x);
  };
  const auto is_blocked = [&](std::uint32_t tile) {
    return limits.blocked != nullptr && ((*limits.blocked)[tile] & limits.bits) != 0;
  };
  const std::uint32_t goal = index(to);
  if (is_blocked(index(from)) || is_blocked(goal)) return std::nullopt;
  reached_by_.resize(static_cast<std::size_t>(columns * loads_.rows()));
  if (++search_ == 0) {  // the number has gone round
    reached_by_.assign(reached_by_.size(), {});
    ++search_;
  }
  heap_.clear();
  const auto reach = [&](std::uint32_t tile, double cost, std::uint8_t by) {
    Reached& there = reached_by_[tile];
    if (there.search == search_ && cost >= there.cost) return;
    there = {cost, search_, by};
    heap_.emplace_back(cost, tile);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  };
  reach(index(from), 0, kBegin);
  // Links that lead out of the window, row by row; the mesh's border is dead.
  const auto across = static_cast<std::uint32_t>(columns);
  const auto left = static_cast<std::uint32_t>(window.x);
  const auto right = static_cast<std::uint32_t>(window.x + window.width - 1);
  const std::uint32_t first_row = static_cast<std::uint32_t>(window.y) * across;
  const std::uint32_t last_row = static_cast<std::uint32_t>(window.y + window.height - 1) * across;
  const std::array<std::uint32_t, 4> steps = steps_of(across);
  const float reckoned = loads_.reckoned(part);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto [cost, at] = heap_.back();
    heap_.pop_back();
    if (cost > reached_by_[at].cost) continue;
    ++reached_;
    if (at == goal) break;
    const std::uint32_t column = at % across;
    const std::uint32_t row = at - column;
    const TrackLoads::Tile& tile = loads_.tile(at);
    for (const Direction direction : kDirections) {
      const bool leaves = direction == Direction::east    ? column == right
                          : direction == Direction::west  ? column == left
                          : direction == Direction::north ? row == last_row
                                                          : row == first_row;
      if (leaves || tile.is_dead(direction)) continue;
      const std::uint32_t next = at + steps[static_cast<std::size_t>(direction)];
      if (is_blocked(next)) continue;
      reach(next, cost + TrackLoads::link_cost(tile, direction, loads_.tile(next), reckoned),
            static_cast<std::uint8_t>(direction));
    }
  }
  if (reached_by_[goal].search != search_) return std::nullopt;
  std::vector<TilePlace> points{to};
  for (;;) {
    const std::uint8_t by = reached_by_[index(points.back())].came_by;
    if (by == kBegin) break;
    points.push_back(step(points.back(), opposite(static_cast<Direction>(by))));
  }
  std::reverse(points.begin(), points.end());
  return legs_through(points);
}

std::uint64_t Maze::open_bits(const TilePlace& from, const TilePlace& to,
                              const std::vector<std::uint64_t>& blocked, std::uint64_t bits) {
  const auto index = [&](const TilePlace& tile) {
    return static_cast<std::size_t>(tile.y * loads_.columns() + tile.x);
  };
  const std::uint64_t wanted = bits & ~blocked[index(from)] & ~blocked[index(to)];
  if (wanted == 0) return 0;
  open_.assign(blocked.size(), 0);
  open_[index(from)] = wanted;
  const std::array<std::uint32_t, 4> steps = steps_of(static_cast<std::uint32_t>(loads_.columns()));
  std::deque<std::uint32_t> changed{static_cast<std::uint32_t>(index(from))};
  while (!changed.empty() && open_[index(to)] != wanted) {
    const std::uint32_t at = changed.front();
    changed.pop_front();
    ++reached_;
    for (const Direction direction : kDirections) {
      if (loads_.tile(at).is_dead(direction)) continue;
      const std::uint32_t next = at + steps[static_cast<std::size_t>(direction)];
      std::uint64_t& there = open_[next];
      const std::uint64_t more = open_[at] & ~blocked[next] & ~there;
      if (more == 0) continue;
      there |= more;
      changed.push_back(next);
    }
  }
  return open_[index(to)];
}

}  // namespace waferloom::router
