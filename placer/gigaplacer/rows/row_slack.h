#pragma once

#include "placer/gigaplacer/rows/row_table.h"

namespace waferloom::placer {

/// Hands the height that the plan leaves free on the wafer to the rows where it shortens the most
/// wire: a higher row has narrower kernels. Heights only grow, the plan still fits. Exact for the
/// estimate row_wire by a DP over rows and free height (in steps of some tiles where
/// rows·free² is beyond kMostSlackWork); ties: lower rows keep their height.
/// Demands total_height(plan) ≤ room height. O(rows·free²).
RowPlan spread_slack(const RowTable& table, RowPlan plan);

}  // namespace waferloom::placer
