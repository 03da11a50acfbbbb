#include "kernels/shape_curve.h"

#include <algorithm>
#include <utility>

namespace waferloom {
namespace {

/// Collects for every height the narrowest shape found of exactly that height.
class NarrowestByHeight {
 public:
  explicit NarrowestByHeight(std::int64_t largest_side)
      : shapes_(static_cast<std::size_t>(largest_side) + 1) {}

  bool improves(std::int64_t height, std::int64_t width) const {
    const Shape& held = shapes_[static_cast<std::size_t>(height)];
    return held.size.width == 0 || width < held.size.width;
  }
  void keep(const Shape& shape) { shapes_[static_cast<std::size_t>(shape.size.height)] = shape; }

  std::vector<Shape> front() const {
    std::vector<Shape> result;
    for (const Shape& shape : shapes_) {
      if (shape.size.width == 0) continue;
      if (result.empty() || shape.size.width < result.back().size.width) result.push_back(shape);
    }
    return result;
  }

 private:
  std::vector<Shape> shapes_;
};

/// The narrowest shape under (h, w) whose convolutions are at most `rows` bands of h·w tiles high.
std::optional<Shape> narrowest(const Kernel& kernel, std::int64_t h, std::int64_t w,
                               std::int64_t rows, const KernelLimits& limits) {
  Shape shape;
  shape.execution.h = h;
  shape.execution.w = w;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kernel.convolution_count); ++i) {
    const Convolution& conv = kernel.convolutions[i];
    const std::int64_t c = std::min(rows - 1, conv.in4 / 4);
    if (c < 1) return std::nullopt;
    const std::int64_t k = least_k(conv, ImageSplit{h, w, c}, limits);
    if (k == 0) return std::nullopt;
    shape.execution.c[i] = c;
    shape.execution.k[i] = k;
  }
  shape.size = extent(kernel, shape.execution);
  return shape;
}

std::int64_t most_channels_in(const Kernel& kernel) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kernel.convolution_count); ++i) {
    most = std::max(most, kernel.convolutions[i].in4 / 4);
  }
  return most;
}

}  // namespace

std::vector<Shape> shape_front(const Kernel& kernel, const KernelLimits& limits,
                               std::int64_t largest_side) {
  NarrowestByHeight best(largest_side);
  const std::int64_t most_rows = most_channels_in(kernel) + 1;
  for (const std::int64_t h : distinct_cuts(kernel.height)) {
    for (const std::int64_t w : distinct_cuts(kernel.width)) {
      const std::int64_t band = h * w;
      const std::int64_t last = std::min(largest_side / band, most_rows);
      for (std::int64_t rows = 2; rows <= last; ++rows) {
        const auto shape = narrowest(kernel, h, w, rows, limits);
        if (!shape || shape->size.width > largest_side) continue;
        if (best.improves(shape->size.height, shape->size.width)) best.keep(*shape);
      }
    }
  }
  return best.front();
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
