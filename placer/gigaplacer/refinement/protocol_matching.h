#pragma once

#include "kernels/least_split.h"
#include "placer/gigaplacer/rows/row_layout.h"

namespace waferloom::placer {

/// Adapter cost refinement as published (GigaPlacer 3.4.1). Each kernel in turn is given, of all
/// pairs of an h and a w that it and its neighbours have, the one of least adapter cost. Its other
/// parameters are found again so that it stays within the time cap, its width and its row's height:
/// upright it keeps k and takes the least c (Eqs. 11, 12); rotated it takes the largest c of its
/// width and the least k. Repeated until no kernel gains. Ties: its own pair, then the first.
///
/// `limits.time` must be at least the layout's compute time. No kernel becomes wider or slower;
/// centres move by half tiles. Answers whether mismatches became fewer.
/// A pass takes O(n·degree³).
bool match_protocols(const Problem& problem, const KernelLimits& limits, RowLayout& layout);

}  // namespace waferloom::placer
