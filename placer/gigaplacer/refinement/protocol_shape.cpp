#include "placer/gigaplacer/refinement/protocol_shape.h"

#include <algorithm>

#include "kernels/least_split.h"

namespace waferloom::placer {
namespace {

/// Channel split wished for convolution i; 0 if free, -1 if wishes contradict each other.
std::int64_t wished_split(const Kernel& kernel, const ProtocolWish& wish, int i) {
  const bool shows_in = i == 0;
  const bool shows_out = i == output_convolution(kernel);
  if (shows_in && shows_out && wish.c_in != 0 && wish.c_out != 0) {
    return wish.c_in == wish.c_out ? wish.c_in : -1;
  }
  if (shows_in && wish.c_in != 0) return wish.c_in;
  if (shows_out && wish.c_out != 0) return wish.c_out;
  return 0;
}

/// The shape whose convolutions are at most `bands` bands of h·w tiles high, least k for that.
std::optional<Shape> shape_of_bands(const Kernel& kernel, const KernelLimits& limits,
                                    const ProtocolWish& wish, std::int64_t bands) {
  Shape shape;
  shape.execution.h = wish.h;
  shape.execution.w = wish.w;
  for (int i = 0; i < kernel.convolution_count; ++i) {
    const auto slot = static_cast<std::size_t>(i);
    const Convolution& conv = kernel.convolutions[slot];
    const std::int64_t most = std::min(bands - 1, conv.in4 / 4);
    const std::int64_t wished = wished_split(kernel, wish, i);
    const std::int64_t c = wished == 0 ? most : wished;
    if (c < 1 || c > most) return std::nullopt;
    const std::int64_t k = least_k(conv, ImageSplit{wish.h, wish.w, c}, limits);
    if (k == 0) return std::nullopt;
    shape.execution.c[slot] = c;
    shape.execution.k[slot] = k;
  }
  if (!make_room(kernel, shape.execution, limits.buffers)) return std::nullopt;
  shape.size = extent(kernel, shape.execution);
  return shape;
}

std::int64_t most_bands(const Kernel& kernel) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    most = std::max(most, kernel.convolutions[i].in4 / 4);
  }
  return most + 1;
}

}  // namespace

std::optional<Shape> narrowest_with_protocol(const Kernel& kernel, const KernelLimits& limits,
                                             const ProtocolWish& wish, const RowSlot& slot) {
  if (is_shape_list(kernel)) return std::nullopt;
  if (wish.h < 1 || wish.h > kernel.height || wish.w < 1 || wish.w > kernel.width) {
    return std::nullopt;
  }
  if (!slot.rotated) {
    return shape_of_bands(kernel, limits, wish, slot.height / (wish.h * wish.w));
  }
  // More bands only make the lying kernel wider and its columns fewer: the least that stands.
  const auto stands = [&](std::int64_t bands) {
    const auto shape = shape_of_bands(kernel, limits, wish, bands);
    return shape && shape->size.width <= slot.height;
  };
  std::int64_t low = 2;
  std::int64_t high = most_bands(kernel);
  if (high < low || !stands(high)) return std::nullopt;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (stands(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return shape_of_bands(kernel, limits, wish, low);
}

}  // namespace waferloom::placer
