#include "router/detailed/maze.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "router/detailed/track_search.h"

namespace waferloom::router {
namespace {

constexpr std::uint8_t kNowhere = 5;
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

bool is_in(const Rectangle& window, const TilePlace& tile) {
  return tile.x >= window.x && tile.x < window.x + window.width && tile.y >= window.y &&
         tile.y < window.y + window.height;
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
  const auto index = [&](const TilePlace& tile) {
    return static_cast<std::size_t>((tile.y - window.y) * window.width + tile.x - window.x);
  };
  const auto is_blocked = [&](const TilePlace& tile) {
    return limits.blocked != nullptr &&
           ((*limits.blocked)[static_cast<std::size_t>(tile.y * loads_.columns() + tile.x)] &
            limits.bits) != 0;
  };
  if (is_blocked(from) || is_blocked(to)) return std::nullopt;
  const auto tiles = static_cast<std::size_t>(window.width * window.height);
  cost_.assign(tiles, std::numeric_limits<double>::infinity());
  came_by_.assign(tiles, kNowhere);
  using Open = std::pair<double, std::size_t>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  cost_[index(from)] = 0;
  came_by_[index(from)] = kBegin;
  open.emplace(0.0, index(from));
  while (!open.empty()) {
    const auto [cost, at] = open.top();
    open.pop();
    if (cost > cost_[at]) continue;
    ++reached_;
    if (at == index(to)) break;
    const TilePlace tile{window.x + static_cast<std::int64_t>(at) % window.width,
                         window.y + static_cast<std::int64_t>(at) / window.width};
    for (const Direction direction : kDirections) {
      if (loads_.is_dead(tile, direction)) continue;
      const TilePlace next = step(tile, direction);
      if (!is_in(window, next) || is_blocked(next)) continue;
      const double through = cost + loads_.link_cost(tile, direction, part);
      if (through >= cost_[index(next)]) continue;
      cost_[index(next)] = through;
      came_by_[index(next)] = static_cast<std::uint8_t>(direction);
      open.emplace(through, index(next));
    }
  }
  if (came_by_[index(to)] == kNowhere) return std::nullopt;
  std::vector<TilePlace> points{to};
  while (came_by_[index(points.back())] != kBegin) {
    const auto by = static_cast<Direction>(came_by_[index(points.back())]);
    points.push_back(step(points.back(), opposite(by)));
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
  std::deque<TilePlace> changed{from};
  while (!changed.empty() && open_[index(to)] != wanted) {
    const TilePlace tile = changed.front();
    changed.pop_front();
    ++reached_;
    for (const Direction direction : kDirections) {
      if (loads_.is_dead(tile, direction)) continue;
      const TilePlace next = step(tile, direction);
      std::uint64_t& there = open_[index(next)];
      const std::uint64_t more = open_[index(tile)] & ~blocked[index(next)] & ~there;
      if (more == 0) continue;
      there |= more;
      changed.push_back(next);
    }
  }
  return open_[index(to)];
}

}  // namespace waferloom::router
