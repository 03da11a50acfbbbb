#pragma once

#include <optional>

#include "placer/starts/rows/row_options.h"

namespace waferloom::placer {

/// Two rows, there and back, over the whole height of the wafer, whose common boundary steps once:
/// left of the step both rows have other heights than right of it, so that a band of signatures
/// that fills well below need not suit all of the row. The cheapest by the estimate of flat_rows;
/// nothing if its estimate is `most` or more, where tiles are dead, or if there are more than
/// kMostFolded kernels. O(kernels² · bands · log kernels) and as many rows of one band from every
/// kernel.
std::optional<Placement> folded_rows(const SearchContext& context, const RowOptions& options,
                                     double most);
inline constexpr std::size_t kMostFolded = 200;

}  // namespace waferloom::placer
