#pragma once

#include <cstddef>
#include <vector>

#include "placer/gigaplacer/rows/row_table.h"

namespace waferloom::placer {

/// Row plans that use free height for short wire (beyond the paper, whose DP minimises height
/// alone and so spends nothing of what an enlarged time cap leaves free).
///
/// For a price per tile of height, a DP over the order finds the rows of least
/// Σ (row_wire + price·height), each row at the best of some tens of sampled heights; rows are then
/// put to their least heights (spread_slack hands out the rest). A binary search on the price looks
/// for the lowest with which the plan fits the room. Answers the different plans that fit, met on
/// the way, at most kMostShortWirePlans, lowest price first; `rows` = 0 means any number, else
/// exactly that many. Empty for orders so long that the DP would take too much work.
/// O(heights·(segments + links·row) + prices·(heights + rows)·segments).
std::vector<RowPlan> short_wire_rows(const RowTable& table, std::size_t rows);

inline constexpr std::size_t kMostShortWirePlans = 3;

}  // namespace waferloom::placer
