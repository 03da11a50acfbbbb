#pragma once

#include <cstddef>
#include <span>

#include "kernels/shape_curve.h"

namespace waferloom::placer {

/// Arithmetic on shape curves as arrays F[x] = least other side with one side at most x. All are
/// non-increasing, with kUnreachable where nothing fits. The loops are written for the compiler to
/// vectorise.

/// result = min(a + b, kUnreachable): two pieces that share side x and add up in the other.
void add_curves(std::span<const Side> a, std::span<const Side> b, std::span<Side> result);

/// result = min(result, a + b).
void lower_to_sum(std::span<const Side> a, std::span<const Side> b, std::span<Side> result);

/// result[y] = least x with curve[x] ≤ y; kUnreachable where there is none.
void invert_curve(std::span<const Side> curve, std::span<Side> result);

}  // namespace waferloom::placer
