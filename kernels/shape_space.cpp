#include "kernels/shape_space.h"

#include <algorithm>
#include <limits>

#include "kernels/least_split.h"

namespace waferloom {
namespace {

std::int64_t most_channels_in(const Kernel& kernel) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    most = std::max(most, kernel.convolutions[i].in4 / 4);
  }
  return most;
}

}  // namespace

ShapeSpace::ShapeSpace(const Kernel& kernel, std::int64_t memory_limit, std::int64_t largest_side,
                       std::int64_t time_denominator)
    : kernel_(kernel),
      memory_limit_(memory_limit),
      largest_side_(largest_side),
      time_denominator_(time_denominator) {
  std::vector<Cut> all;
  const std::int64_t most_rows = most_channels_in(kernel) + 1;
  const std::int64_t most_bands = largest_side / 2;  // a shape is at least two bands high
  for (std::int64_t w = 1; w <= std::min(kernel.width, most_bands); ++w) {
    for (std::int64_t h = 1; h <= std::min(kernel.height, most_bands / w); ++h) {
      const std::int64_t last = std::min(largest_side / (h * w), most_rows);
      for (std::int64_t rows = 2; rows <= last; ++rows) {
        Cut cut{h, w, rows, {}, {}};
        if (make_cut(h, w, rows, cut)) all.push_back(cut);
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Cut& a, const Cut& b) { return a.height() < b.height(); });
  // Cuts come in ascending height, so a kept one never loses to a later one. The dominator found
  // last is tried first: neighbours tend to be beaten by the same cut.
  const auto beats = [&](const Cut& a, const Cut& b) {
    for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
      if (a.round_time[i] > b.round_time[i] || a.memory_k[i] > b.memory_k[i]) return false;
    }
    return true;
  };
  std::vector<std::size_t> recent;
  for (const Cut& cut : all) {
    const auto found = std::find_if(recent.begin(), recent.end(),
                                    [&](std::size_t kept) { return beats(cuts_[kept], cut); });
    if (found != recent.end()) {
      std::rotate(recent.begin(), found, found + 1);
      continue;
    }
    recent.insert(recent.begin(), cuts_.size());
    cuts_.push_back(cut);
  }
}

bool ShapeSpace::make_cut(std::int64_t h, std::int64_t w, std::int64_t rows, Cut& cut) const {
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const Convolution& conv = kernel_.convolutions[i];
    const std::int64_t c = std::min(rows - 1, conv.in4 / 4);
    if (c < 1) return false;
    const ImageSplit split{h, w, c};
    const KernelLimits memory_only{std::numeric_limits<std::int64_t>::max(), time_denominator_,
                                   memory_limit_};
    cut.memory_k[i] = least_k(conv, split, memory_only);
    cut.round_time[i] = round_time(conv, split, time_denominator_);
    if (cut.memory_k[i] == 0 || 3 * cut.memory_k[i] > largest_side_) return false;
  }
  return true;
}

std::int64_t ShapeSpace::width_at(const Cut& cut, std::int64_t time) const {
  std::int64_t width = 0;
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const std::int64_t k = std::max(
        cut.memory_k[i], least_cut(kernel_.convolutions[i].out4, time / cut.round_time[i]));
    if (k > kernel_.convolutions[i].out4 / 4) return 0;
    width += 3 * k;
  }
  return width;
}

Shape ShapeSpace::shape(const Cut& cut, std::int64_t time) const {
  Shape shape;
  shape.execution.h = cut.h;
  shape.execution.w = cut.w;
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const Convolution& conv = kernel_.convolutions[i];
    shape.execution.c[i] = std::min(cut.rows - 1, conv.in4 / 4);
    shape.execution.k[i] =
        std::max(cut.memory_k[i], least_cut(conv.out4, time / cut.round_time[i]));
  }
  shape.size = extent(kernel_, shape.execution);
  return shape;
}

std::vector<Shape> ShapeSpace::front(std::int64_t time) const {
  std::vector<Shape> result;
  std::int64_t narrowest = largest_side_ + 1;
  const Cut* held = nullptr;
  const auto flush = [&] {
    if (held != nullptr) result.push_back(shape(*held, time));
    held = nullptr;
  };
  std::int64_t held_height = 0;
  for (const Cut& cut : cuts_) {
    const std::int64_t width = width_at(cut, time);
    if (width == 0 || width >= narrowest) continue;
    if (cut.height() != held_height) flush();
    held = &cut;
    held_height = cut.height();
    narrowest = width;
  }
  flush();
  return result;
}

}  // namespace waferloom
