#include "planner/wafer/plan_rows.h"

#include "model/describe.h"
#include "planner/wafer_pipeline.h"

namespace waferloom {

template <>
const TypeRows& rows_of<planner::PlannedTiles>() {
  using planner::PlannedTiles;
  const auto tiles = [](const PlannedTiles& planned) -> const Rectangle& { return planned.tiles; };
  static const TypeRows rows = report_rows(through<PlannedTiles>(
      tiles, {row("x", &Rectangle::x, {"column of the lower left tile, from 0", kCount}),
              row("y", &Rectangle::y, {"row of the lower left tile, from 0", kCount}),
              row("width", &Rectangle::width, {"columns of tiles", kPositiveCount}),
              row("height", &Rectangle::height, {"rows of tiles", kPositiveCount})}));
  return rows;
}

namespace planner {

std::vector<Row> plan_head_rows(std::string_view way) {
  return {format_row("waferloom/wafer_plan/1"),
          fixed_row("way", way, "how the network is laid over the wafer")};
}

std::string wafer_plan_schema() {
  return schema_text(
      {{"of plan --serve", &resident_plan_rows()},
       {"how a network is laid over a wafer's tiles in rectangles", &pipeline_plan_rows()},
       {"of plan --way streaming: a training step, or prompts", &streaming_plan_rows()}},
      "Plan of a whole wafer (waferloom plan --serve, --way pipeline, --way streaming)");
}

}  // namespace planner
}  // namespace waferloom
