#pragma once

#include <string>
#include <vector>

#include "viz/canvas/mesh_view.h"
#include "viz/floorplan.h"
#include "viz/floorplan/floorplan_facts.h"
#include "viz/floorplan/floorplan_labels.h"

namespace waferloom::viz {

/// An edge as it is drawn: bent a little to one side, so that it does not run through the centres
/// of kernels in between, and so that parallel and opposite edges are told apart.
struct DrawnEdge {
  std::size_t connection = 0;
  Curve curve;
  double detail = 1;  ///< as the scene's, less on short edges
  double width = 1;
  int mismatches = 0;
  double length() const;
};

/// What the parts of a floorplan draw from.
struct FloorplanScene {
  const Problem& problem;
  const Placement& placement;
  FloorplanOptions options;
  FloorplanFacts facts;
  MeshView view;
  /// Size of markers and strokes, 1 where kernels are about 60 units wide; follows the mean kernel.
  double detail = 1;
  double edge_scale = 1;  ///< of edges' strokes, less than 1 where they would hide the kernels
  std::vector<DrawnEdge> edges{};       ///< between kernels that have a size, on the view's page
  std::vector<Colour> stage_colours{};  ///< of a network by kind
  FloorplanLabels labels{};
};

Colour kernel_fill(const FloorplanScene& scene, KernelIndex index);

/// The slack at the pale end of the colour map, as a share of the slowest time: a multiple of 10 %.
double slack_range(const FloorplanFacts& facts);

/// Rectangles, bottom first, with tooltips; then hatches over shared tiles.
void draw_kernels(Canvas& canvas, const FloorplanScene& scene);

/// Outlines of the constraints' regions, above the kernels, and marks of fixed kernels.
void draw_constraints(Canvas& canvas, const FloorplanScene& scene);
/// Outline of a region with this rule.
Stroke region_stroke(RegionRule rule);
/// A dark corner in the upper right of a kernel's box.
void draw_fixed_mark(Canvas& canvas, const Box& box, double size);

/// Edges with adapter mismatches have a colour of their own.
Colour edge_colour(int mismatches);

/// Where arrows are drawn thinner than this, they are too many for numbers on them.
inline constexpr double kLeastScaleOfNumbers = 0.6;

/// Arrows between centres, then the badges of adapter mismatches where there is room.
void draw_edges(Canvas& canvas, const FloorplanScene& scene);

/// Stroke width of an edge with a tensor of a size.
struct TensorRange {
  double least = 0;
  double most = 0;
};
/// Elements of a connection's tensor, of a network bytes; 0 if unknown.
double tensor_size(const FloorplanScene& scene, std::size_t connection);
/// The least and the largest size that is known.
TensorRange tensor_range(const FloorplanScene& scene);
double edge_width(double size, const TensorRange& range, double detail);

/// Finds places for names, sizes and marks, clear of arrows and of one another; the scene's view
/// begins at (0, 0).
FloorplanLabels plan_labels(const FloorplanScene& scene);
/// Draws the bytes of tensors.
void draw_tensor_labels(Canvas& canvas, const FloorplanScene& scene);
/// Draws what stands in kernels.
void draw_labels(Canvas& canvas, const FloorplanScene& scene);

/// Title and score; legend.
void draw_floorplan_heading(Canvas& canvas, const FloorplanScene& scene, const Box& place);
void draw_floorplan_legend(Canvas& canvas, const FloorplanScene& scene, const Box& place);
/// Whether some kernel breaks a rule.
bool has_offence(const FloorplanScene& scene);
double floorplan_legend_height(const FloorplanScene& scene);

}  // namespace waferloom::viz
