#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/text.h"
#include "viz/canvas/dead_tiles.h"
#include "viz/canvas/legend.h"
#include "viz/floorplan/floorplan_badges.h"
#include "viz/floorplan/floorplan_parts.h"
#include "viz/floorplan/ports.h"
#include "viz/floorplan/stage_facts.h"

namespace waferloom::viz {
namespace {

/// How many kernels break which rule.
struct Offences {
  std::size_t overlaps = 0;
  std::size_t outside = 0;
  std::size_t over_memory = 0;
  std::size_t on_dead = 0;
  std::size_t misplaced = 0;
  std::size_t without_size = 0;
  std::size_t unseen = 0;  ///< drawn, but wholly beyond the picture
};

Offences count_offences(const FloorplanScene& scene) {
  Offences offences;
  offences.overlaps = scene.facts.overlap_count;
  for (const KernelFacts& kernel : scene.facts.kernels) {
    offences.outside += kernel.outside ? 1 : 0;
    offences.over_memory += kernel.over_memory ? 1 : 0;
    offences.on_dead += kernel.on_dead ? 1 : 0;
    offences.misplaced += kernel.misplaced ? 1 : 0;
    offences.without_size += kernel.tiles ? 0 : 1;
    offences.unseen += kernel.tiles && !overlap(*kernel.tiles, scene.view.tiles) ? 1 : 0;
  }
  return offences;
}

std::int64_t wafer_tiles(const Problem& problem) {
  return problem.wafer().width * problem.wafer().height;
}

void explain_wafer(Canvas& canvas, Legend& legend, const FloorplanScene& scene) {
  const Problem& problem = scene.problem;
  legend.heading("Wafer");
  legend.fact("tiles", fmt::format("{} × {}", problem.wafer().width, problem.wafer().height));
  // Of the tiles that work, as simulate counts; illegal placements may cover others.
  const std::int64_t usable = std::max<std::int64_t>(1, usable_tiles(problem.wafer()));
  const std::int64_t covered = std::min(scene.facts.covered, usable);
  legend.fact("utilisation", percent_text({covered, usable}, 1));
  const Box bar = legend.bar(6);
  const double used = double(covered) / double(usable);
  canvas.box(bar, filled(kHairline));
  canvas.box({bar.x, bar.y, bar.width * used, bar.height}, filled(kMuted));
  if (problem.wafer().dead.empty()) return;
  const std::int64_t dead = wafer_tiles(problem) - usable_tiles(problem.wafer());
  draw_dead_box(canvas, legend.entry("dead tiles", percent_text({dead, wafer_tiles(problem)}, 1)));
}

/// Rules of regions that occur, in the order of the enum.
std::vector<RegionRule> region_rules(const Problem& problem) {
  std::vector<RegionRule> rules;
  for (const RegionRule rule : {RegionRule::inside, RegionRule::outside, RegionRule::prefer}) {
    const auto& regions = problem.constraints().regions;
    const auto has_rule = [rule](const Region& region) { return region.rule == rule; };
    if (std::any_of(regions.begin(), regions.end(), has_rule)) rules.push_back(rule);
  }
  return rules;
}

void explain_constraints(Canvas& canvas, Legend& legend, const FloorplanScene& scene) {
  const Constraints& constraints = scene.problem.constraints();
  if (constraints.empty()) return;
  legend.heading("Constraints");
  if (!constraints.fixed.empty()) {
    const Box swatch = legend.entry("fixed kernels", std::to_string(constraints.fixed.size()));
    canvas.box(swatch, {kSilicon, {kMuted, 0.9, false}, 0});
    draw_fixed_mark(canvas, swatch, swatch.height);
  }
  constexpr std::array<const char*, 3> kLabels{"region to lie in", "region to avoid",
                                               "preferred region"};
  for (const RegionRule rule : region_rules(scene.problem)) {
    canvas.box(legend.entry(kLabels[static_cast<std::size_t>(rule)]),
               {kNoColour, region_stroke(rule), 0});
  }
}

void explain_types(Canvas& canvas, Legend& legend, const FloorplanScene& scene) {
  const std::array<KernelFormal, 4> types{ConvFormal{}, DblockFormal{}, CblockFormal{},
                                          ShapesFormal{}};
  for (const KernelFormal& type : types) {
    const auto count = std::count_if(
        scene.problem.kernels().begin(), scene.problem.kernels().end(),
        [&](const ProblemKernel& kernel) { return kernel.kernel.formal.index() == type.index(); });
    if (count == 0) continue;
    const Colour fill = type_colour(type);
    canvas.box(legend.entry(type_name(type), std::to_string(count)),
               {fill, {mix(fill, kInk, 0.55), 0.9, false}, 0});
  }
}

void explain_kinds(Canvas& canvas, Legend& legend, const NetworkStages& network) {
  std::size_t nth = 0;
  for (const auto& [kind, count] : stage_kinds(network)) {
    const Colour fill = kind_colour(nth++);
    canvas.box(legend.entry(kind, std::to_string(count)),
               {fill, {mix(fill, kInk, 0.55), 0.9, false}, 0});
  }
  if (network.branches.empty()) return;
  canvas.box(legend.entry("branches side by side", std::to_string(network.branches.size())),
             {kNoColour, {kInk, 0.9, true}, 0});
}

/// The scale of slack, which is what a load lacks to that of the slowest.
void explain_slack(Canvas& canvas, Legend& legend, const FloorplanScene& scene) {
  const bool load = scene.options.colour == FloorplanOptions::Colour::load;
  legend.fact(load ? "time, as a share of the longest" : "how much faster than the slowest", {},
              kMuted);
  const Box bar = legend.bar(12);
  constexpr int kSteps = 48;
  for (int i = 0; i < kSteps; ++i) {
    const double step = bar.width / kSteps;
    // Steps overlap by a hair, or a viewer's smoothing shows seams between them.
    const double reach = i + 1 < kSteps ? step + 0.4 : step;
    canvas.box({bar.x + i * step, bar.y, reach, bar.height},
               filled(slack_colour((i + 0.5) / kSteps)));
  }
  canvas.box(bar, {kNoColour, {kMuted, 0.6, false}, 0});
  const auto most = static_cast<std::int64_t>(std::lround(slack_range(scene.facts) * 100));
  if (load) {
    legend.fact("100 %", fmt::format("{} %", 100 - most), kMuted);
  } else {
    legend.fact("0 %", fmt::format("{} % of its time", most), kMuted);
  }
}

void explain_kernels(Canvas& canvas, Legend& legend, const FloorplanScene& scene) {
  legend.heading(scene.options.network ? "Stages" : "Kernels");
  if (scene.options.colour != FloorplanOptions::Colour::type) {
    explain_slack(canvas, legend, scene);
  } else if (scene.options.network) {
    explain_kinds(canvas, legend, *scene.options.network);
  } else {
    explain_types(canvas, legend, scene);
  }
  const auto any = [&](bool KernelFacts::*mark) {
    return std::any_of(scene.facts.kernels.begin(), scene.facts.kernels.end(),
                       [&](const KernelFacts& kernel) { return kernel.*mark; });
  };
  const auto explain_mark = [&](const char* text, const char* label) {
    const Box swatch = legend.entry(label);
    draw_terminal_mark(canvas, {swatch.x, swatch.y, swatch.width, swatch.height}, text);
  };
  if (any(&KernelFacts::is_input)) explain_mark("in", "takes a network input");
  if (any(&KernelFacts::is_output)) explain_mark("out", "gives a network output");
  if (const std::size_t unnamed = scene.labels.outside.left_out.size(); unnamed > 0) {
    legend.fact("too small for their names", std::to_string(unnamed), kMuted);
  }
}

void explain_edges(Canvas& canvas, Legend& legend, const FloorplanScene& scene) {
  const auto count = scene.problem.connections().size();
  if (count == 0) return;
  const bool in_bytes = scene.options.network.has_value();
  legend.heading(in_bytes ? "Tensors of a micro-batch" : "Edges");
  const TensorRange range = tensor_range(scene);
  const auto size_text = [&](double size) {
    return in_bytes ? bytes_text(size, kFactDigits) : prefixed_text(size, "", kFactDigits);
  };
  const auto arrow = [&](const Box& swatch, double size) {
    const double y = swatch.y + swatch.height / 2;
    const double width = edge_width(size, range, scene.detail * scene.edge_scale);
    canvas.lines({{{swatch.x, y}, {swatch.x + swatch.width - 4, y}}}, {kInk, width, false});
    const double half = 1.1 * width + 1.4;
    canvas.polygon({{swatch.x + swatch.width, y},
                    {swatch.x + swatch.width - 2.3 * half, y - half},
                    {swatch.x + swatch.width - 2.3 * half, y + half}},
                   filled(kInk));
  };
  if (range.most <= range.least) {
    arrow(legend.entry(range.most > 0 ? (in_bytes ? "each " : "tensor of ") +
                                            size_text(range.most) + (in_bytes ? "" : " elements")
                                      : "tensor of unknown size"),
          range.most);
  } else {
    for (const double size : {range.least, std::sqrt(range.least * range.most), range.most}) {
      arrow(legend.entry(in_bytes ? "bytes" : "tensor elements", size_text(size)), size);
    }
  }
  const auto& mismatches = scene.facts.mismatches;
  if (std::any_of(mismatches.begin(), mismatches.end(), [](int edge) { return edge > 0; })) {
    const Box line = legend.entry("with adapter mismatches");
    const double y = line.y + line.height / 2;
    canvas.lines({{{line.x, y}, {line.x + line.width, y}}}, {edge_colour(1), 2, false});
    if (scene.edge_scale < kLeastScaleOfNumbers) return;
    const Box swatch = legend.entry("mismatches in h, w, c (0–3)");
    draw_badge(canvas, {{swatch.x + swatch.width / 2, swatch.y + swatch.height / 2}, 6}, "2");
  }
}

void explain_offences(Canvas& canvas, Legend& legend, const FloorplanScene& scene) {
  if (!has_offence(scene)) return;
  const Offences offences = count_offences(scene);
  legend.heading("Broken rules");
  const auto row = [&](const char* label, std::size_t count, bool hatched) {
    if (count == 0) return;
    const Box swatch = legend.entry(label, std::to_string(count));
    canvas.box(swatch, {kNoColour, {kAlarm, 1.5, false}, 0});
    if (hatched) canvas.lines(hatch(swatch, 4), {kAlarm, 1, false});
  };
  row("pairs that overlap", offences.overlaps, true);
  row("not wholly on the wafer", offences.outside, false);
  row("too much memory", offences.over_memory, false);
  row("on dead tiles", offences.on_dead, true);
  row("against a constraint", offences.misplaced, false);
  const auto unseen = [&](const char* label, std::size_t count) {
    if (count > 0) legend.fact(label, std::to_string(count), kAlarm);
  };
  unseen("… of them beyond this picture", offences.unseen);
  unseen("parameters out of range, not drawn", offences.without_size);
}

}  // namespace

void draw_floorplan_legend(Canvas& canvas, const FloorplanScene& scene, const Box& place) {
  Legend legend(canvas, place);
  explain_offences(canvas, legend, scene);
  explain_wafer(canvas, legend, scene);
  explain_kernels(canvas, legend, scene);
  if (scene.options.network && !scene.options.network->ports.empty()) {
    legend.heading("Ports");
    explain_ports(canvas, legend, scene.options.network->ports, "ports");
  }
  explain_constraints(canvas, legend, scene);
  explain_edges(canvas, legend, scene);
}

double floorplan_legend_height(const FloorplanScene& scene) {
  const double offences = has_offence(scene) ? kLegendHeading + 7 * kLegendLine : 0;
  const Problem& problem = scene.problem;
  const double dead = problem.wafer().dead.empty() ? 0 : kLegendLine;
  const double constraints = problem.constraints().empty() ? 0 : kLegendHeading + 4 * kLegendLine;
  const double network =
      scene.options.network
          ? kLegendHeading + kLegendLine * double(3 + stage_kinds(*scene.options.network).size())
          : 0;
  return offences + dead + constraints + network + 3 * kLegendHeading + 15 * kLegendLine;
}

}  // namespace waferloom::viz
