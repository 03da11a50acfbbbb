#pragma once

#include <cstdint>
#include <optional>

#include "placer/gigaplacer/rows/row_table.h"

namespace waferloom::placer {

/// Strips plus one row (GigaPlacer 3.2.2, Fig. 5d): the first kernels lie as strips, each alone
/// across the wafer and as flat as that allows, the next stand in one row. Beyond the paper, the
/// last may lie as strips again. Either group of strips may be empty; the row has a kernel.
enum class Strips {
  below,      ///< GigaPlacer's: strips first, then the row
  both_sides  ///< ours
};

/// Least total height of any such plan, at any height; nothing if there is none. O(n²·log height).
std::optional<std::int64_t> least_strips_height(const RowTable& table, Strips strips);

/// Of the plans that fit the room, the one of least estimated wire when the row takes all height
/// that the strips leave; ties: fewer strips below, then above. Empty if none fits.
/// O(n²·links).
RowPlan strips_plus_one_row(const RowTable& table, Strips strips);

}  // namespace waferloom::placer
