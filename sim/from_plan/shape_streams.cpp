#include "sim/from_plan/shape_streams.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pipeline/demands.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {
namespace {

bool streams(const Workload& workload, const Plan& plan, const Hardware& hardware,
             const PlanCut& cut) {
  const PlanMemory memory = plan_memory(workload, plan, hardware, cut);
  return memory.home == MemoryHome::edge &&
         std::any_of(memory.stages.begin(), memory.stages.end(),
                     [](const StageMemory& stage) { return stage.use != SramUse::resident; });
}

/// None if they do not all fit.
std::vector<Rectangle> snake(const Extent& block, std::int64_t count, const Wafer& mesh) {
  const std::int64_t columns = mesh.width / block.width;
  std::vector<Rectangle> blocks;
  if (columns * (mesh.height / block.height) < count) return blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = i / columns;
    const std::int64_t column = row % 2 == 0 ? i % columns : columns - 1 - i % columns;
    blocks.push_back({column * block.width, row * block.height, block.width, block.height});
  }
  return blocks;
}

}  // namespace

Picoseconds stream_time(const Workload& workload, const Plan& plan, ExchangeCache& exchanges,
                        const PlanCut& cut, const Extent& block) {
  const Hardware& hardware = exchanges.hardware();
  if (!streams(workload, plan, hardware, cut)) return 0;
  const Mesh& mesh = exchanges.mesh();
  Plan anywhere = plan;
  anywhere.within.reset();
  std::optional<Picoseconds> least;
  for (const Extent& way : {block, Extent{block.height, block.width}}) {
    if (least && way == block) continue;  // a square
    const std::vector<Rectangle> tiles = snake(way, plan.pipeline, hardware.wafer);
    if (tiles.empty()) continue;
    const PlannedPipeline planned =
        lay_out_pipeline(workload, cut_and_settle(workload, anywhere, hardware), tiles, exchanges,
                         MemoryModel::simulated);
    RoutePlanner planner(mesh, is_fixed(plan.routing) ? plan.routing : Routing::xy);
    const Demands demands(planned.spec, mesh, NetworkKind::fair, planner);
    const Picoseconds time = std::max(demands.busiest(Bound::link).busy_per_sample,
                                      demands.busiest(Bound::dram).busy_per_sample);
    least = std::min(least.value_or(time), time);
  }
  return least.value_or(0);
}

}  // namespace waferloom::sim
