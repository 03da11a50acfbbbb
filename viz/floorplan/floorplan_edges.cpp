#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "viz/floorplan/drawn_edges.h"
#include "viz/floorplan/floorplan_badges.h"
#include "viz/floorplan/stage_facts.h"

namespace waferloom::viz {
namespace {

std::string tooltip(const FloorplanScene& scene, const DrawnEdge& edge) {
  const auto& [producer, consumer, tensor, weight] = scene.problem.connections()[edge.connection];
  const auto& kernels = scene.problem.kernels();
  const std::string ends = kernels[producer].name + " → " + kernels[consumer].name;
  if (scene.options.network) {
    return ends + ", " +
           bytes_text(static_cast<double>(scene.options.network->tensor_bytes[edge.connection]),
                      kFactDigits) +
           " a micro-batch";
  }
  const std::string shape =
      tensor.elements() == 0
          ? ""
          : fmt::format(", tensor {} × {} × {}", tensor.height, tensor.width, tensor.channels);
  const std::string weighted = weight == decimal6(1) ? "" : ", weight " + to_string(weight);
  return fmt::format("{}{}{}, {} adapter mismatches", ends, shape, weighted, edge.mismatches);
}

/// At that share of the curve; beside it where it would hide a short arrow. Small on short edges.
BadgeWish badge_wish(double along, const DrawnEdge& edge, double detail) {
  const Curve& curve = edge.curve;
  const double length = edge.length();
  const double radius = std::min(0.2 * length, kBadgeRadius * std::max(detail, 0.75));
  const Point across =
      length > 0 ? Point{(curve.from.y - curve.to.y) / length, (curve.to.x - curve.from.x) / length}
                 : Point{0, 1};
  return {point_at(curve, along), across, radius, edge.width, length >= 5 * radius};
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

double tensor_size(const FloorplanScene& scene, std::size_t connection) {
  if (scene.options.network) return double(scene.options.network->tensor_bytes[connection]);
  return double(scene.problem.connections()[connection].tensor.elements());
}

TensorRange tensor_range(const FloorplanScene& scene) {
  TensorRange range;
  for (std::size_t i = 0; i < scene.problem.connections().size(); ++i) {
    const double size = tensor_size(scene, i);
    if (size <= 0) continue;
    range.least = range.least > 0 ? std::min(range.least, size) : size;
    range.most = std::max(range.most, size);
  }
  return range;
}

double edge_width(double size, const TensorRange& range, double detail) {
  constexpr double kThinnest = 0.7;
  constexpr double kThickest = 3.4;
  if (size <= 0 || range.most <= range.least) return 0.5 * (kThinnest + kThickest) * 0.7 * detail;
  const double share = std::log(size / range.least) / std::log(range.most / range.least);
  return (kThinnest + share * (kThickest - kThinnest)) * detail;
}

namespace {

/// On an edge, or beside it, the nearer its middle the better.
std::optional<Circle> badge_place(BadgeRoom& room, const DrawnEdge& edge, double detail) {
  for (const double along : {0.5, 0.4, 0.6, 0.3, 0.7}) {
    const BadgeWish wish = badge_wish(along, edge, detail);
    if (wish.radius < kLeastBadgeRadius) return std::nullopt;
    if (const auto place = room.place(wish)) return place;
  }
  return std::nullopt;
}

void draw_badges(Canvas& canvas, const FloorplanScene& scene, const std::vector<DrawnEdge>& edges) {
  if (scene.edge_scale < kLeastScaleOfNumbers) return;
  std::vector<Box> taken;
  const Point& by = scene.view.corner;
  const auto add = [&](const Box& box) {
    taken.push_back({box.x + by.x, box.y + by.y, box.width, box.height});
  };
  for (const auto& [kernel, label] : scene.labels.inside) add(label.place);
  for (const TerminalMark& mark : scene.labels.marks) add(mark.place);
  BadgeRoom room(std::move(taken));
  for (const DrawnEdge& edge : edges) {
    if (edge.mismatches == 0) continue;
    const auto place = badge_place(room, edge, scene.detail);
    if (!place) continue;
    canvas.begin_group({"adapter", tooltip(scene, edge)});
    draw_badge(canvas, *place, std::to_string(edge.mismatches));
    canvas.end_group();
  }
}

}  // namespace

void draw_edges(Canvas& canvas, const FloorplanScene& scene) {
  for (const DrawnEdge& edge : scene.edges) {
    canvas.begin_group({"edge", tooltip(scene, edge)});
    draw_arrow(canvas, edge);
    canvas.end_group();
  }
  draw_badges(canvas, scene, scene.edges);
}

}  // namespace waferloom::viz
