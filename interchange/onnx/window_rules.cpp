#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "interchange/onnx/graph_reader.h"
#include "interchange/onnx/inference.h"
#include "kernels/int128.h"

// Rules of operators that move a window over images, or change their height and width. A tensor is
// [samples, channels, then so many directions as it likes].
namespace waferloom::interchange {
namespace {

constexpr std::size_t kFirstDirection = 2;

/// What attributes say of a window, for each direction.
struct WindowAttributes {
  std::vector<std::int64_t> sizes, strides, dilations, before, behind;
  std::string auto_pad;

  Int128 reach(std::size_t direction) const {
    return Int128{sizes[direction] - 1} * dilations[direction] + 1;
  }
};

WindowAttributes window_of(const Inference& at, std::vector<std::int64_t> sizes) {
  const std::size_t count = sizes.size();
  WindowAttributes window{std::move(sizes),
                          at.wholes("strides", {count, 1, 1}),
                          at.wholes("dilations", {count, 1, 1}),
                          {},
                          {},
                          at.text("auto_pad", "NOTSET")};
  const std::vector<std::int64_t> pads = at.wholes("pads", {2 * count, 0, 0});
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(count);
  window.before.assign(pads.begin(), middle);
  window.behind.assign(middle, pads.end());
  for (const std::int64_t size : window.sizes) {
    if (size < 1) at.fail("expected a window of sizes from 1, found " + sizes_text(window.sizes));
  }
  return window;
}

std::int64_t checked_size(const Inference& at, Int128 size) {
  if (size < 1 || size > kMostElements) {
    at.fail(fmt::format(
        "expected an output of sizes from 1, found {}",
        static_cast<std::int64_t>(std::clamp<Int128>(size, -kMostElements, kMostElements))));
  }
  return static_cast<std::int64_t>(size);
}

/// Places of a window along a direction.
std::int64_t places(const Inference& at, const WindowAttributes& window, std::size_t direction,
                    std::int64_t size) {
  const std::int64_t stride = window.strides[direction];
  if (window.auto_pad.starts_with("SAME")) {
    return checked_size(at, (Int128{size} + stride - 1) / stride);
  }
  const bool is_padded = window.auto_pad != "VALID";
  const Int128 before = is_padded ? window.before[direction] : 0;
  const Int128 behind = is_padded ? window.behind[direction] : 0;
  const Int128 spare = size + before + behind - window.reach(direction);
  if (spare < 0) {
    at.fail(fmt::format("expected a window within the image, found one of {} on {} pixels",
                        window.sizes[direction], size));
  }
  const bool rounds_up = at.whole("ceil_mode", 0) != 0;
  Int128 count = spare / stride + 1;
  // A last window that begins behind the image and what is before it is none.
  if (rounds_up && spare % stride != 0 && count * stride < size + before) ++count;
  return checked_size(at, count);
}

Sizes outputs_of(const Inference& at, const WindowAttributes& window, std::int64_t channels) {
  const Sizes& in = at.sizes(0);
  Sizes out{in[0], channels};
  for (std::size_t i = kFirstDirection; i < in.size(); ++i) {
    out.push_back(places(at, window, i - kFirstDirection, in[i]));
  }
  return out;
}

/// Which inputs of a convolution are its image and its filters.
std::size_t filters_of(const Inference& at) { return at.node().op == "QLinearConv" ? 3 : 1; }

/// The sizes of the window that filters are, which an attribute repeats.
std::vector<std::int64_t> filter_sizes(const Sizes& filters) {
  return {filters.begin() + kFirstDirection, filters.end()};
}

/// Image and filters that go together: as many directions, and channels that groups divide.
void check_filters(const Inference& at, const Sizes& image, const Sizes& filters,
                   std::int64_t channels_of_filters) {
  const std::int64_t groups = at.whole("group", 1);
  const bool is_fitting = filters.size() == image.size() && groups >= 1 &&
                          channels_of_filters <= kMostElements / groups &&
                          channels_of_filters * groups == image[1];
  if (!is_fitting) {
    at.fail(fmt::format("expected filters that fit an image of {} in {} groups, found {}",
                        sizes_text(image), groups, sizes_text(filters)));
  }
}

/// Sizes that an input or an attribute of another operator set tells, or a factor of each size.
void scale_by(Inference& at, const std::vector<double>& factors) {
  Sizes sizes = at.sizes(0);
  if (factors.size() != sizes.size()) at.fail("expected a factor for each size of the input");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double size = std::floor(static_cast<double>(sizes[i]) * factors[i]);
    if (!(size >= 0) || size > static_cast<double>(kMostElements)) {
      at.fail("expected factors that make sizes, found others");
    }
    sizes[i] = static_cast<std::int64_t>(size);
  }
  at.set(0, std::move(sizes));
}

/// The axes of Resize that are named; all where none is.
std::vector<std::size_t> resized_axes(const Inference& at, std::size_t rank) {
  std::vector<std::size_t> axes;
  if (const NodeAttribute* named = at.attribute("axes", NodeAttribute::Kind::wholes)) {
    for (const std::int64_t axis : named->wholes) axes.push_back(at.axis(axis, rank));
  } else {
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  return axes;
}

}  // namespace

void infer_convolution(Inference& at) {
  const Sizes& image = at.sizes_of_rank(0, kFirstDirection + 1);
  const Sizes& filters = at.sizes_of_rank(filters_of(at), kFirstDirection + 1);
  check_filters(at, image, filters, filters[1]);
  if (filters[0] < 1 || filters[0] % at.whole("group", 1) != 0) {
    at.fail("expected filters for each group, found " + sizes_text(filters));
  }
  at.set(0, outputs_of(at, window_of(at, filter_sizes(filters)), filters[0]));
  at.set_type(0, at.node().op == "ConvInteger" ? ElementType::int32 : at.input(0).type);
}

void infer_transposed_convolution(Inference& at) {
  const Sizes& image = at.sizes_of_rank(0, kFirstDirection + 1);
  const Sizes& filters = at.sizes_of_rank(1, kFirstDirection + 1);
  const std::int64_t groups = at.whole("group", 1);
  if (filters.size() != image.size() || filters[0] != image[1] || groups < 1 ||
      image[1] % groups != 0 || filters[1] > kMostElements / groups) {
    at.fail(fmt::format("expected filters that fit an image of {} in {} groups, found {}",
                        sizes_text(image), groups, sizes_text(filters)));
  }
  const WindowAttributes window = window_of(at, filter_sizes(filters));
  const std::size_t count = window.sizes.size();
  const std::vector<std::int64_t> more = at.wholes("output_padding", {count, 0, 0});
  const std::vector<std::int64_t> wanted = at.wholes("output_shape", {count, 0, 0});
  Sizes out{image[0], filters[1] * groups};
  for (std::size_t i = 0; i < count; ++i) {
    const Int128 stride = window.strides[i];
    const std::int64_t size = image[kFirstDirection + i];
    const bool is_same = window.auto_pad.starts_with("SAME");
    const Int128 pads =
        window.auto_pad == "VALID" ? 0 : Int128{window.before[i]} + window.behind[i];
    const Int128 free = stride * (size - 1) + more[i] + window.reach(i) - pads;
    out.push_back(checked_size(at, wanted[i] > 0 ? wanted[i] : is_same ? size * stride : free));
  }
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
}

void infer_pool(Inference& at) {
  const Sizes& image = at.sizes_of_rank(0, kFirstDirection + 1);
  const std::vector<std::int64_t> sizes =
      at.wholes("kernel_shape", {image.size() - kFirstDirection, 0, 1});
  const Sizes out = outputs_of(at, window_of(at, sizes), image[1]);
  at.set(0, out);
  at.set_type(0, at.input(0).type);
  at.set(1, out);
  at.set_type(1, ElementType::int64);
}

void infer_global_pool(Inference& at) {
  Sizes out = at.sizes_of_rank(0, kFirstDirection);
  std::fill(out.begin() + kFirstDirection, out.end(), 1);
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
}

void infer_unpool(Inference& at) {
  const Sizes& image = at.sizes_of_rank(0, kFirstDirection + 1);
  if (at.has_input(2)) {
    if (const auto* wanted = at.wholes(2, "")) at.set(0, *wanted);
    return;
  }
  const std::size_t count = image.size() - kFirstDirection;
  const WindowAttributes window = window_of(at, at.wholes("kernel_shape", {count, 0, 1}));
  Sizes out{image[0], image[1]};
  for (std::size_t i = 0; i < count; ++i) {
    const Int128 pads = Int128{window.before[i]} + window.behind[i];
    out.push_back(checked_size(
        at, Int128{window.strides[i]} * (image[kFirstDirection + i] - 1) + window.reach(i) - pads));
  }
  at.set(0, std::move(out));
}

void infer_resize(Inference& at) {
  Sizes sizes = at.sizes(0);
  at.set_type(0, at.input(0).type);
  if (at.node().op == "Upsample" || at.input_count() == 2) {
    const NodeAttribute* old = at.attribute("scales", NodeAttribute::Kind::reals);
    const Constant* factors = at.constant(1);
    if (old != nullptr) {
      scale_by(at, old->reals);
    } else if (factors != nullptr) {
      scale_by(at, factors->reals);
    }
    return;
  }
  const std::vector<std::size_t> axes = resized_axes(at, sizes.size());
  if (at.has_input(3)) {
    const auto* wanted = at.wholes(3, "");
    if (wanted == nullptr) return;
    if (wanted->size() != axes.size()) at.fail("expected a size for each axis");
    if (at.text("keep_aspect_ratio_policy", "stretch") != "stretch") return;
    for (std::size_t i = 0; i < axes.size(); ++i) sizes[axes[i]] = (*wanted)[i];
    at.set(0, std::move(sizes));
    return;
  }
  const Constant* factors = at.constant(2);
  if (factors == nullptr) return;
  if (factors->reals.size() != axes.size()) at.fail("expected a factor for each axis");
  std::vector<double> all(sizes.size(), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) all[axes[i]] = factors->reals[i];
  scale_by(at, all);
}

void infer_pad(Inference& at) {
  Sizes sizes = at.sizes(0);
  at.set_type(0, at.input(0).type);
  const auto* pads = at.wholes(1, "pads");
  if (pads == nullptr) return;
  std::vector<std::size_t> axes;
  if (at.has_input(3)) {
    const auto* named = at.wholes(3, "");
    if (named == nullptr) return;
    for (const std::int64_t axis : *named) axes.push_back(at.axis(axis, sizes.size()));
  } else {
    for (std::size_t i = 0; i < sizes.size(); ++i) axes.push_back(i);
  }
  if (pads->size() != 2 * axes.size()) at.fail("expected pads before and behind each axis");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Int128 size = Int128{sizes[axes[i]]} + (*pads)[i] + (*pads)[axes.size() + i];
    if (size < 0 || size > kMostElements) at.fail("expected pads that leave sizes from 0");
    sizes[axes[i]] = static_cast<std::int64_t>(size);
  }
  at.set(0, std::move(sizes));
}

void infer_depth_to_space(Inference& at) {
  Sizes sizes = at.sizes_of_rank(0, 4);
  const std::int64_t block = at.whole("blocksize", 1);
  constexpr std::int64_t kMostBlock = 1 << 20;
  if (block < 1 || block > kMostBlock || sizes[1] % (block * block) != 0) {
    at.fail(fmt::format("expected channels that a block of {} divides, found {}", block,
                        sizes_text(sizes)));
  }
  at.set(0, {sizes[0], sizes[1] / (block * block), at.times(sizes[2], block),
             at.times(sizes[3], block)});
  at.set_type(0, at.input(0).type);
}

void infer_space_to_depth(Inference& at) {
  Sizes sizes = at.sizes_of_rank(0, 4);
  const std::int64_t block = at.whole("blocksize", 1);
  if (block < 1 || sizes[2] % block != 0 || sizes[3] % block != 0) {
    at.fail(fmt::format("expected an image that a block of {} divides, found {}", block,
                        sizes_text(sizes)));
  }
  const std::int64_t channels = at.times(at.times(sizes[1], block), block);
  at.set(0, {sizes[0], channels, sizes[2] / block, sizes[3] / block});
  at.set_type(0, at.input(0).type);
}

void infer_grid_sample(Inference& at) {
  const Sizes& image = at.sizes_of_rank(0, kFirstDirection + 1);
  const Sizes& grid = at.sizes_of_rank(1, image.size());
  Sizes out{image[0], image[1]};
  out.insert(out.end(), grid.begin() + 1,
             grid.begin() + static_cast<std::ptrdiff_t>(image.size()) - 1);
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
}

void infer_roi_align(Inference& at) {
  const Sizes& image = at.sizes_of_rank(0, 4);
  const Sizes& regions = at.sizes_of_rank(1, 1);
  at.set(0, {regions[0], image[1], at.whole("output_height", 1), at.whole("output_width", 1)});
}

}  // namespace waferloom::interchange
