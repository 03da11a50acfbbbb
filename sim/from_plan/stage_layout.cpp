#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "kernels/kernel.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {
namespace {

/// `corner`: of the mesh, on the whole.
[[noreturn]] void fail(const Plan& plan, const Wafer& mesh, const TilePlace& corner) {
  const std::string text =
      fmt::format("{} stages of {} tiles do not fit on a mesh of {} x {}{} in the layout {}",
                  plan.pipeline, plan.tiles(), mesh.width, mesh.height,
                  mesh.dead.empty() ? "" : " around its dead tiles", layout_name(plan.layout));
  if (!mesh.dead.empty()) {
    const std::int64_t lost = mesh.width * mesh.height - usable_tiles(mesh);
    throw InfeasibleError(
        fmt::format("{}: {} are dead or cut off, the first {}", text, lost,
                    tile_text({corner.x + mesh.dead.front().x, corner.y + mesh.dead.front().y})));
  }
  throw PlanFault({"pipeline", "tensor", "data"}, text);
}

std::int64_t distance_from_square(const Extent& shape) {
  return std::abs(shape.width - shape.height);
}

/// The mesh's groups where those have as many tiles, then the nearest to squares.
std::vector<Extent> compact_first(const Plan& plan, const Wafer& mesh, const Grouping& groups) {
  std::vector<Extent> shapes = shapes_of(mesh, plan.tiles());
  std::stable_sort(shapes.begin(), shapes.end(), [](const Extent& a, const Extent& b) {
    return distance_from_square(a) < distance_from_square(b);
  });
  const Extent group{groups.columns, groups.rows};
  const auto at = std::find(shapes.begin(), shapes.end(), group);
  if (at != shapes.end()) std::rotate(shapes.begin(), at, at + 1);
  return shapes;
}

/// Strips over the whole mesh; on one with dead tiles behind them the longest blocks.
std::vector<Extent> strips_first(const Plan& plan, const Wafer& mesh) {
  const std::int64_t tiles = plan.tiles();
  std::vector<Extent> strips;
  if (tiles % mesh.height == 0 && tiles / mesh.height <= mesh.width / plan.pipeline) {
    strips.push_back({tiles / mesh.height, mesh.height});
  }
  if (tiles % mesh.width == 0 && tiles / mesh.width <= mesh.height / plan.pipeline) {
    strips.push_back({mesh.width, tiles / mesh.width});
  }
  if (strips.empty() || mesh.dead.empty()) return strips;
  std::vector<Extent> others = shapes_of(mesh, tiles);
  std::erase_if(others, [&](const Extent& shape) {
    return std::find(strips.begin(), strips.end(), shape) != strips.end();
  });
  std::stable_sort(others.begin(), others.end(), [](const Extent& a, const Extent& b) {
    return distance_from_square(a) > distance_from_square(b);
  });
  strips.insert(strips.end(), others.begin(), others.end());
  return strips;
}

/// So many blocks, node by node, without those on dead tiles; none if there are fewer.
std::vector<Rectangle> clear_of_nodes(const Wafer& nodes, const Extent& block, std::int64_t count) {
  std::vector<Rectangle> stages;
  for (std::int64_t y = 0; y + block.height <= nodes.height; y += block.height) {
    for (std::int64_t x = 0; x + block.width <= nodes.width; x += block.width) {
      const Rectangle tiles{x, y, block.width, block.height};
      if (!is_clear(nodes, tiles)) continue;
      stages.push_back(tiles);
      if (static_cast<std::int64_t>(stages.size()) == count) return stages;
    }
  }
  return {};
}

/// Blocks over as few nodes as can be, from the first node on.
std::vector<Rectangle> over_nodes(const Plan& plan, const Wafer& nodes) {
  if (plan.layout != StageLayout::s_shape) {
    throw PlanFault({"layout"}, "layout: switched hardware has no layout " +
                                    std::string(layout_name(plan.layout)));
  }
  for (std::int64_t width = std::min(plan.tiles(), nodes.width); width > 0; --width) {
    const Extent block{width, plan.tiles() / width};
    if (block.width * block.height != plan.tiles()) continue;
    std::vector<Rectangle> stages = clear_of_nodes(nodes, block, plan.pipeline);
    if (!stages.empty()) return stages;
  }
  throw PlanFault({"pipeline", "tensor", "data"},
                  fmt::format("{} stages of {} tiles do not fit on {} nodes of {} tiles{}",
                              plan.pipeline, plan.tiles(), nodes.height, nodes.width,
                              nodes.dead.empty() ? "" : " around those that are dead"));
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
      throw PlanFault({"stages"},
                      fmt::format("stages: stage s{} has no tiles, and stages of other sizes or "
                                  "with tiles do; a placement can give them all",
                                  i));
    }
    tiles.push_back(*plan.stages[i].tiles);
  }
  return tiles;
}

}  // namespace

namespace {

/// None where there is no room.
std::vector<Rectangle> clear_stages(const Plan& plan, const Wafer& mesh, const Grouping& groups) {
  const std::vector<Extent> shapes = plan.layout == StageLayout::line
                                         ? strips_first(plan, mesh)
                                         : compact_first(plan, mesh, groups);
  return clear_blocks(mesh, shapes, plan.pipeline);
}

}  // namespace

Rectangle part_of_mesh(const Plan& plan, const Hardware& hardware) {
  const Rectangle mesh{0, 0, hardware.wafer.width, hardware.wafer.height};
  if (!plan.within) return mesh;
  if (hardware.topology == Topology::switched) {
    throw PlanFault({"within"}, "within: switched hardware has no parts of a mesh");
  }
  if (contains(mesh, *plan.within)) return *plan.within;
  throw PlanFault({"within"}, fmt::format("within: expected a part of a mesh of {} x {} tiles",
                                          mesh.width, mesh.height));
}

std::vector<Rectangle> lay_out_stages(const Plan& plan, const Wafer& mesh, const Grouping& groups) {
  std::vector<Rectangle> stages = clear_stages(plan, mesh, groups);
  if (stages.empty()) fail(plan, mesh, {});
  return stages;
}

Wafer wafer_of_part(const Wafer& mesh, const Rectangle& part) {
  Wafer own = mesh;
  own.width = part.width;
  own.height = part.height;
  own.dead.clear();
  for (const Rectangle& dead : mesh.dead) {
    if (!overlap(dead, part)) continue;
    const Rectangle inside = intersection(dead, part);
    own.dead.push_back({inside.x - part.x, inside.y - part.y, inside.width, inside.height});
  }
  return own;
}

namespace {

/// On a part of the mesh as on a mesh of its size. What is wrong there is told by places on the
/// whole mesh.
std::vector<Rectangle> lay_out_within(const Plan& plan, const Hardware& hardware) {
  const Rectangle part = part_of_mesh(plan, hardware);
  const Wafer mesh = wafer_of_part(joined_wafer(hardware), part);
  std::vector<Rectangle> stages =
      clear_stages(plan, mesh, {hardware.group_columns, hardware.group_rows});
  if (stages.empty()) fail(plan, mesh, {part.x, part.y});
  for (Rectangle& tiles : stages) {
    tiles.x += part.x;
    tiles.y += part.y;
  }
  return stages;
}

}  // namespace

std::vector<Rectangle> lay_out_stages(const Plan& plan, const Hardware& hardware) {
  if (!plan.stages.empty() && !have_plan_tiles(plan)) return bound_tiles(plan);
  if (plan.within) return lay_out_within(plan, hardware);
  if (hardware.topology == Topology::switched) return over_nodes(plan, hardware.wafer);
  // What is cut off is of no use to a stage that hands on to others.
  return lay_out_stages(plan, joined_wafer(hardware),
                        {hardware.group_columns, hardware.group_rows});
}

}  // namespace waferloom::sim
