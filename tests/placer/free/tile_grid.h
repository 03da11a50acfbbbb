#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "model/wafer.h"
#include "tests/support/small_problems.h"

namespace waferloom::test {

/// A small wafer tile by tile, to compare with.
class TileGrid {
 public:
  TileGrid(std::int64_t width, std::int64_t height)
      : width_(width), height_(height), taken_(static_cast<std::size_t>(width * height), false) {}
  explicit TileGrid(const Wafer& wafer) : TileGrid(wafer.width, wafer.height) {
    for (const Rectangle& dead : wafer.dead) cover(dead);
  }

  void cover(const Rectangle& tiles) {
    for (std::int64_t y = std::max<std::int64_t>(0, tiles.y);
         y < std::min(height_, tiles.y + tiles.height); ++y) {
      for (std::int64_t x = std::max<std::int64_t>(0, tiles.x);
           x < std::min(width_, tiles.x + tiles.width); ++x) {
        taken_[static_cast<std::size_t>(y * width_ + x)] = true;
      }
    }
  }
  /// Whether a tile is on the wafer and not taken.
  bool is_free(std::int64_t x, std::int64_t y) const {
    return x >= 0 && y >= 0 && x < width_ && y < height_ &&
           !taken_[static_cast<std::size_t>(y * width_ + x)];
  }
  bool is_free(const Rectangle& tiles) const {
    for (std::int64_t y = tiles.y; y < tiles.y + tiles.height; ++y) {
      for (std::int64_t x = tiles.x; x < tiles.x + tiles.width; ++x) {
        if (!is_free(x, y)) return false;
      }
    }
    return true;
  }

  /// Every free rectangle that can grow to no side. O(tiles³).
  std::vector<Rectangle> maximal_free() const {
    std::vector<Rectangle> found;
    for (std::int64_t y = 0; y < height_; ++y) {
      for (std::int64_t x = 0; x < width_; ++x) {
        for (std::int64_t top = y + 1; top <= height_; ++top) {
          for (std::int64_t right = x + 1; right <= width_; ++right) {
            const Rectangle tiles{x, y, right - x, top - y};
            if (!is_free(tiles)) break;
            if (!can_grow(tiles)) found.push_back(tiles);
          }
        }
      }
    }
    return found;
  }

 private:
  bool can_grow(const Rectangle& tiles) const {
    return is_free(Rectangle{tiles.x - 1, tiles.y, 1, tiles.height}) ||
           is_free(Rectangle{tiles.x + tiles.width, tiles.y, 1, tiles.height}) ||
           is_free(Rectangle{tiles.x, tiles.y - 1, tiles.width, 1}) ||
           is_free(Rectangle{tiles.x, tiles.y + tiles.height, tiles.width, 1});
  }

  std::int64_t width_;
  std::int64_t height_;
  std::vector<bool> taken_;
};

/// In one order, so that two sets of rectangles can be compared.
inline std::vector<Rectangle> sorted(std::vector<Rectangle> rectangles) {
  std::sort(rectangles.begin(), rectangles.end(), [](const Rectangle& a, const Rectangle& b) {
    return std::tie(a.x, a.y, a.width, a.height) < std::tie(b.x, b.y, b.width, b.height);
  });
  return rectangles;
}

/// A rectangle on a wafer with sides up to `most`.
inline Rectangle random_rectangle(Draw& draw, const Wafer& wafer, std::int64_t most) {
  const std::int64_t width = draw.between(1, std::min(most, wafer.width));
  const std::int64_t height = draw.between(1, std::min(most, wafer.height));
  return Rectangle{draw.between(0, wafer.width - width), draw.between(0, wafer.height - height),
                   width, height};
}

}  // namespace waferloom::test
