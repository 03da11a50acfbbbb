#pragma once

#include "kernels/mesh_operators.h"
#include "model/describe.h"
#include "model/plan.h"
#include "model/wafer.h"
#include "planner/tile_operators.h"

// Rows that reports on wafers share, and those of each way's plan (docs/wafer_plans.md).

namespace waferloom {

template <>
const TypeRows& rows_of<MadeFor>();

}  // namespace waferloom

namespace waferloom::planner {

/// Tiles that a plan takes: they lie on the wafer.
struct PlannedTiles {
  Rectangle tiles;
};

/// What a plan's file is, whatever its way. `made_for` tells its owner's MadeFor.
std::vector<Row> plan_head_rows(std::string_view way);
template <typename Owner, typename Function>
std::vector<Row> plan_head_rows(std::string_view way, Function made_for) {
  return joined({plan_head_rows(way),
                 {later_row(computed<Owner>("made_for", made_for,
                                            {"the network and the machine that it was made for; "
                                             "others are taken with a warning"}))}});
}
/// Of a row `spare_rows`.
inline constexpr std::string_view kSpareRowsMeaning =
    "rows of tiles beyond those that it works as, so that its lines step around dead tiles; 0 if "
    "it is not said";

/// `measured` of a TrustRow: errors on measured rows, or null.
Row measured_row();

const TypeRows& resident_plan_rows();
const TypeRows& pipeline_plan_rows();
const TypeRows& streaming_plan_rows();

}  // namespace waferloom::planner

namespace waferloom {

template <>
const TypeRows& rows_of<TileGrid>();
template <>
const TypeRows& rows_of<planner::PlannedTiles>();
template <>
const TypeRows& rows_of<planner::TrustRow>();

}  // namespace waferloom
