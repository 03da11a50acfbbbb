#pragma once

#include <cstddef>
#include <vector>

#include "viz/floorplan/floorplan_parts.h"

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

/// The edges between kernels that have a size.
std::vector<DrawnEdge> drawn_edges(const FloorplanScene& scene);

/// What strokes are multiplied with so that arrows do not cover more than a twentieth of the mesh.
double edge_scale(const std::vector<DrawnEdge>& edges, const Box& mesh);

}  // namespace waferloom::viz
