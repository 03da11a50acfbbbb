#include "placer/gigaplacer/refinement/distance_refinement.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace waferloom::placer {
namespace {

/// Finds the best order of a few kernels that stand side by side, packed from the left edge of
/// the first: depth first from left to right, given up where the wire so far is no shorter than
/// the best.
class WindowOrders {
 public:
  WindowOrders(const Neighbours& graph, RowLayout& layout) : graph_(graph), layout_(layout) {
    slot_.assign(layout.kernels.size(), kOutside);
  }

  /// Reorders kernels first … first+size-1 of the row; true if that shortens the wire.
  bool improve(LaidRow& row, std::size_t first, std::size_t size) {
    load(row, first, size);
    best_wire_ = present_wire();
    found_ = false;
    place(0, {.x = layout_.kernels[row.kernels[first]].tiles.x});
    if (found_) commit(row, first);
    clear();
    return found_;
  }

 private:
  static constexpr std::size_t kOutside = kReorderWindow;

  void load(const LaidRow& row, std::size_t first, std::size_t size) {
    size_ = size;
    for (std::size_t s = 0; s < size_; ++s) {
      window_[s] = row.kernels[first + s];
      slot_[window_[s]] = s;
      used_[s] = false;
    }
    for (std::size_t s = 0; s < size_; ++s) {
      outside_[s].clear();
      inside_[s].fill(0);
      for (const KernelIndex other : graph_[window_[s]]) {
        if (slot_[other] == kOutside) {
          outside_[s].push_back(centre2_x(layout_.kernels[other]));
        } else {
          ++inside_[s][slot_[other]];
        }
      }
    }
  }

  void clear() {
    for (std::size_t s = 0; s < size_; ++s) slot_[window_[s]] = kOutside;
  }

  std::int64_t present_wire() {
    std::int64_t wire = 0;
    for (std::size_t s = 0; s < size_; ++s) {
      centre2_[s] = centre2_x(layout_.kernels[window_[s]]);
      wire += added_wire(s);
      used_[s] = true;
    }
    used_.fill(false);
    return wire;
  }

  /// Horizontal wire from slot s to all outside and to the slots placed before it.
  std::int64_t added_wire(std::size_t s) const {
    std::int64_t wire = 0;
    for (const std::int64_t centre2 : outside_[s]) wire += std::abs(centre2_[s] - centre2);
    for (std::size_t t = 0; t < size_; ++t) {
      if (used_[t]) wire += inside_[s][t] * std::abs(centre2_[s] - centre2_[t]);
    }
    return wire;
  }

  /// What the kernels placed so far take: up to where, and at which wire.
  struct Prefix {
    std::int64_t x = 0;
    std::int64_t wire = 0;
  };

  void place(std::size_t depth, const Prefix& before) {
    if (depth == size_) {
      best_wire_ = before.wire;
      best_ = present_;
      found_ = true;
      return;
    }
    for (std::size_t s = 0; s < size_; ++s) {
      if (used_[s]) continue;
      const std::int64_t width = layout_.kernels[window_[s]].tiles.width;
      centre2_[s] = 2 * before.x + width;
      const std::int64_t longer = before.wire + added_wire(s);
      if (longer >= best_wire_) continue;
      used_[s] = true;
      present_[depth] = s;
      place(depth + 1, {.x = before.x + width, .wire = longer});
      used_[s] = false;
    }
  }

  void commit(LaidRow& row, std::size_t first) {
    std::int64_t x = layout_.kernels[window_[0]].tiles.x;
    for (std::size_t i = 0; i < size_; ++i) {
      const KernelIndex kernel = window_[best_[i]];
      row.kernels[first + i] = kernel;
      layout_.kernels[kernel].tiles.x = x;
      x += layout_.kernels[kernel].tiles.width;
    }
  }

  const Neighbours& graph_;
  RowLayout& layout_;
  std::vector<std::size_t> slot_;  ///< by kernel: its slot in the window, or kOutside
  std::size_t size_ = 0;
  std::array<KernelIndex, kReorderWindow> window_{};
  std::array<bool, kReorderWindow> used_{};
  std::array<std::int64_t, kReorderWindow> centre2_{};
  std::array<std::vector<std::int64_t>, kReorderWindow> outside_;
  std::array<std::array<std::int64_t, kReorderWindow>, kReorderWindow> inside_{};
  std::array<std::size_t, kReorderWindow> present_{};
  std::array<std::size_t, kReorderWindow> best_{};
  std::int64_t best_wire_ = 0;
  bool found_ = false;
};

/// Horizontal wire of the run's kernels to kernels outside the run. Distances within the run do
/// not change when it is mirrored.
std::int64_t outward_wire(const Neighbours& graph, const RowLayout& layout, const LaidRow& row,
                          const RowSpan& run, std::int64_t mirror2) {
  std::int64_t wire = 0;
  const auto& first = layout.kernels[row.kernels[run.first]].tiles;
  const auto& last = layout.kernels[row.kernels[run.last - 1]].tiles;
  for (std::size_t i = run.first; i < run.last; ++i) {
    const LaidKernel& own = layout.kernels[row.kernels[i]];
    const std::int64_t centre2 = mirror2 == 0 ? centre2_x(own) : mirror2 - centre2_x(own);
    for (const KernelIndex other : graph[row.kernels[i]]) {
      const Rectangle& tiles = layout.kernels[other].tiles;
      const bool same_row =
          tiles.y < layout.room.height && tiles.y >= row.y && tiles.y < row.y + row.height;
      const bool inside = same_row && tiles.x >= first.x && tiles.x <= last.x;
      if (!inside) wire += std::abs(centre2 - centre2_x(layout.kernels[other]));
    }
  }
  return wire;
}

/// Mirrors a run in place if that shortens the wire.
bool reverse_run(const Neighbours& graph, RowLayout& layout, LaidRow& row, const RowSpan& run) {
  const Rectangle& first = layout.kernels[row.kernels[run.first]].tiles;
  const Rectangle& last = layout.kernels[row.kernels[run.last - 1]].tiles;
  const std::int64_t ends = first.x + last.x + last.width;  // twice the middle of the run
  if (outward_wire(graph, layout, row, run, 2 * ends) >= outward_wire(graph, layout, row, run, 0)) {
    return false;
  }
  for (std::size_t i = run.first; i < run.last; ++i) {
    Rectangle& tiles = layout.kernels[row.kernels[i]].tiles;
    tiles.x = ends - tiles.x - tiles.width;
  }
  const auto begin = row.kernels.begin();
  std::reverse(begin + static_cast<std::ptrdiff_t>(run.first),
               begin + static_cast<std::ptrdiff_t>(run.last));
  return true;
}

}  // namespace

bool refine_distance(const Neighbours& graph, RowLayout& layout) {
  WindowOrders orders(graph, layout);
  bool ever = false;
  for (bool improved = true; improved;) {
    improved = false;
    for (LaidRow& row : layout.rows) {
      const std::size_t count = row.kernels.size();
      const std::size_t size = std::min(kReorderWindow, count);
      for (std::size_t first = 0; first + size <= count; ++first) {
        improved = orders.improve(row, first, size) || improved;
      }
      for (std::size_t first = 0; first < count; ++first) {
        for (std::size_t last = first + kReorderWindow + 1; last <= count; ++last) {
          improved = reverse_run(graph, layout, row, RowSpan{first, last}) || improved;
        }
      }
    }
    ever = ever || improved;
  }
  return ever;
}

}  // namespace waferloom::placer
