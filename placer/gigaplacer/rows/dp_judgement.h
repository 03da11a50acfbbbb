#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/placement.h"
#include "placer/gigaplacer/rows/row_table.h"

namespace waferloom::placer {

/// DP-judgement: the rows of least total height under the table's time cap, f_i = min_k f_{i−k} +
/// height of the row of the last k kernels; without limit (GigaPlacer Algorithm 1, Eq. 5), or with
/// exactly `rows` rows if that is above 0 (Algorithm 2, Eq. 6). The plan may be higher than the
/// room: the cap can be met if and only if it is not. Among equal heights the smaller estimated
/// cost of distance and adapters, then the shorter last row. Empty if there is no such plan.
/// O(max(rows, 1)·n·longest row).
RowPlan least_height_rows(const RowTable& table, const CostModel& costs, std::size_t rows = 0);

/// Total height of the plan above, without ties: what the binary search on time asks. Nothing if
/// there is no plan of whatever height.
std::optional<std::int64_t> least_total_height(const RowTable& table, std::size_t rows);

/// Estimated cost of a row, in units of CostModel: its wire (row_wire) and the adapters inside it
/// with every kernel at its narrowest shape. O(links of the span).
Int128 row_cost(const RowTable& table, const CostModel& costs, const PlannedRow& row);

}  // namespace waferloom::placer
