#include "viz/floorplan/stage_facts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/placement.h"
#include "model/report.h"
#include "model/text.h"
#include "viz/canvas/legend.h"

namespace waferloom::viz {
namespace {

/// Tints that stay apart from one another and from ink, for every common kind of colour vision.
constexpr std::array<Colour, 7> kKinds{{{168, 211, 240},
                                        {249, 213, 138},
                                        {113, 190, 170},
                                        {214, 184, 216},
                                        {240, 178, 150},
                                        {205, 214, 130},
                                        {150, 160, 214}}};
constexpr Colour kOtherKind{206, 210, 216};

}  // namespace

std::vector<std::pair<std::string, std::size_t>> stage_kinds(const NetworkStages& network) {
  std::vector<std::pair<std::string, std::size_t>> kinds;
  for (const NetworkStages::Stage& stage : network.stages) {
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& kind) { return kind.first == stage.kind; });
    if (known == kinds.end()) {
      kinds.emplace_back(stage.kind, 1);
    } else {
      ++known->second;
    }
  }
  return kinds;
}

Colour kind_colour(std::size_t nth) { return nth < kKinds.size() ? kKinds[nth] : kOtherKind; }

std::vector<Colour> stage_colours(const NetworkStages& network) {
  const auto kinds = stage_kinds(network);
  std::vector<Colour> colours;
  for (const NetworkStages::Stage& stage : network.stages) {
    const auto own = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const auto& kind) { return kind.first == stage.kind; });
    colours.push_back(kind_colour(static_cast<std::size_t>(own - kinds.begin())));
  }
  return colours;
}

double stage_seconds(const FloorplanScene& scene, KernelIndex stage) {
  return static_cast<double>(scene.facts.kernels[stage].time) /
         static_cast<double>(scene.problem.time_denominator()) * scene.options.network->time_unit_s;
}

void draw_network_heading(Canvas& canvas, const FloorplanScene& scene, const Box& place) {
  const NetworkStages& network = *scene.options.network;
  const bool illegal = has_offence(scene);
  KernelIndex longest = 0;
  for (KernelIndex i = 0; i < scene.facts.kernels.size(); ++i) {
    if (scene.facts.kernels[i].time > scene.facts.kernels[longest].time) longest = i;
  }
  std::string facts = std::string(illegal ? "ILLEGAL · " : "") + "longest stage " +
                      scene.problem.kernels()[longest].name + ": " +
                      seconds_text(stage_seconds(scene, longest), kFactDigits) + " a micro-batch";
  if (scene.facts.score && !scene.problem.connections().empty()) {
    facts += " · distance " + distance_text(scene.problem, scene.facts.score->half_distance) +
             " tiles, tensors weighed by their bytes";
  }
  const std::string source = scene.options.source.empty() ? "" : scene.options.source + " · ";
  draw_heading(canvas,
               {network.network + " on " + network.hardware, facts,
                source + counted_text(scene.problem.kernel_count(), "stage") + ", " +
                    counted_text(scene.problem.connections().size(), "tensor") +
                    " between them · the time of a stage: forward, backward and exchanges, or "
                    "streams from and to memory if these take longer",
                illegal ? kAlarm : kInk},
               place);
}

}  // namespace waferloom::viz
