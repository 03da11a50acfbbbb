#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "viz/canvas/dead_tiles.h"
#include "viz/floorplan/floorplan_parts.h"
#include "viz/floorplan/stage_facts.h"

namespace waferloom::viz {
namespace {

std::string list(const std::array<std::int64_t, kMaxConvolutions>& values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format(" {}", values[static_cast<std::size_t>(i)]);
  return text;
}

/// How the kernel is cut, or which option it takes.
std::string execution_text(const Kernel& kernel, const Execution& execution) {
  if (is_shape_list(kernel)) {
    return fmt::format("option {} of {}", execution.option, shape_options(kernel).size());
  }
  const int count = kernel.convolution_count;
  return fmt::format("h {}, w {}, c{}, k{}", execution.h, execution.w, list(execution.c, count),
                     list(execution.k, count));
}

std::string tooltip(const FloorplanScene& scene, KernelIndex index) {
  const ProblemKernel& kernel = scene.problem.kernels()[index];
  const PlacedKernel& placed = scene.placement.kernels[index];
  const KernelFacts& facts = scene.facts.kernels[index];
  const auto& network = scene.options.network;
  std::string text = fmt::format(
      "{}: {}, {} × {} at ({}, {})", kernel.name,
      network ? network->stages[index].content : std::string(type_name(kernel.kernel.formal)),
      facts.tiles->width, facts.tiles->height, placed.x, placed.y);
  if (network) {
    text += ", " + seconds_text(stage_seconds(scene, index), kFactDigits) + " a micro-batch";
  } else {
    text += fmt::format("{}, time {}, memory {} words; {}", placed.rotated ? " R90" : "",
                        time_text(scene.problem, facts.time), facts.memory_words,
                        execution_text(kernel.kernel, placed.execution));
  }
  if (facts.outside) text += "; not wholly on the wafer";
  if (facts.overlaps) text += "; overlaps";
  if (facts.over_memory) text += "; too much memory";
  if (facts.on_dead) text += "; on dead tiles";
  if (facts.fixed) text += "; fixed";
  if (facts.misplaced) text += "; not where a constraint asks it to be";
  return text;
}

/// The part of a box that a page a few times larger than `view` can hold: keeps coordinates of
/// kernels far outside within what every viewer can read.
Box near_view(const Box& box, const Box& view) {
  const double reach = view.width + view.height;
  const double left = std::clamp(box.x, view.x - reach, view.x + view.width + reach);
  const double right = std::clamp(box.x + box.width, view.x - reach, view.x + view.width + reach);
  const double top = std::clamp(box.y, view.y - reach, view.y + view.height + reach);
  const double bottom =
      std::clamp(box.y + box.height, view.y - reach, view.y + view.height + reach);
  return {left, top, right - left, bottom - top};
}

}  // namespace

double slack_range(const FloorplanFacts& facts) {
  if (facts.slowest == 0) return 0.1;
  const double most = 1 - double(facts.fastest) / double(facts.slowest);
  return std::max(0.1, std::ceil(most * 10 - 1e-9) / 10);
}

namespace {

Colour meaningful_fill(const FloorplanScene& scene, KernelIndex index) {
  if (scene.options.colour == FloorplanOptions::Colour::type) {
    return scene.options.network ? scene.stage_colours[index]
                                 : type_colour(scene.problem.kernel(index).formal);
  }
  const FloorplanFacts& facts = scene.facts;
  if (facts.slowest == 0) return slack_colour(0);
  const double slack = 1 - double(facts.kernels[index].time) / double(facts.slowest);
  return slack_colour(slack / slack_range(facts));
}

}  // namespace

Colour kernel_fill(const FloorplanScene& scene, KernelIndex index) {
  const Colour fill = meaningful_fill(scene, index);
  // Offenders are pale, because what they lie on shines through.
  return scene.facts.kernels[index].offends() ? mix(fill, kWhite, 0.25) : fill;
}

void draw_kernels(Canvas& canvas, const FloorplanScene& scene) {
  const Box shown = frame(scene.view);
  const double border = std::clamp(0.9 * scene.detail, 0.35, 0.9);
  for (KernelIndex i = 0; i < scene.problem.kernel_count(); ++i) {
    const KernelFacts& facts = scene.facts.kernels[i];
    if (!facts.tiles) continue;
    Colour fill = kernel_fill(scene, i);
    Stroke outline{mix(fill, kInk, 0.55), border, false};
    if (facts.offends()) {
      fill = faded(fill, 0.7);
      outline = {kAlarm, std::max(1.0, 2 * border), false};
    }
    canvas.begin_group({"kernel", tooltip(scene, i)});
    canvas.box(near_view(to_page(scene.view, *facts.tiles), shown), {fill, outline, 0});
    canvas.end_group();
  }
  if (scene.options.network && !scene.options.network->branches.empty()) {
    canvas.begin_group({"branches", {}});
    for (const Rectangle& tiles : scene.options.network->branches) {
      canvas.box(near_view(to_page(scene.view, tiles), shown),
                 {kNoColour, {kInk, border, true}, 0});
    }
    canvas.end_group();
  }
  canvas.begin_group({"overlaps", {}});
  for (const Rectangle& tiles : scene.facts.shared) {
    const Box box = near_view(to_page(scene.view, tiles), shown);
    const double spacing = std::max(4.0, (box.width + box.height) / 150);
    canvas.lines(hatch(box, spacing), {kAlarm, 1, false});
  }
  canvas.end_group();
}

}  // namespace waferloom::viz
