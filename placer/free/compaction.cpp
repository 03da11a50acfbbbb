#include "placer/free/compaction.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/placement.h"
#include "placer/free/axis_wire.h"

namespace waferloom::placer {
namespace {

enum class Axis { x, y };

Rectangle flipped(const Rectangle& area) { return {area.y, area.x, area.height, area.width}; }

/// One placement, its pieces seen along one axis: where they slide is x, for either axis.
class AxisView {
 public:
  AxisView(const Problem& problem, const ClearSpace& space, Axis axis, const Placement& placement)
      : problem_(problem), space_(space), axis_(axis) {
    for (const Rectangle& tiles : rectangles(problem, placement)) pieces_.push_back(seen(tiles));
  }

  AxisWire wire() const {
    const CostModel costs(problem_);
    AxisWire wire;
    for (KernelIndex i = 0; i < pieces_.size(); ++i) wire.ranges.push_back(range_of(i));
    for (const Connection& edge : problem_.connections()) {
      if (edge.producer == edge.consumer) continue;
      wire.pulls.push_back({edge.producer, edge.consumer,
                            pieces_[edge.producer].width - pieces_[edge.consumer].width,
                            static_cast<double>(costs.per_half_distance(edge))});
    }
    for (const Region& region : problem_.constraints().regions) {
      if (region.rule != RegionRule::prefer) continue;
      const Rectangle area = seen(region.area);
      for (const KernelIndex kernel : region.kernels) {
        const std::int64_t width = pieces_[kernel].width;
        wire.anchors.push_back({kernel, 2 * area.x - width, 2 * (area.x + area.width) - width,
                                static_cast<double>(costs.per_half_distance(region))});
      }
    }
    add_gaps(wire);
    return wire;
  }

  std::vector<std::int64_t> positions() const {
    std::vector<std::int64_t> result;
    for (const Rectangle& piece : pieces_) result.push_back(piece.x);
    return result;
  }

 private:
  Rectangle seen(const Rectangle& area) const { return axis_ == Axis::x ? area : flipped(area); }

  /// Up to the next tiles on either side that the kernel may not cover.
  AxisWire::Range range_of(KernelIndex kernel) const {
    const Rectangle& piece = pieces_[kernel];
    if (space_.fixed(kernel) != nullptr) return {piece.x, piece.x};
    const Rectangle domain = seen(space_.domain(kernel));
    std::int64_t low = domain.x;
    std::int64_t high = domain.x + domain.width;
    const auto keep_off = [&](const Rectangle& area) {
      if (area.y >= piece.y + piece.height || area.y + area.height <= piece.y) return;
      if (area.x < piece.x) {
        low = std::max(low, area.x + area.width);
      } else {
        high = std::min(high, area.x);
      }
    };
    for (const Rectangle& area : space_.avoided(kernel)) keep_off(seen(area));
    const Rectangle way{domain.x, piece.y, domain.width, piece.height};
    space_.for_dead_in(seen(way), [&](const Rectangle& dead) {
      keep_off(seen(dead));
      return true;
    });
    return {low, high - piece.width};
  }

  /// Pieces that see each other along the axis. The others are kept apart by those between them.
  void add_gaps(AxisWire& wire) const {
    std::vector<std::size_t> order(pieces_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(pieces_[a].x, a) < std::pair(pieces_[b].x, b);
    });
    const std::size_t none = pieces_.size();
    std::map<std::int64_t, std::size_t> last{{0, none}};  // by y: the piece met last from there on
    const auto split = [&](std::int64_t y) {
      last.emplace(y, std::prev(last.upper_bound(y))->second);
    };
    for (const std::size_t piece : order) {
      const Rectangle& tiles = pieces_[piece];
      const auto first_own = static_cast<std::ptrdiff_t>(wire.gaps.size());
      split(tiles.y);
      split(tiles.y + tiles.height);
      const auto begin = last.find(tiles.y);
      const auto end = last.find(tiles.y + tiles.height);
      for (auto met = begin; met != end; ++met) {
        const std::size_t before = met->second;
        if (before == none) continue;
        const bool known =
            std::any_of(wire.gaps.begin() + first_own, wire.gaps.end(),
                        [&](const AxisWire::Gap& gap) { return gap.before == before; });
        if (!known) wire.gaps.push_back({before, piece, pieces_[before].width});
      }
      last.erase(std::next(begin), end);
      begin->second = piece;
    }
  }

  const Problem& problem_;
  const ClearSpace& space_;
  Axis axis_;
  std::vector<Rectangle> pieces_;
};

}  // namespace

Placement compact(const Problem& problem, const ClearSpace& space, const Placement& placement,
                  const RunControl& stop) {
  Placement result = placement;
  int settled = 0;  // axes in a row along which nothing moves
  for (Axis axis = Axis::x; settled < 2; axis = axis == Axis::x ? Axis::y : Axis::x) {
    const AxisView view(problem, space, axis, result);
    std::vector<std::int64_t> positions = view.positions();
    settled = shorten(view.wire(), positions, stop) ? 0 : settled + 1;
    for (KernelIndex i = 0; i < positions.size(); ++i) {
      (axis == Axis::x ? result.kernels[i].x : result.kernels[i].y) = positions[i];
    }
  }
  return result;
}

}  // namespace waferloom::placer
