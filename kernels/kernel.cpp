#include "kernels/kernel.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "kernels/quarters.h"

namespace waferloom {
namespace {

/// Work of a convolution cut by (h, w, c, k), before the strides' division.
std::int64_t steps(const Convolution& conv, std::int64_t h, std::int64_t w, std::int64_t c,
                   std::int64_t k) {
  return ceil_div(conv.height4, kQuarters * h) * ceil_div(conv.width4, kQuarters * w) *
         ceil_div(conv.in4, kQuarters * c) * ceil_div(conv.out4, kQuarters * k) *
         conv.field_height * conv.field_width;
}

/// floor(C/c·K/k·R·S + (W+S−1)/w·(H+R−1)/h·K/k) over the common denominator 64·h·w·c·k.
std::int64_t conv_memory_words(const Convolution& conv, std::int64_t h, std::int64_t w,
                               std::int64_t c, std::int64_t k) {
  const Int128 weights =
      Int128(kQuarters) * conv.in4 * conv.out4 * conv.field_height * conv.field_width * h * w;
  const Int128 halo_width = conv.width4 + kQuarters * (conv.field_width - 1);
  const Int128 halo_height = conv.height4 + kQuarters * (conv.field_height - 1);
  const Int128 image = halo_width * halo_height * conv.out4 * c;
  const Int128 denominator = Int128(kQuarters * kQuarters * kQuarters) * h * w * c * k;
  constexpr Int128 kSaturated = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(kSaturated, (weights + image) / denominator));
}

constexpr std::int64_t kMillion = 1'000'000;

/// The option that a kernel given as a list of shapes takes.
const ShapeOption& taken_option(const Kernel& kernel, const Execution& execution) {
  return shape_options(kernel)[static_cast<std::size_t>(execution.option - 1)];
}

/// Time of an option in units of 1/denominator, a multiple of its own denominator.
Int128 option_time(const ShapeOption& option, std::int64_t denominator) {
  return Int128(option.time_millionths) * denominator / kMillion;
}

}  // namespace

const std::vector<ShapeOption>& ShapesFormal::list() const {
  static const std::vector<ShapeOption> none;
  return options ? *options : none;
}

bool ShapesFormal::operator==(const ShapesFormal& other) const {
  return options == other.options || list() == other.list();
}

const std::vector<ShapeOption>& shape_options(const Kernel& kernel) {
  static const ShapesFormal none;
  const auto* shapes = std::get_if<ShapesFormal>(&kernel.formal);
  return shapes == nullptr ? none.list() : shapes->list();
}

Execution option_execution(std::int64_t number) {
  Execution execution;
  execution.option = number;
  return execution;
}

std::string_view type_name(const KernelFormal& formal) {
  constexpr std::array<std::string_view, 4> kNames{"conv", "dblock", "cblock", "shapes"};
  return kNames[formal.index()];
}

Kernel make_kernel(const KernelFormal& formal) {
  Kernel kernel;
  kernel.formal = formal;
  const auto block_conv = [](std::int64_t height4, std::int64_t width4, std::int64_t field,
                             std::int64_t in4, std::int64_t out4, std::int64_t stride) {
    return Convolution{height4, width4, in4, out4, field, field, stride * stride};
  };
  if (const auto* conv = std::get_if<ConvFormal>(&formal)) {
    kernel.height = conv->height;
    kernel.width = conv->width;
    kernel.convolution_count = 1;
    kernel.convolutions[0] = Convolution{
        kQuarters * conv->height,       kQuarters * conv->width, kQuarters * conv->channels_in,
        kQuarters * conv->channels_out, conv->field_height,      conv->field_width,
        conv->stride_y * conv->stride_x};
  } else if (const auto* dblock = std::get_if<DblockFormal>(&formal)) {
    const std::int64_t height4 = kQuarters * dblock->height;
    const std::int64_t width4 = kQuarters * dblock->width;
    const std::int64_t full4 = kQuarters * dblock->features;
    const std::int64_t quarter4 = dblock->features;
    kernel.height = dblock->height;
    kernel.width = dblock->width;
    kernel.convolution_count = 3;
    kernel.convolutions[0] = block_conv(height4, width4, 1, full4, quarter4, 1);
    kernel.convolutions[1] = block_conv(height4, width4, 3, quarter4, quarter4, 1);
    kernel.convolutions[2] = block_conv(height4, width4, 1, quarter4, full4, 1);
  } else if (std::holds_alternative<ShapesFormal>(formal)) {
    kernel.convolution_count = 0;
  } else {
    const auto& cblock = std::get<CblockFormal>(formal);
    const std::int64_t height4 = kQuarters * cblock.height;
    const std::int64_t width4 = kQuarters * cblock.width;
    const std::int64_t full4 = kQuarters * cblock.features;
    const std::int64_t half4 = 2 * cblock.features;
    const std::int64_t quarter4 = cblock.features;
    kernel.height = cblock.height;
    kernel.width = cblock.width;
    kernel.convolution_count = 4;
    kernel.convolutions[0] = block_conv(height4, width4, 1, half4, quarter4, 1);
    kernel.convolutions[1] = block_conv(height4, width4, 3, quarter4, quarter4, 2);
    kernel.convolutions[2] = block_conv(height4 / 2, width4 / 2, 1, quarter4, full4, 1);
    kernel.convolutions[3] = block_conv(height4, width4, 1, half4, full4, 2);
  }
  return kernel;
}

bool within_limits(const Kernel& kernel, const Execution& execution) {
  if (is_shape_list(kernel)) {
    const auto count = static_cast<std::int64_t>(shape_options(kernel).size());
    return execution.option >= 1 && execution.option <= count &&
           execution == option_execution(execution.option);
  }
  if (execution.option != 0) return false;
  if (execution.h < 1 || execution.h > kernel.height) return false;
  if (execution.w < 1 || execution.w > kernel.width) return false;
  for (std::size_t i = 0; i < kMaxConvolutions; ++i) {
    const std::int64_t c = execution.c[i];
    const std::int64_t k = execution.k[i];
    if (i >= convolution_total(kernel)) {
      if (c != 0 || k != 0) return false;
      continue;
    }
    const Convolution& conv = kernel.convolutions[i];
    if (c < 1 || c > conv.in4 / kQuarters || k < 1 || k > conv.out4 / kQuarters) return false;
  }
  return true;
}

Extent extent(const Kernel& kernel, const Execution& execution) {
  assert(within_limits(kernel, execution));
  if (is_shape_list(kernel)) {
    const ShapeOption& option = taken_option(kernel, execution);
    return Extent{option.width, option.height};
  }
  Extent size;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    size.height = std::max(size.height, execution.h * execution.w * (execution.c[i] + 1));
    size.width += 3 * execution.k[i];
  }
  return size;
}

std::int64_t time_denominator(const Kernel& kernel) {
  if (is_shape_list(kernel)) {
    std::int64_t common = kMillion;
    for (const ShapeOption& option : shape_options(kernel)) {
      common = std::gcd(common, option.time_millionths);
    }
    return kMillion / common;
  }
  std::int64_t denominator = 1;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    denominator = std::lcm(denominator, kernel.convolutions[i].stride_area);
  }
  return denominator;
}

std::int64_t compute_time(const Kernel& kernel, const Execution& execution,
                          std::int64_t denominator) {
  assert(within_limits(kernel, execution));
  if (is_shape_list(kernel)) {
    const ShapeOption& option = taken_option(kernel, execution);
    assert(Int128(option.time_millionths) * denominator % kMillion == 0);
    return static_cast<std::int64_t>(option_time(option, denominator));
  }
  std::int64_t slowest = 0;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    const Convolution& conv = kernel.convolutions[i];
    assert(denominator % conv.stride_area == 0);
    slowest =
        std::max(slowest, steps(conv, execution.h, execution.w, execution.c[i], execution.k[i]) *
                              (denominator / conv.stride_area));
  }
  return slowest;
}

Int128 sequential_time(const Kernel& kernel, std::int64_t denominator) {
  Int128 slowest = 0;
  for (const ShapeOption& option : shape_options(kernel)) {
    slowest = std::max(slowest, option_time(option, denominator));
  }
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    const Convolution& conv = kernel.convolutions[i];
    // At most 2^18 · 2^18 · 2^18 · 2^18 for the first four; the field saturates.
    constexpr Int128 kSaturated = Int128(1) << 100;
    Int128 time = Int128(ceil_div(conv.height4, kQuarters)) * ceil_div(conv.width4, kQuarters) *
                  ceil_div(conv.in4, kQuarters) * ceil_div(conv.out4, kQuarters);
    for (const std::int64_t factor :
         {conv.field_height, conv.field_width, denominator / conv.stride_area}) {
      time = time > kSaturated / factor ? kSaturated : time * factor;
    }
    slowest = std::max(slowest, time);
  }
  return slowest;
}

std::int64_t memory_words(const Kernel& kernel, const Execution& execution) {
  assert(within_limits(kernel, execution));
  if (is_shape_list(kernel)) return taken_option(kernel, execution).memory_words;
  std::int64_t hungriest = 0;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    hungriest = std::max(hungriest, conv_memory_words(kernel.convolutions[i], execution.h,
                                                      execution.w, execution.c[i], execution.k[i]));
  }
  return hungriest;
}

Signature signature(const Kernel& kernel, const Execution& execution) {
  if (is_shape_list(kernel)) return taken_option(kernel, execution).signature;
  return Signature{execution.h, execution.w, execution.c[0],
                   execution.c[static_cast<std::size_t>(output_convolution(kernel))]};
}

int output_convolution(const Kernel& kernel) { return kernel.convolution_count <= 1 ? 0 : 2; }

int adapter_mismatches(const Signature& producer, const Signature& consumer) {
  if (!producer.shown() || !consumer.shown()) return 0;
  return int{producer.h != consumer.h} + int{producer.w != consumer.w} +
         int{producer.c_out != consumer.c_in};
}

}  // namespace waferloom
