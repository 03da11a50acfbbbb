#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "viz/floorplan/floorplan_badges.h"
#include "viz/floorplan/floorplan_parts.h"

namespace waferloom::viz {
namespace {

double elements(const TensorShape& tensor) {
  return double(tensor.height) * double(tensor.width) * double(tensor.channels);
}

Point centre(const Box& box) { return {box.x + box.width / 2, box.y + box.height / 2}; }

/// An edge as it is drawn: bent a little to one side, so that it does not run through the centres
/// of kernels in between, and so that parallel and opposite edges are told apart.
struct DrawnEdge {
  std::size_t connection = 0;
  Curve curve;
  double detail = 1;  ///< as the scene's, less on short edges
  double width = 1;
  int mismatches = 0;
};

/// How an edge leaves the straight line: control point so far off it, as a share of its length.
Curve bent(const Point& from, const Point& to, double bend) {
  const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
  return {from, {middle.x - bend * (to.y - from.y), middle.y + bend * (to.x - from.x)}, to};
}

/// Where drawn kernels have their centres.
std::vector<Point> drawn_centres(const FloorplanScene& scene) {
  std::vector<Point> centres;
  for (const KernelFacts& kernel : scene.facts.kernels) {
    if (kernel.tiles) centres.push_back(centre(to_page(scene.view, *kernel.tiles)));
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

Point point_at(const Curve& curve, double t) {
  const double a = (1 - t) * (1 - t);
  const double b = 2 * t * (1 - t);
  const double c = t * t;
  return {a * curve.from.x + b * curve.control.x + c * curve.to.x,
          a * curve.from.y + b * curve.control.y + c * curve.to.y};
}

/// Edges shorter than this, such as those between thin kernels side by side, have smaller arrows.
constexpr double kFullLength = 20;

std::vector<DrawnEdge> drawn_edges(const FloorplanScene& scene) {
  const TensorRange range = tensor_range(scene.problem);
  std::map<std::pair<KernelIndex, KernelIndex>, int> parallel;
  Bends bends(scene);
  std::vector<DrawnEdge> edges;
  for (std::size_t i = 0; i < scene.problem.connections().size(); ++i) {
    const Connection& edge = scene.problem.connections()[i];
    const auto& from = scene.facts.kernels[edge.producer].tiles;
    const auto& to = scene.facts.kernels[edge.consumer].tiles;
    const int before = parallel[{edge.producer, edge.consumer}]++;
    if (!from || !to) continue;
    const Point start = centre(to_page(scene.view, *from));
    const Point end = centre(to_page(scene.view, *to));
    const Curve curve = bent(start, end, bends.next(start, end, before));
    const double length = std::hypot(curve.to.x - curve.from.x, curve.to.y - curve.from.y);
    const double detail = std::clamp(length / kFullLength, 0.2, scene.detail);
    edges.push_back({i, curve, detail, edge_width(range, elements(edge.tensor), detail),
                     scene.facts.mismatches[i]});
  }
  return edges;
}

std::string tooltip(const FloorplanScene& scene, const DrawnEdge& edge) {
  const auto& [producer, consumer, tensor, weight] = scene.problem.connections()[edge.connection];
  const auto& kernels = scene.problem.kernels();
  const std::string shape = elements(tensor) == 0 ? ""
                                                  : ", tensor " + std::to_string(tensor.height) +
                                                        " × " + std::to_string(tensor.width) +
                                                        " × " + std::to_string(tensor.channels);
  const std::string weighted = weight == decimal6(1) ? "" : ", weight " + to_string(weight);
  return kernels[producer].name + " → " + kernels[consumer].name + shape + weighted + ", " +
         std::to_string(edge.mismatches) + " adapter mismatches";
}

/// At the middle of the curve; beside it where it would hide a short arrow. Small on short edges.
BadgeWish badge_wish(const DrawnEdge& edge, double detail) {
  const Curve& curve = edge.curve;
  const double length = std::hypot(curve.to.x - curve.from.x, curve.to.y - curve.from.y);
  const double radius = std::min(0.2 * length, kBadgeRadius * std::max(detail, 0.75));
  const Point across =
      length > 0 ? Point{(curve.from.y - curve.to.y) / length, (curve.to.x - curve.from.x) / length}
                 : Point{0, 1};
  return {point_at(curve, 0.5), across, radius, edge.width, length >= 5 * radius};
}

/// The arrow's shaft in a pale casing, so that it stands out from every fill, and its head.
void draw_arrow(Canvas& canvas, const DrawnEdge& edge) {
  const double detail = edge.detail;
  const double dx = edge.curve.to.x - edge.curve.control.x;
  const double dy = edge.curve.to.y - edge.curve.control.y;
  const double length = std::hypot(dx, dy);
  if (length < 0.5 || !std::isfinite(length)) return;
  const double head = std::min(2.6 * edge.width + 3.4 * detail, 0.8 * length);
  const Point unit{dx / length, dy / length};
  const Point& tip = edge.curve.to;
  const Point base{tip.x - head * unit.x, tip.y - head * unit.y};
  const double half = 0.42 * head;
  Curve shaft = edge.curve;
  shaft.to = {tip.x - 0.8 * head * unit.x, tip.y - 0.8 * head * unit.y};
  canvas.curve(shaft, {faded(kWhite, 0.7), edge.width + 1.6 * detail, false});
  const Colour colour = edge_colour(edge.mismatches);
  canvas.curve(shaft, {colour, edge.width, false});
  canvas.circle({edge.curve.from, 0.9 * edge.width + 0.5 * detail}, filled(colour));
  canvas.polygon({tip,
                  {base.x - half * unit.y, base.y + half * unit.x},
                  {base.x + half * unit.y, base.y - half * unit.x}},
                 {colour, {faded(kWhite, 0.7), 0.5 * detail, false}, 0});
}

}  // namespace

Colour edge_colour(int mismatches) { return mismatches > 0 ? kAdapter : kInk; }

TensorRange tensor_range(const Problem& problem) {
  TensorRange range;
  for (const Connection& edge : problem.connections()) {
    const double size = elements(edge.tensor);
    if (size <= 0) continue;
    range.least = range.least > 0 ? std::min(range.least, size) : size;
    range.most = std::max(range.most, size);
  }
  return range;
}

double edge_width(const TensorRange& range, double elements, double detail) {
  constexpr double kThinnest = 0.7;
  constexpr double kThickest = 3.4;
  if (elements <= 0 || range.most <= range.least)
    return 0.5 * (kThinnest + kThickest) * 0.7 * detail;
  const double share = std::log(elements / range.least) / std::log(range.most / range.least);
  return (kThinnest + share * (kThickest - kThinnest)) * detail;
}

void draw_edges(Canvas& canvas, const FloorplanScene& scene) {
  const std::vector<DrawnEdge> edges = drawn_edges(scene);
  for (const DrawnEdge& edge : edges) {
    canvas.begin_group({"edge", tooltip(scene, edge)});
    draw_arrow(canvas, edge);
    canvas.end_group();
  }
  BadgeRoom room;
  for (const DrawnEdge& edge : edges) {
    if (edge.mismatches == 0) continue;
    const BadgeWish wish = badge_wish(edge, scene.detail);
    if (wish.radius < kLeastBadgeRadius) continue;
    const auto place = room.place(wish);
    if (!place) continue;
    canvas.begin_group({"adapter", tooltip(scene, edge)});
    draw_badge(canvas, *place, std::to_string(edge.mismatches));
    canvas.end_group();
  }
}

}  // namespace waferloom::viz
