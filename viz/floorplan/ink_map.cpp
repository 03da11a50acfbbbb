#include "viz/floorplan/ink_map.h"

#include <algorithm>
#include <cmath>

namespace waferloom::viz {
namespace {

constexpr double kInkCell = 1.5;
constexpr int kMostSteps = 4'000;  // along a curve; no page is that long

/// A piece of an axis of the page.
struct Stretch {
  double low = 0;
  double high = 0;
};

/// The cells of a stretch of an axis of `count` cells: the first, and the next after the last.
struct Cells {
  std::size_t first = 0;
  std::size_t end = 0;
};
Cells cells_of(const Stretch& stretch, std::size_t count) {
  const auto limit = static_cast<double>(count);
  const double first = std::clamp(std::floor(stretch.low / kInkCell), 0.0, limit);
  const double end = std::clamp(std::ceil(stretch.high / kInkCell), first, limit);
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(end)};
}

std::size_t cell_count(double length) {
  return static_cast<std::size_t>(std::ceil(std::max(0.0, length) / kInkCell)) + 1;
}

}  // namespace

InkMap::InkMap(const Box& area, const std::vector<InkedCurve>& curves,
               const std::vector<Box>& boxes)
    : area_(area), columns_(cell_count(area.width)), rows_(cell_count(area.height)) {
  std::vector<std::uint8_t> cells(columns_ * rows_, 0);
  for (const auto& [curve, width] : curves) {
    const double length =
        std::hypot(curve.control.x - curve.from.x, curve.control.y - curve.from.y) +
        std::hypot(curve.to.x - curve.control.x, curve.to.y - curve.control.y);
    if (!std::isfinite(length)) continue;
    const int steps = static_cast<int>(std::min(length / kInkCell + 1, double(kMostSteps)));
    for (int i = 0; i <= steps; ++i) {
      const Point at = point_at(curve, double(i) / double(steps));
      mark({at.x - width / 2, at.y - width / 2, width, width}, cells);
    }
  }
  for (const Box& box : boxes) mark(box, cells);
  sums_.assign((columns_ + 1) * (rows_ + 1), 0);
  for (std::size_t y = 0; y < rows_; ++y) {
    for (std::size_t x = 0; x < columns_; ++x) {
      const std::size_t at = y * (columns_ + 1) + x;
      const std::size_t below = at + columns_ + 1;
      sums_[below + 1] = sums_[below] + sums_[at + 1] - sums_[at] + cells[y * columns_ + x];
    }
  }
}

void InkMap::mark(const Box& box, std::vector<std::uint8_t>& cells) const {
  const Cells across = cells_of({box.x - area_.x, box.x + box.width - area_.x}, columns_);
  const Cells down = cells_of({box.y - area_.y, box.y + box.height - area_.y}, rows_);
  for (std::size_t y = down.first; y < down.end; ++y) {
    for (std::size_t x = across.first; x < across.end; ++x) cells[y * columns_ + x] = 1;
  }
}

std::int64_t InkMap::under(const Box& box) const {
  const Cells across = cells_of({box.x - area_.x, box.x + box.width - area_.x}, columns_);
  const Cells down = cells_of({box.y - area_.y, box.y + box.height - area_.y}, rows_);
  const auto sum = [&](std::size_t x, std::size_t y) { return sums_[y * (columns_ + 1) + x]; };
  std::int64_t marked = sum(across.end, down.end) - sum(across.first, down.end) -
                        sum(across.end, down.first) + sum(across.first, down.first);
  for (const Box& block : blocks_) {
    const double width =
        std::min(box.x + box.width, block.x + block.width) - std::max(box.x, block.x);
    const double height =
        std::min(box.y + box.height, block.y + block.height) - std::max(box.y, block.y);
    if (width > 0 && height > 0) {
      marked += static_cast<std::int64_t>(std::ceil(width * height / (kInkCell * kInkCell)));
    }
  }
  return marked;
}

void InkMap::block(const Box& box) {
  constexpr std::size_t kMost = 48;
  if (blocks_.size() < kMost) blocks_.push_back(box);
}

}  // namespace waferloom::viz
