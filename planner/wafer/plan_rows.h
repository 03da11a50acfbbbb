#pragma once

#include "kernels/mesh_operators.h"
#include "model/describe.h"
#include "model/wafer.h"
#include "planner/tile_operators.h"

// Rows that reports on wafers share, and those of each way's plan (docs/wafer_plans.md).

namespace waferloom::planner {

/// Tiles that a plan takes: they lie on the wafer.
struct PlannedTiles {
  Rectangle tiles;
};

/// What a plan's file is, whatever its way.
std::vector<Row> plan_head_rows(std::string_view way);
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
