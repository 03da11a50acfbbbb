#pragma once

#include "placer/starts.h"

namespace waferloom {

/// Consecutive kernels in rows, every other row reversed, each row under a signature (h, w, c) of
/// its own, each kernel cut to what it has. A dynamic programme over the first kernel of a row and
/// the height that the rows before it take finds the rows of least wire and adapters at a time cap;
/// caps come from a geometric grid, finer around the best.
/// For problems of at most 400 kernels, none a list of shapes, where nothing binds; emits nothing for
/// others. O(kernels · signatures · ends of a row · fronts) a cap, the signatures being
/// a few hundred that fill rows best.
void signature_dp(const SearchContext& context, const EmitPlacement& emit);

}  // namespace waferloom
