#include "viz/floorplan/drawn_edges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "viz/floorplan/floorplan_parts.h"

namespace waferloom::viz {
namespace {

/// How an edge leaves the straight line: control point so far off it, as a share of its length.
Curve bent(const Point& from, const Point& to, double bend) {
  const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
  return {from, {middle.x - bend * (to.y - from.y), middle.y + bend * (to.x - from.x)}, to};
}

/// Where drawn kernels have their centres.
std::vector<Point> drawn_centres(const FloorplanScene& scene) {
  std::vector<Point> centres;
  for (const KernelFacts& kernel : scene.facts.kernels) {
    if (kernel.tiles) centres.push_back(middle_of(to_page(scene.view, *kernel.tiles)));
  }
  return centres;
}

/// Whether the straight line between two centres runs closely by a third one, as in a row of
/// kernels, where the edges of the chain lie. O(n).
bool skips(const Point& from, const Point& to, const std::vector<Point>& centres) {
  constexpr double kClose = 8;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return false;
  const Point unit{(to.x - from.x) / length, (to.y - from.y) / length};
  return std::any_of(centres.begin(), centres.end(), [&](const Point& other) {
    const Point apart{other.x - from.x, other.y - from.y};
    const double along = apart.x * unit.x + apart.y * unit.y;
    return along > 0.5 && along < length - 0.5 &&
           std::abs(apart.x * unit.y - apart.y * unit.x) < kClose;
  });
}

/// The bends of edges in their order. Edges that skip kernels of a row rise off it in arcs, higher
/// the farther they reach, in turns on either side of the row.
class Bends {
 public:
  explicit Bends(const FloorplanScene& scene) : centres_(drawn_centres(scene)) {
    // Beyond this, rows are too dense for arcs to tell anything.
    worthwhile_ = scene.problem.connections().size() * centres_.size() <= kMostPairs;
  }

  /// `parallel` edges before this one join the same kernels.
  double next(const Point& from, const Point& to, int parallel) {
    const double length = std::max(1.0, std::hypot(to.x - from.x, to.y - from.y));
    if (worthwhile_ && skips(from, to, centres_)) {
      const bool forward =
          std::abs(to.x - from.x) >= std::abs(to.y - from.y) ? to.x > from.x : to.y > from.y;
      const double side = (skipping_++ % 2 == 0) == forward ? 1 : -1;
      const double rise = std::clamp(kRiseShare * length, kLeastRise, kMostRise);
      return side * 2 * rise / length * (1 + 0.5 * parallel);
    }
    return std::clamp(7 / length, 0.1, 0.35) * (1 + parallel);
  }

 private:
  static constexpr std::size_t kMostPairs = 4'000'000;
  static constexpr double kRiseShare = 0.3;
  static constexpr double kLeastRise = 14;
  static constexpr double kMostRise = 60;

  std::vector<Point> centres_;
  bool worthwhile_ = true;
  std::size_t skipping_ = 0;  ///< arcs so far
};

/// Edges shorter than this, such as those between thin kernels side by side, have smaller arrows.
constexpr double kFullLength = 20;

}  // namespace

double DrawnEdge::length() const {
  return std::hypot(curve.to.x - curve.from.x, curve.to.y - curve.from.y);
}

double edge_scale(const std::vector<DrawnEdge>& edges, const Box& mesh) {
  constexpr double kMostInk = 0.05;  // as a share of the mesh
  constexpr double kThinnest = 0.35;
  double ink = 0;
  for (const DrawnEdge& edge : edges) {
    const double length = edge.length();
    if (std::isfinite(length)) ink += edge.width * std::min(length, mesh.width + mesh.height);
  }
  if (ink <= 0) return 1;
  return std::clamp(kMostInk * mesh.width * mesh.height / ink, kThinnest, 1.0);
}

std::vector<DrawnEdge> drawn_edges(const FloorplanScene& scene) {
  const TensorRange range = tensor_range(scene);
  std::map<std::pair<KernelIndex, KernelIndex>, int> parallel;
  Bends bends(scene);
  std::vector<DrawnEdge> edges;
  for (std::size_t i = 0; i < scene.problem.connections().size(); ++i) {
    const Connection& edge = scene.problem.connections()[i];
    const auto& from = scene.facts.kernels[edge.producer].tiles;
    const auto& to = scene.facts.kernels[edge.consumer].tiles;
    const int before = parallel[{edge.producer, edge.consumer}]++;
    if (!from || !to) continue;
    const Point start = middle_of(to_page(scene.view, *from));
    const Point end = middle_of(to_page(scene.view, *to));
    const Curve curve = bent(start, end, bends.next(start, end, before));
    const double length = std::hypot(curve.to.x - curve.from.x, curve.to.y - curve.from.y);
    const double detail = std::clamp(length / kFullLength, 0.2, scene.detail);
    edges.push_back({i, curve, detail, edge_width(tensor_size(scene, i), range, detail),
                     scene.facts.mismatches[i]});
  }
  return edges;
}

void scale(std::vector<DrawnEdge>& edges, double factor) {
  for (DrawnEdge& edge : edges) {
    edge.width *= factor;
    edge.detail *= factor;
  }
}

void move(std::vector<DrawnEdge>& edges, const Point& by) {
  for (DrawnEdge& edge : edges) {
    for (Point* point : {&edge.curve.from, &edge.curve.control, &edge.curve.to}) {
      point->x += by.x;
      point->y += by.y;
    }
  }
}

}  // namespace waferloom::viz
