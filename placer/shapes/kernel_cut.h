#pragma once

#include <cstdint>
#include <optional>

#include "kernels/kernel.h"
#include "kernels/least_split.h"

namespace waferloom::placer {

/// What a placer chooses of a kernel's execution before the time cap decides the rest: the splits
/// that neighbours see, and the c of the convolutions that no neighbour sees. k is the least that
/// time, memory and room for buffers allow.
struct KernelCut {
  Signature ports;
  std::int64_t c_rest =
      1;  ///< wanted c of the other convolutions of a block, cut to what they have
  /// Of a list of shapes, from 1; the rest means nothing then. 0 for all other kernels.
  std::int64_t option = 0;
  bool operator==(const KernelCut&) const = default;
};

/// The cut that an execution has.
KernelCut cut_of(const Kernel& kernel, const Execution& execution);

/// The cut under (h, w) in which every convolution has c of `bands`, or all its channels where it
/// has fewer: the shape is at most h·w·(c + 1) tiles high.
KernelCut widest_cut(const Kernel& kernel, const ImageSplit& bands);

/// Whether the option is one of the list, or whether the ports are within [1, what they split], and
/// a lone convolution shows one c.
bool within_limits(const Kernel& kernel, const KernelCut& cut);

/// The execution with the least k, or the option; nothing if it cannot meet the limits. The cut is
/// within_limits.
std::optional<Execution> execute(const Kernel& kernel, const KernelCut& cut,
                                 const KernelLimits& limits);

}  // namespace waferloom::placer
