#include "kernels/shape_curve.h"

#include <algorithm>

#include "kernels/shape_space.h"

namespace waferloom {

std::vector<Shape> shape_front(const Kernel& kernel, const KernelLimits& limits,
                               std::int64_t largest_side) {
  return ShapeSpace(kernel, {.memory = limits.memory_words,
                             .largest_side = largest_side,
                             .time_denominator = limits.time_denominator,
                             .buffers = limits.buffers})
      .front(limits.time);
}

const Shape& smallest_shape(const std::vector<Shape>& front) {
  return *std::min_element(front.begin(), front.end(), [](const Shape& a, const Shape& b) {
    return a.size.width * a.size.height < b.size.width * b.size.height;
  });
}

ShapeCurve::ShapeCurve(const std::vector<Shape>& front, std::int64_t largest_side)
    : least_(static_cast<std::size_t>(largest_side) + 1, kUnreachable) {
  for (const Shape& shape : front) {
    const auto lower = [this](std::int64_t side, std::int64_t other) {
      Side& held = least_[static_cast<std::size_t>(side)];
      held = std::min(held, static_cast<Side>(other));
    };
    lower(shape.size.height, shape.size.width);
    lower(shape.size.width, shape.size.height);
    const std::int64_t area = shape.size.width * shape.size.height;
    const std::int64_t thin = std::min(shape.size.width, shape.size.height);
    least_area_ = least_area_ == 0 ? area : std::min(least_area_, area);
    least_thin_side_ = least_thin_side_ == 0 ? thin : std::min(least_thin_side_, thin);
  }
  for (std::size_t side = 1; side < least_.size(); ++side) {
    least_[side] = std::min(least_[side], least_[side - 1]);
  }
}

std::optional<FittedShape> fit(const std::vector<Shape>& front, const Extent& box) {
  std::optional<FittedShape> best;
  std::int64_t best_area = 0;
  for (const bool rotated : {false, true}) {
    const Extent room = rotated ? Extent{box.height, box.width} : box;
    for (const Shape& shape : front) {
      if (shape.size.width > room.width || shape.size.height > room.height) continue;
      const std::int64_t area = shape.size.width * shape.size.height;
      if (best && area >= best_area) continue;
      best = FittedShape{shape, rotated};
      best_area = area;
    }
  }
  return best;
}

}  // namespace waferloom
