#include "placer/shapes/kernel_cut.h"

#include <algorithm>

#include "kernels/least_split.h"

namespace waferloom::placer {
namespace {

std::int64_t channels_in(const Kernel& kernel, std::size_t convolution) {
  return kernel.convolutions[convolution].in4 / 4;
}

std::size_t output_index(const Kernel& kernel) {
  return static_cast<std::size_t>(output_convolution(kernel));
}

}  // namespace

KernelCut cut_of(const Kernel& kernel, const Execution& execution) {
  if (is_shape_list(kernel)) return KernelCut{signature(kernel, execution), 1, execution.option};
  KernelCut cut{signature(kernel, execution), execution.c[0]};
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    if (i != 0 && i != output_index(kernel)) cut.c_rest = std::max(cut.c_rest, execution.c[i]);
  }
  return cut;
}

KernelCut widest_cut(const Kernel& kernel, const ImageSplit& bands) {
  const auto widest = [&](std::size_t convolution) {
    return std::max<std::int64_t>(1, std::min(bands.c, channels_in(kernel, convolution)));
  };
  return KernelCut{Signature{bands.h, bands.w, widest(0), widest(output_index(kernel))},
                   std::max<std::int64_t>(1, bands.c)};
}

bool within_limits(const Kernel& kernel, const KernelCut& cut) {
  if (is_shape_list(kernel)) return within_limits(kernel, option_execution(cut.option));
  const Signature& ports = cut.ports;
  return ports.h >= 1 && ports.h <= kernel.height && ports.w >= 1 && ports.w <= kernel.width &&
         ports.c_in >= 1 && ports.c_in <= channels_in(kernel, 0) && ports.c_out >= 1 &&
         ports.c_out <= channels_in(kernel, output_index(kernel)) && cut.c_rest >= 1 &&
         (kernel.convolution_count > 1 || ports.c_in == ports.c_out);
}

std::optional<Execution> execute(const Kernel& kernel, const KernelCut& cut,
                                 const KernelLimits& limits) {
  if (is_shape_list(kernel)) {
    const Execution taken = option_execution(cut.option);
    const bool fits = within_limits(kernel, taken) &&
                      compute_time(kernel, taken, limits.time_denominator) <= limits.time &&
                      memory_words(kernel, taken) <= limits.memory_words &&
                      has_room(kernel, taken, limits.buffers);
    return fits ? std::optional(taken) : std::nullopt;
  }
  Execution execution;
  execution.h = cut.ports.h;
  execution.w = cut.ports.w;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    std::int64_t c = std::min(cut.c_rest, channels_in(kernel, i));
    if (i == output_index(kernel)) c = cut.ports.c_out;
    if (i == 0) c = cut.ports.c_in;
    const std::int64_t k =
        c < 1 ? 0
              : least_k(kernel.convolutions[i], ImageSplit{execution.h, execution.w, c}, limits);
    if (k == 0) return std::nullopt;
    execution.c[i] = c;
    execution.k[i] = k;
  }
  if (!make_room(kernel, execution, limits.buffers)) return std::nullopt;
  return execution;
}

}  // namespace waferloom::placer
