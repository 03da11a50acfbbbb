#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/wafer.h"

namespace waferloom::placer {

/// Rectangles by index, and how deep they lie in one another: the thin side of the tiles that two
/// share. Where neither reaches across the other, so many tiles one of them has to move for them to
/// part. Coordinates and sums within ±2³⁰.
class OverlapDepths {
 public:
  explicit OverlapDepths(std::size_t count)
      : left_(count), bottom_(count), right_(count), top_(count) {}

  std::size_t size() const { return left_.size(); }
  Rectangle at(std::size_t i) const {
    return Rectangle{left_[i], bottom_[i], right_[i] - left_[i], top_[i] - bottom_[i]};
  }
  void set(std::size_t i, const Rectangle& tiles) {
    left_[i] = static_cast<std::int32_t>(tiles.x);
    bottom_[i] = static_cast<std::int32_t>(tiles.y);
    right_[i] = static_cast<std::int32_t>(tiles.x + tiles.width);
    top_[i] = static_cast<std::int32_t>(tiles.y + tiles.height);
  }
  std::int64_t depth(std::size_t i, std::size_t j) const {
    const std::int32_t across = std::min(right_[i], right_[j]) - std::max(left_[i], left_[j]);
    const std::int32_t along = std::min(top_[i], top_[j]) - std::max(bottom_[i], bottom_[j]);
    return std::max(0, std::min(across, along));
  }
  /// Sum over the rectangles of [first, size()) other than i. O(size() − first), in vectors.
  std::int64_t depth_in(std::size_t i, std::size_t first) const {
    const std::int32_t left = left_[i];
    const std::int32_t bottom = bottom_[i];
    const std::int32_t right = right_[i];
    const std::int32_t top = top_[i];
    std::int32_t sum = 0;
    for (std::size_t j = first; j < left_.size(); ++j) {
      const std::int32_t across = std::min(right, right_[j]) - std::max(left, left_[j]);
      const std::int32_t along = std::min(top, top_[j]) - std::max(bottom, bottom_[j]);
      sum += std::max(0, std::min(across, along));
    }
    return i < first ? sum : sum - std::min(right - left, top - bottom);
  }
  /// Over all pairs. O(n²).
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + 1 < size(); ++i) sum += depth_in(i, i + 1);
    return sum;
  }

 private:
  std::vector<std::int32_t> left_;
  std::vector<std::int32_t> bottom_;
  std::vector<std::int32_t> right_;
  std::vector<std::int32_t> top_;
};

}  // namespace waferloom::placer
