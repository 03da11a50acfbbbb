#include "router/detailed/maze.h"

#include <algorithm>
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
  const std::int64_t columns = loads_.columns();
  const auto index = [&](const TilePlace& tile) {
    return static_cast<std::uint32_t>(tile.y * columns + tile.x);
  };
  const auto is_blocked = [&](const TilePlace& tile) {
    return limits.blocked != nullptr && ((*limits.blocked)[index(tile)] & limits.bits) != 0;
  };
  if (is_blocked(from) || is_blocked(to)) return std::nullopt;
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
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto [cost, at] = heap_.back();
    heap_.pop_back();
    if (cost > reached_by_[at].cost) continue;
    ++reached_;
    if (at == index(to)) break;
    const TilePlace tile{at % columns, at / columns};
    for (const Direction direction : kDirections) {
      const TilePlace next = step(tile, direction);
      if (!is_in(window, next) || is_blocked(next) || loads_.is_dead(tile, direction)) continue;
      reach(index(next), cost + loads_.link_cost(tile, direction, part),
            static_cast<std::uint8_t>(direction));
    }
  }
  if (reached_by_[index(to)].search != search_) return std::nullopt;
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
