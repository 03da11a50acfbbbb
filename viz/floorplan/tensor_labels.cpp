#include <algorithm>
#include <cmath>
#include <optional>

#include "model/text.h"
#include "viz/canvas/text.h"
#include "viz/floorplan/drawn_edges.h"
#include "viz/floorplan/stage_facts.h"

namespace waferloom::viz {
namespace {

constexpr double kSize = 7.5;
constexpr std::size_t kAllOf = 40;        // tensors, so few that each may have its bytes
constexpr std::size_t kMostTensors = 12;  // of more

bool meet(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool within(const Box& inner, const Box& outer) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

/// The direction across a curve at a share of its way; upwards where it has no length.
Point across_at(const Curve& curve, double share) {
  const Point before = point_at(curve, share - 0.01);
  const Point behind = point_at(curve, share + 0.01);
  const double length = std::hypot(behind.x - before.x, behind.y - before.y);
  if (length == 0) return {0, -1};
  return {(behind.y - before.y) / length, (before.x - behind.x) / length};
}

/// A clear place for text of so large a box beside a curve, the nearer its middle the better.
std::optional<Box> place_beside(const Curve& curve, const PageSize& size, const Box& mesh,
                                const InkMap& ink, const std::vector<Box>& taken) {
  constexpr double kOff = 5;  // from the curve to the nearest corner of the text
  for (const double along : {0.5, 0.4, 0.6, 0.3, 0.7}) {
    const Point at = point_at(curve, along);
    const Point across = across_at(curve, along);
    const double off =
        kOff + (std::abs(across.x) * size.width + std::abs(across.y) * size.height) / 2;
    for (const double side : {off, -off}) {
      const Box box{at.x + side * across.x - size.width / 2,
                    at.y + side * across.y - size.height / 2, size.width, size.height};
      const bool free = std::none_of(taken.begin(), taken.end(),
                                     [&](const Box& other) { return meet(box, other); });
      if (free && within(box, mesh) && ink.under(box) == 0) return box;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<TensorLabel> plan_tensor_labels(const FloorplanScene& scene, const InkMap& ink,
                                            std::vector<Box> taken) {
  std::vector<TensorLabel> labels;
  if (!scene.options.network) return labels;
  const std::vector<std::int64_t>& bytes = scene.options.network->tensor_bytes;
  std::vector<DrawnEdge> edges = scene.edges;
  std::stable_sort(edges.begin(), edges.end(), [&](const DrawnEdge& a, const DrawnEdge& b) {
    return bytes[a.connection] > bytes[b.connection];
  });
  if (edges.empty()) return labels;
  const bool alike = bytes[edges.front().connection] == bytes[edges.back().connection];
  if (alike) return labels;  // the legend tells it once
  if (edges.size() > kAllOf) edges.resize(kMostTensors);
  for (const DrawnEdge& edge : edges) {
    const std::string text = bytes_text(static_cast<double>(bytes[edge.connection]), kFactDigits);
    const PageSize size{text_width(text, {kSize, false}), kSize};
    const auto place = place_beside(edge.curve, size, frame(scene.view), ink, taken);
    if (!place) continue;
    labels.push_back({*place, text});
    taken.push_back(*place);
  }
  return labels;
}

void draw_tensor_labels(Canvas& canvas, const FloorplanScene& scene) {
  if (scene.labels.tensors.empty()) return;
  canvas.begin_group({"tensors", {}});
  for (const auto& [place, text] : scene.labels.tensors) {
    const Point at{place.x + scene.view.corner.x,
                   centred_baseline({place.y + place.height / 2 + scene.view.corner.y, kSize})};
    canvas.text(text, at,
                {{kSize, false}, kInk, TextStyle::Anchor::start, false, faded(kWhite, 0.85)});
  }
  canvas.end_group();
}

}  // namespace waferloom::viz
