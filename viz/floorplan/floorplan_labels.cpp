#include "viz/floorplan/floorplan_labels.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "viz/floorplan/drawn_edges.h"
#include "viz/floorplan/floorplan_parts.h"
#include "viz/floorplan/stage_facts.h"

// Problem: name kernels without hiding wires, marks or other names.
// Idea: first set the marks of network inputs and outputs in corners. Rasterise everything drawn
// into a map of ink. Then place each kernel's label inside it where it hides least ink. What finds
// no place inside goes beside the floorplan with a leader.
// Source: our own.
// Cost: O(kernels · cells of the ink map within a kernel).
namespace waferloom::viz {
namespace {

/// What two boxes that meet share.
Box common_part(const Box& a, const Box& b) {
  const double left = std::max(a.x, b.x);
  const double top = std::max(a.y, b.y);
  return {left, top, std::min(a.x + a.width, b.x + b.width) - left,
          std::min(a.y + a.height, b.y + b.height) - top};
}

bool is_visible(const Box& box, const Box& shown) {
  return box.x < shown.x + shown.width && box.x + box.width > shown.x &&
         box.y < shown.y + shown.height && box.y + box.height > shown.y;
}

constexpr double kMarkAspect = 1.9;  // of a terminal's mark, width to height
constexpr double kLeastMark = 6;

/// The mark in a kernel's lower left or lower right corner, level, or upwards in a thin one;
/// nothing where neither fits.
std::optional<TerminalMark> mark_in(const Box& box, const char* text, bool right) {
  const double inset = std::min({2.0, 0.1 * box.width, 0.1 * box.height});
  const Box room{box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset};
  const auto place = [&](double width, double height, bool upwards) {
    const double x = right ? room.x + room.width - width : room.x;
    return TerminalMark{{x, room.y + room.height - height, width, height}, text, upwards};
  };
  const double height = std::clamp(0.5 * std::min(box.width / 2.4, box.height), kLeastMark, 11.0);
  if (kMarkAspect * height <= room.width && height <= room.height) {
    return place(kMarkAspect * height, height, false);
  }
  const double width = std::min(room.width, 11.0);
  if (width >= 0.9 * kLeastMark && kMarkAspect * width <= room.height) {
    return place(width, kMarkAspect * width, true);
  }
  return std::nullopt;
}

/// The kernels of a picture with their boxes, in order.
struct Seen {
  KernelIndex kernel = 0;
  Box box;
};
std::vector<Seen> seen_kernels(const FloorplanScene& scene) {
  const Box shown = frame(scene.view);
  std::vector<Seen> seen;
  for (KernelIndex i = 0; i < scene.facts.kernels.size(); ++i) {
    if (!scene.facts.kernels[i].tiles) continue;
    const Box box = to_page(scene.view, *scene.facts.kernels[i].tiles);
    if (is_visible(box, shown)) seen.push_back({i, common_part(box, shown)});
  }
  return seen;
}

/// The marks of all kernels, and of each what did not fit as text.
std::vector<std::string> plan_marks(const FloorplanScene& scene, const std::vector<Seen>& seen,
                                    std::vector<TerminalMark>& marks) {
  std::vector<std::string> unmarked(scene.facts.kernels.size());
  for (const auto& [kernel, box] : seen) {
    const KernelFacts& facts = scene.facts.kernels[kernel];
    const auto add = [&, kernel = kernel, &box = box](const char* text, bool right) {
      if (auto mark = mark_in(box, text, right)) {
        marks.push_back(*std::move(mark));
      } else {
        unmarked[kernel] += std::string(" · ") + text;
      }
    };
    if (facts.is_input) add("in", false);
    if (facts.is_output) add("out", true);
  }
  return unmarked;
}

/// The marks of kernels that have room neither for these nor beside the mesh: larger than the
/// kernel, so that they can be seen.
void add_large_marks(const FloorplanScene& scene, const std::vector<Seen>& seen,
                     const std::vector<std::string>& unmarked, FloorplanLabels& labels) {
  const Box shown = frame(scene.view);
  const std::vector<std::size_t>& left_out = labels.outside.left_out;
  const std::set<std::size_t> bare(left_out.begin(), left_out.end());
  for (const auto& [kernel, box] : seen) {
    if (unmarked[kernel].empty() || !bare.contains(kernel)) continue;
    constexpr double kWidth = kMarkAspect * kLeastMark;
    const auto add = [&, &box = box](const char* text, double x) {
      const double y = box.y + box.height - kLeastMark;
      labels.marks.push_back(
          {{std::clamp(x, shown.x, shown.x + shown.width - kWidth),
            std::clamp(y, shown.y, shown.y + shown.height - kLeastMark), kWidth, kLeastMark},
           text,
           false});
    };
    if (unmarked[kernel].find("in") != std::string::npos) add("in", box.x);
    if (unmarked[kernel].find("out") != std::string::npos) add("out", box.x + box.width - kWidth);
  }
}

InkMap ink_of(const FloorplanScene& scene, const std::vector<TerminalMark>& marks) {
  std::vector<InkedCurve> curves;
  for (const DrawnEdge& edge : scene.edges) {
    curves.push_back({edge.curve, edge.width + 1.6 * edge.detail});
  }
  std::vector<Box> boxes;
  for (const TerminalMark& mark : marks) boxes.push_back(mark.place);
  return {frame(scene.view), curves, boxes};
}

/// The label in a kernel; of a network's stage with what it holds, if that fits.
std::optional<InsideLabel> fit_kernel(const FloorplanScene& scene, KernelIndex kernel,
                                      const Box& box, const InkMap& ink) {
  const std::string& name = scene.problem.kernels()[kernel].name;
  const std::string extent = extent_text(*scene.facts.kernels[kernel].tiles);
  if (scene.options.network) {
    const std::string& content = scene.options.network->stages[kernel].content;
    auto told = fit_inside(label_text(name, {content, extent}), box, ink);
    if (told && told->lines != InsideLabel::Lines::name_only) return told;
  }
  return fit_inside(label_text(name, {extent}), box, ink);
}

/// The names of kernels that break a rule and have no other place, across their middles.
void name_offenders(Canvas& canvas, const FloorplanScene& scene) {
  const Box shown = frame(scene.view);
  for (const KernelIndex kernel : scene.labels.outside.left_out) {
    if (!scene.facts.kernels[kernel].offends()) continue;
    const LabelText text = label_text(scene.problem.kernels()[kernel].name, {});
    const Point middle =
        middle_of(common_part(to_page(scene.view, *scene.facts.kernels[kernel].tiles), shown));
    const double width = text.name_width * kLeastLabel;
    const double most = std::max(shown.x + 1, shown.x + shown.width - width - 1);
    canvas.text(
        text.name,
        {std::clamp(middle.x - width / 2, shown.x + 1, most),
         std::clamp(centred_baseline({middle.y, kLeastLabel}), shown.y + kLeastLabel,
                    shown.y + shown.height - 1)},
        {{kLeastLabel, true}, kAlarm, TextStyle::Anchor::start, false, faded(kWhite, 0.85)});
  }
}

}  // namespace

void draw_terminal_mark(Canvas& canvas, const Box& place, const std::string& text, bool upwards) {
  const double height = upwards ? place.width : place.height;
  Paint paint = filled(kPort);
  paint.corner_radius = 0.25 * height;
  canvas.box(place, paint);
  const double size = 0.82 * height;
  const Point middle = middle_of(place);
  const Point at = upwards ? Point{centred_baseline({middle.x, 0.85 * size}), middle.y}
                           : Point{middle.x, centred_baseline({middle.y, 0.85 * size})};
  canvas.text(text, at, {{size, true}, kWhite, TextStyle::Anchor::middle, upwards, kNoColour});
}

FloorplanLabels plan_labels(const FloorplanScene& scene) {
  FloorplanLabels labels;
  const std::vector<Seen> seen = seen_kernels(scene);
  const std::vector<std::string> unmarked = plan_marks(scene, seen, labels.marks);
  InkMap ink = ink_of(scene, labels.marks);
  std::vector<LabelWish> wishes;
  std::vector<Box> avoid;
  for (const auto& [kernel, box] : seen) {
    const auto label =
        unmarked[kernel].empty() ? fit_kernel(scene, kernel, box, ink) : std::nullopt;
    if (label) {
      labels.inside.push_back({kernel, *label});
      avoid.push_back(label->place);
      if (scene.facts.kernels[kernel].overlaps) ink.block(label->place);
    } else {
      const bool first = scene.facts.kernels[kernel].offends();
      const std::string& name = scene.problem.kernels()[kernel].name;
      wishes.push_back({kernel,
                        label_text(name, {}).name + "  " +
                            extent_text(*scene.facts.kernels[kernel].tiles) + unmarked[kernel],
                        box, first});
    }
  }
  labels.tensors = plan_tensor_labels(scene, ink, avoid);
  for (const TensorLabel& tensor : labels.tensors) avoid.push_back(tensor.place);
  labels.outside = place_outside(std::move(wishes), frame(scene.view), avoid);
  add_large_marks(scene, seen, unmarked, labels);
  return labels;
}

void draw_labels(Canvas& canvas, const FloorplanScene& scene) {
  const Point& by = scene.view.corner;
  canvas.begin_group({"labels", {}});
  for (const auto& [kernel, label] : scene.labels.inside) {
    write_label(canvas, label, by, kernel_fill(scene, kernel));
  }
  name_offenders(canvas, scene);
  for (const auto& [place, text, upwards] : scene.labels.marks) {
    draw_terminal_mark(canvas, {place.x + by.x, place.y + by.y, place.width, place.height}, text,
                       upwards);
  }
  canvas.end_group();
}

}  // namespace waferloom::viz
