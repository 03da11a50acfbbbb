#pragma once

#include <cstddef>
#include <vector>

#include "viz/floorplan/floorplan_parts.h"

namespace waferloom::viz {

/// The edges between kernels that have a size, as wide as edge_scale() of 1 makes them. O(edges),
/// or O(edges * kernels) where some may skip kernels of a row: computed once a picture.
std::vector<DrawnEdge> drawn_edges(const FloorplanScene& scene);

/// What strokes are multiplied with so that arrows do not cover more than a twentieth of the mesh.
double edge_scale(const std::vector<DrawnEdge>& edges, const Box& mesh);

void scale(std::vector<DrawnEdge>& edges, double factor);
void move(std::vector<DrawnEdge>& edges, const Point& by);

}  // namespace waferloom::viz
