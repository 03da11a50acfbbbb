#include "sim/stage_layout.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernels/kernel.h"

namespace waferloom::sim {
namespace {

[[noreturn]] void fail(const Plan& plan, const Wafer& mesh) {
  throw std::invalid_argument(std::to_string(plan.pipeline) + " stages of " +
                              std::to_string(plan.tiles()) + " tiles do not fit on a mesh of " +
                              std::to_string(mesh.width) + " x " + std::to_string(mesh.height) +
                              " in the layout " + std::string(layout_name(plan.layout)));
}

/// Blocks beside and above one another that fit on a mesh.
std::int64_t blocks_on(const Wafer& mesh, const Extent& block) {
  return (mesh.width / block.width) * (mesh.height / block.height);
}

Extent block_of(const Plan& plan, const Wafer& mesh, const Grouping& groups) {
  const Extent group{groups.columns, groups.rows};
  if (group.width > 0 && group.width * group.height == plan.tiles() &&
      blocks_on(mesh, group) >= plan.pipeline) {
    return group;
  }
  std::optional<Extent> best;
  for (std::int64_t width = 1; width <= std::min(plan.tiles(), mesh.width); ++width) {
    const Extent block{width, plan.tiles() / width};
    if (block.width * block.height != plan.tiles() || block.height > mesh.height) continue;
    if (blocks_on(mesh, block) < plan.pipeline) continue;
    if (!best || std::abs(block.width - block.height) < std::abs(best->width - best->height)) {
      best = block;
    }
  }
  if (!best) fail(plan, mesh);
  return *best;
}

std::vector<Rectangle> s_shape(const Plan& plan, const Wafer& mesh, const Grouping& groups) {
  const Extent block = block_of(plan, mesh, groups);
  const std::int64_t columns = mesh.width / block.width;
  std::vector<Rectangle> stages;
  for (std::int64_t i = 0; i < plan.pipeline; ++i) {
    const std::int64_t row = i / columns;
    const std::int64_t column = row % 2 == 0 ? i % columns : columns - 1 - i % columns;
    stages.push_back({column * block.width, row * block.height, block.width, block.height});
  }
  return stages;
}

std::vector<Rectangle> strips(const Plan& plan, const Wafer& mesh) {
  std::vector<Rectangle> stages;
  const std::int64_t tiles = plan.tiles();
  const bool upright =
      tiles % mesh.height == 0 && tiles / mesh.height <= mesh.width / plan.pipeline;
  const bool level = tiles % mesh.width == 0 && tiles / mesh.width <= mesh.height / plan.pipeline;
  if (!upright && !level) fail(plan, mesh);
  const std::int64_t thick = tiles / (upright ? mesh.height : mesh.width);
  for (std::int64_t i = 0; i < plan.pipeline; ++i) {
    stages.push_back(upright ? Rectangle{i * thick, 0, thick, mesh.height}
                             : Rectangle{0, i * thick, mesh.width, thick});
  }
  return stages;
}

/// Blocks over as few nodes as can be, from the first node on.
std::vector<Rectangle> over_nodes(const Plan& plan, const Wafer& nodes) {
  if (plan.layout != StageLayout::s_shape) {
    throw std::invalid_argument("switched hardware has no layout " +
                                std::string(layout_name(plan.layout)));
  }
  for (std::int64_t width = std::min(plan.tiles(), nodes.width); width > 0; --width) {
    const Extent block{width, plan.tiles() / width};
    if (block.width * block.height != plan.tiles() || blocks_on(nodes, block) < plan.pipeline) {
      continue;
    }
    const std::int64_t beside = nodes.width / block.width;
    std::vector<Rectangle> stages;
    for (std::int64_t i = 0; i < plan.pipeline; ++i) {
      stages.push_back(
          {i % beside * block.width, i / beside * block.height, block.width, block.height});
    }
    return stages;
  }
  throw std::invalid_argument(std::to_string(plan.pipeline) + " stages of " +
                              std::to_string(plan.tiles()) + " tiles do not fit on " +
                              std::to_string(nodes.height) + " nodes of " +
                              std::to_string(nodes.width) + " tiles");
}

/// Whether all stages are as large as the plan has them, and none is bound to tiles.
bool have_plan_tiles(const Plan& plan) {
  return std::all_of(plan.stages.begin(), plan.stages.end(), [&](const StageBinding& stage) {
    return !stage.tiles &&
           stage.tensor.value_or(plan.tensor) * stage.data.value_or(plan.data) == plan.tiles();
  });
}

std::vector<Rectangle> bound_tiles(const Plan& plan) {
  std::vector<Rectangle> tiles;
  for (std::size_t i = 0; i < static_cast<std::size_t>(plan.pipeline); ++i) {
    if (!plan.stages[i].tiles) {
      throw std::invalid_argument("stage s" + std::to_string(i) +
                                  " has no tiles, and stages of other sizes or with tiles do; a "
                                  "placement can give them all");
    }
    tiles.push_back(*plan.stages[i].tiles);
  }
  return tiles;
}

std::vector<Rectangle> on_live_tiles(std::vector<Rectangle> stages, const Wafer& mesh) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (is_clear(mesh, stages[i])) continue;
    throw std::invalid_argument("stage s" + std::to_string(i) + " lies on a dead tile");
  }
  return stages;
}

}  // namespace

std::vector<Rectangle> lay_out_stages(const Plan& plan, const Wafer& mesh, const Grouping& groups) {
  return on_live_tiles(
      plan.layout == StageLayout::line ? strips(plan, mesh) : s_shape(plan, mesh, groups), mesh);
}

std::vector<Rectangle> lay_out_stages(const Plan& plan, const Hardware& hardware) {
  if (!plan.stages.empty() && !have_plan_tiles(plan)) return bound_tiles(plan);
  if (hardware.topology == Topology::switched) {
    return on_live_tiles(over_nodes(plan, hardware.wafer), hardware.wafer);
  }
  return lay_out_stages(plan, hardware.wafer, {hardware.group_columns, hardware.group_rows});
}

}  // namespace waferloom::sim
