#pragma once

#include <string>
#include <vector>

#include "viz/canvas/mesh_view.h"
#include "viz/floorplan.h"
#include "viz/floorplan/floorplan_facts.h"

namespace waferloom::viz {

/// What the parts of a floorplan draw from.
struct FloorplanScene {
  const Problem& problem;
  const Placement& placement;
  FloorplanOptions options;
  FloorplanFacts facts;
  MeshView view;
  /// Size of markers and strokes, 1 where kernels are about 60 units wide; follows the mean kernel.
  double detail = 1;
  std::size_t unnamed = 0;  ///< kernels too small for their names
};

Colour kernel_fill(const FloorplanScene& scene, KernelIndex index);

/// The slack at the pale end of the colour map, as a share of the slowest time: a multiple of 10 %.
double slack_range(const FloorplanFacts& facts);

/// Rectangles, bottom first, with tooltips; then hatches over shared tiles.
void draw_kernels(Canvas& canvas, const FloorplanScene& scene);

/// Dead tiles, hatched where they are large enough; below the kernels.
void draw_dead_tiles(Canvas& canvas, const FloorplanScene& scene);
/// What dead tiles look like in a box of the legend or the plan.
void draw_dead_box(Canvas& canvas, const Box& box);

/// Outlines of the constraints' regions, above the kernels, and marks of fixed kernels.
void draw_constraints(Canvas& canvas, const FloorplanScene& scene);
/// Outline of a region with this rule.
Stroke region_stroke(RegionRule rule);
/// A dark corner in the upper right of a kernel's box.
void draw_fixed_mark(Canvas& canvas, const Box& box, double size);

/// Diagonal lines that fill a box.
std::vector<Segment> hatch(const Box& box, double spacing);

/// Edges with adapter mismatches have a colour of their own.
Colour edge_colour(int mismatches);

/// Arrows between centres, then the badges of adapter mismatches where there is room.
void draw_edges(Canvas& canvas, const FloorplanScene& scene);

/// Stroke width of an edge with so many tensor elements.
struct TensorRange {
  double least = 0;
  double most = 0;
};
TensorRange tensor_range(const Problem& problem);
double edge_width(const TensorRange& range, double elements, double detail);

/// Names and sizes, and the marks of network inputs and outputs. Answers how many of the kernels in
/// the picture are too small for their names.
std::size_t draw_labels(Canvas& canvas, const FloorplanScene& scene);
void draw_terminal_mark(Canvas& canvas, const Box& place, const std::string& text);

/// Title and score; legend.
void draw_floorplan_heading(Canvas& canvas, const FloorplanScene& scene, const Box& place);
void draw_floorplan_legend(Canvas& canvas, const FloorplanScene& scene, const Box& place);
double floorplan_legend_height(const FloorplanScene& scene);

}  // namespace waferloom::viz
