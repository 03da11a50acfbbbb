#pragma once

#include <cstdint>
#include <optional>

#include "kernels/shape_curve.h"

namespace waferloom::placer {

/// What a kernel's neighbours should see of it. A channel split of 0 is left free.
struct ProtocolWish {
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t c_in = 0;
  std::int64_t c_out = 0;
  bool operator==(const ProtocolWish&) const = default;
};

/// A row's height, and how the kernel is to lie in it.
struct RowSlot {
  std::int64_t height = 0;
  bool rotated = false;
};

/// The narrowest execution with exactly this protocol that meets the limits in a row of the slot's
/// height. Free channel splits take what makes the kernel narrowest. Nothing if there is none, or
/// if the kernel is a list of shapes, which cannot be cut.
/// Unrotated O(1), rotated O(log features).
std::optional<Shape> narrowest_with_protocol(const Kernel& kernel, const KernelLimits& limits,
                                             const ProtocolWish& wish, const RowSlot& slot);

}  // namespace waferloom::placer
