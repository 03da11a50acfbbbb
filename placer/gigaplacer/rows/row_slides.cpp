#include "placer/gigaplacer/rows/row_slides.h"

#include <algorithm>
#include <cstdlib>

namespace waferloom::placer {
namespace {

/// Tiles that something may move by.
struct Freedom {
  std::int64_t least = 0;  ///< ≤ 0
  std::int64_t most = 0;   ///< ≥ 0
};

/// Where the connections of something that moves pull it: half tiles from each own end to the
/// other end. Moving by d tiles makes them |pull − 2d| long.
class Pulls {
 public:
  void add(std::int64_t pull) { pulls_.push_back(pull); }
  void clear() { pulls_.clear(); }

  /// The best move; 0 unless another is strictly better. Convex, so a median does it.
  std::int64_t best_move(const Freedom& freedom) {
    if (pulls_.empty() || (freedom.least == 0 && freedom.most == 0)) return 0;
    const auto middle = pulls_.begin() + static_cast<std::ptrdiff_t>((pulls_.size() - 1) / 2);
    std::nth_element(pulls_.begin(), middle, pulls_.end());
    const std::int64_t median = *middle;
    const std::int64_t below = median >= 0 ? median / 2 : -((1 - median) / 2);
    std::int64_t best = 0;
    std::int64_t best_length = length(0);
    for (const std::int64_t move : {below, below + 1}) {
      const std::int64_t possible = std::clamp(move, freedom.least, freedom.most);
      const std::int64_t moved = length(possible);
      if (moved >= best_length) continue;
      best = possible;
      best_length = moved;
    }
    return best;
  }

 private:
  std::int64_t length(std::int64_t move) const {
    std::int64_t sum = 0;
    for (const std::int64_t pull : pulls_) sum += std::abs(pull - 2 * move);
    return sum;
  }
  std::vector<std::int64_t> pulls_;
};

class Slider {
 public:
  Slider(const Neighbours& graph, RowLayout& layout)
      : graph_(graph), layout_(layout), moving_(layout.kernels.size(), false) {}

  bool slide_up_and_down() {
    bool moved = false;
    for (const LaidRow& row : layout_.rows) {
      for (const KernelIndex index : row.kernels) {
        LaidKernel& laid = layout_.kernels[index];
        pulls_.clear();
        for (const KernelIndex other : graph_[index]) {
          pulls_.add(centre2_y(layout_.kernels[other]) - centre2_y(laid));
        }
        const std::int64_t top = row.y + row.height - laid.tiles.height;
        const std::int64_t move = pulls_.best_move({row.y - laid.tiles.y, top - laid.tiles.y});
        laid.tiles.y += move;
        moved = moved || move != 0;
      }
    }
    return moved;
  }

  /// Kernels first … last-1 of the row, as one, to the side.
  bool slide_run(const LaidRow& row, std::size_t first, std::size_t last) {
    const Freedom freedom = room_beside(row, first, last);
    if (freedom.least == 0 && freedom.most == 0) return false;
    for (std::size_t i = first; i < last; ++i) moving_[row.kernels[i]] = true;
    pulls_.clear();
    for (std::size_t i = first; i < last; ++i) {
      const std::int64_t own = centre2_x(layout_.kernels[row.kernels[i]]);
      for (const KernelIndex other : graph_[row.kernels[i]]) {
        if (!moving_[other]) pulls_.add(centre2_x(layout_.kernels[other]) - own);
      }
    }
    const std::int64_t move = pulls_.best_move(freedom);
    for (std::size_t i = first; i < last; ++i) {
      layout_.kernels[row.kernels[i]].tiles.x += move;
      moving_[row.kernels[i]] = false;
    }
    return move != 0;
  }

 private:
  Freedom room_beside(const LaidRow& row, std::size_t first, std::size_t last) const {
    const auto tiles = [&](std::size_t i) -> const Rectangle& {
      return layout_.kernels[row.kernels[i]].tiles;
    };
    const std::int64_t wall = first == 0 ? 0 : tiles(first - 1).x + tiles(first - 1).width;
    const std::int64_t end = last == row.kernels.size() ? layout_.room.width : tiles(last).x;
    const std::int64_t right = tiles(last - 1).x + tiles(last - 1).width;
    return Freedom{wall - tiles(first).x, end - right};
  }

  const Neighbours& graph_;
  RowLayout& layout_;
  std::vector<bool> moving_;
  Pulls pulls_;
};

}  // namespace

bool slide(const Neighbours& graph, RowLayout& layout, bool open_gaps) {
  constexpr int kMostPasses = 50;
  Slider slider(graph, layout);
  bool ever = false;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool moved = slider.slide_up_and_down();
    for (const LaidRow& row : layout.rows) {
      const std::size_t count = row.kernels.size();
      moved = slider.slide_run(row, 0, count) || moved;
      for (std::size_t i = 0; open_gaps && i < count; ++i) {
        moved = slider.slide_run(row, 0, i + 1) || moved;
        moved = slider.slide_run(row, i, count) || moved;
        moved = slider.slide_run(row, i, i + 1) || moved;
      }
    }
    if (!moved) break;
    ever = true;
  }
  return ever;
}

void pack_row(RowLayout& layout, const LaidRow& row, std::int64_t x) {
  for (const KernelIndex index : row.kernels) {
    Rectangle& tiles = layout.kernels[index].tiles;
    tiles.x = x;
    x += tiles.width;
  }
}

}  // namespace waferloom::placer
