#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>

#include "model/wafer.h"

namespace waferloom {
namespace {

/// Rectangles sorted by y whose tops, while they cross the sweep line, stand in a tree of maxima,
/// so that those which reach into an interval of y are listed in O(log n) each.
class CrossingTops {
 public:
  explicit CrossingTops(std::size_t count) {
    while (leaves_ < count) leaves_ *= 2;
    highest_.assign(2 * leaves_, kNone);
  }

  void enter(std::size_t leaf, std::int64_t top) { set(leaf, top); }
  void leave(std::size_t leaf) { set(leaf, kNone); }

  /// Calls `visit` for every leaf below `end` whose top is above `bottom`, ascending, until it
  /// answers false.
  template <class Visit>
  bool each_above(std::int64_t bottom, std::size_t end, const Visit& visit) const {
    return descend(Node{1, 0, leaves_}, bottom, end, visit);
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  struct Node {
    std::size_t index;
    std::size_t first;
    std::size_t size;
  };

  void set(std::size_t leaf, std::int64_t top) {
    std::size_t node = leaves_ + leaf;
    highest_[node] = top;
    for (node /= 2; node >= 1; node /= 2) {
      highest_[node] = std::max(highest_[2 * node], highest_[2 * node + 1]);
    }
  }

  template <class Visit>
  bool descend(const Node& node, std::int64_t bottom, std::size_t end, const Visit& visit) const {
    if (node.first >= end || highest_[node.index] <= bottom) return true;
    if (node.size == 1) return visit(node.first);
    const std::size_t half = node.size / 2;
    return descend(Node{2 * node.index, node.first, half}, bottom, end, visit) &&
           descend(Node{2 * node.index + 1, node.first + half, half}, bottom, end, visit);
  }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> highest_;
};

/// A rectangle reaches or leaves the sweep line; `leaf` is its position in the order of y.
struct SweepEvent {
  std::int64_t x = 0;
  bool enters = false;  ///< leaving comes first at equal x
  std::size_t leaf = 0;
  bool operator<(const SweepEvent& other) const {
    return std::tie(x, enters, leaf) < std::tie(other.x, other.enters, other.leaf);
  }
};

std::vector<SweepEvent> make_events(const std::vector<Rectangle>& rectangles,
                                    const std::vector<std::size_t>& by_y) {
  std::vector<SweepEvent> events;
  events.reserve(2 * by_y.size());
  for (std::size_t leaf = 0; leaf < by_y.size(); ++leaf) {
    const Rectangle& tiles = rectangles[by_y[leaf]];
    events.push_back(SweepEvent{tiles.x, true, leaf});
    events.push_back(SweepEvent{tiles.x + tiles.width, false, leaf});
  }
  std::sort(events.begin(), events.end());
  return events;
}

/// Indices of the rectangles in ascending y.
std::vector<std::size_t> order_by_y(const std::vector<Rectangle>& rectangles) {
  std::vector<std::size_t> by_y(rectangles.size());
  for (std::size_t i = 0; i < by_y.size(); ++i) by_y[i] = i;
  std::sort(by_y.begin(), by_y.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(rectangles[a].y, a) < std::pair(rectangles[b].y, b);
  });
  return by_y;
}

/// Number of rectangles, in the order of y, that begin below `top`.
std::size_t count_below(const std::vector<Rectangle>& rectangles,
                        const std::vector<std::size_t>& by_y, std::int64_t top) {
  return static_cast<std::size_t>(
      std::partition_point(by_y.begin(), by_y.end(),
                           [&](std::size_t i) { return rectangles[i].y < top; }) -
      by_y.begin());
}

/// The sweep: rectangles are of two classes and only pairs across them count, or of one (`classes`
/// empty) and all pairs count.
std::vector<RectanglePair> sweep(const std::vector<Rectangle>& rectangles,
                                 const std::vector<bool>& classes, std::size_t most) {
  if (most == 0) return {};
  const std::vector<std::size_t> by_y = order_by_y(rectangles);
  std::vector<CrossingTops> crossing(classes.empty() ? 1 : 2, CrossingTops(rectangles.size()));
  std::vector<RectanglePair> pairs;
  for (const SweepEvent& event : make_events(rectangles, by_y)) {
    const std::size_t own = by_y[event.leaf];
    const std::size_t side = classes.empty() || !classes[own] ? 0 : 1;
    if (!event.enters) {
      crossing[side].leave(event.leaf);
      continue;
    }
    const Rectangle& tiles = rectangles[own];
    const std::int64_t top = tiles.y + tiles.height;
    const std::size_t end = count_below(rectangles, by_y, top);
    const CrossingTops& others = crossing[classes.empty() ? 0 : 1 - side];
    const bool all = others.each_above(tiles.y, end, [&](std::size_t leaf) {
      pairs.push_back(std::minmax(own, by_y[leaf]));
      return pairs.size() < most;
    });
    if (!all) break;
    crossing[side].enter(event.leaf, top);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

std::vector<RectanglePair> overlapping_pairs(const std::vector<Rectangle>& rectangles,
                                             std::size_t most) {
  return sweep(rectangles, {}, most);
}

std::vector<RectanglePair> overlapping_pairs_between(const std::vector<Rectangle>& first,
                                                     const std::vector<Rectangle>& second,
                                                     std::size_t most) {
  if (first.empty() || second.empty()) return {};
  std::vector<Rectangle> rectangles = first;
  rectangles.insert(rectangles.end(), second.begin(), second.end());
  std::vector<bool> classes(rectangles.size(), false);
  std::fill(classes.begin() + static_cast<std::ptrdiff_t>(first.size()), classes.end(), true);
  std::vector<RectanglePair> pairs = sweep(rectangles, classes, most);
  for (auto& [a, b] : pairs) b -= first.size();
  return pairs;
}

}  // namespace waferloom
