#include "kernels/shape_curve.h"

#include <algorithm>
#include <limits>
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

std::int64_t ceil_div(std::int64_t numerator, std::int64_t denominator) {
  return (numerator + denominator - 1) / denominator;
}

/// The narrowest shape under (h, w) whose convolutions are at most `rows` bands of h·w tiles high.
struct BandShape {
  bool exists = false;
  bool memory_bound = false;  ///< more h, w or c at the same time could need less k
  std::int64_t next_rows =
      std::numeric_limits<std::int64_t>::max();  ///< fewer bands than this give the same k and are
                                                 ///< no narrower
  Shape shape;
};

BandShape narrowest(const Kernel& kernel, const ImageSplit& band, const KernelLimits& limits) {
  BandShape result;
  result.exists = true;
  Execution& execution = result.shape.execution;
  execution.h = band.h;
  execution.w = band.w;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kernel.convolution_count); ++i) {
    const Convolution& conv = kernel.convolutions[i];
    const std::int64_t c = std::min(band.c, conv.in4 / 4);
    if (c < 1) return BandShape{};
    const LeastK least = least_k_explained(conv, ImageSplit{band.h, band.w, c}, limits);
    execution.c[i] = c;
    execution.k[i] = least.k;
    result.exists = result.exists && least.k > 0;
    result.memory_bound = result.memory_bound || least.memory_bound;
    const std::int64_t parts = ceil_div(conv.in4, 4 * c);
    if (parts > 1 && c < conv.in4 / 4) {
      result.next_rows = std::min(result.next_rows, ceil_div(conv.in4, 4 * (parts - 1)) + 1);
    }
  }
  if (result.memory_bound) result.next_rows = band.c + 2;
  if (result.exists) result.shape.size = extent(kernel, execution);
  return result;
}

std::int64_t most_channels_in(const Kernel& kernel) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kernel.convolution_count); ++i) {
    most = std::max(most, kernel.convolutions[i].in4 / 4);
  }
  return most;
}

/// Keeps the narrowest shapes under (h, w) for all heights; true if memory decided any of them.
bool enumerate_bands(const Kernel& kernel, std::int64_t h, std::int64_t w,
                     const KernelLimits& limits, std::int64_t largest_side,
                     NarrowestByHeight& best) {
  bool memory_bound = false;
  const std::int64_t last = std::min(largest_side / (h * w), most_channels_in(kernel) + 1);
  for (std::int64_t rows = 2; rows <= last;) {
    const BandShape band = narrowest(kernel, ImageSplit{h, w, rows - 1}, limits);
    memory_bound = memory_bound || band.memory_bound;
    if (band.exists && band.shape.size.width <= largest_side &&
        best.improves(band.shape.size.height, band.shape.size.width)) {
      best.keep(band.shape);
    }
    rows = band.next_rows;
  }
  return memory_bound;
}

}  // namespace

std::vector<Shape> shape_front(const Kernel& kernel, const KernelLimits& limits,
                               std::int64_t largest_side) {
  // A cut that leaves ⌈size/cut⌉ as the next smaller one had it only adds height, unless memory
  // decided something there: larger cuts need fewer words a tile.
  NarrowestByHeight best(largest_side);
  const std::int64_t most_bands = largest_side / 2;  // a shape is at least two bands high
  bool w_matters = true;
  for (std::int64_t w = 1; w <= std::min(kernel.width, most_bands); ++w) {
    const bool new_w = w == 1 || ceil_div(kernel.width, w) != ceil_div(kernel.width, w - 1);
    if (!new_w && !w_matters) continue;
    if (new_w) w_matters = false;
    bool h_matters = true;
    for (std::int64_t h = 1; h <= std::min(kernel.height, most_bands / w); ++h) {
      const bool new_h = h == 1 || ceil_div(kernel.height, h) != ceil_div(kernel.height, h - 1);
      if (!new_h && !h_matters) continue;
      h_matters = enumerate_bands(kernel, h, w, limits, largest_side, best);
      w_matters = w_matters || h_matters;
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
