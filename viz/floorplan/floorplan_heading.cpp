#include <fmt/format.h>

#include <algorithm>

#include "model/text.h"
#include "viz/canvas/legend.h"
#include "viz/floorplan/floorplan_parts.h"
#include "viz/floorplan/stage_facts.h"

namespace waferloom::viz {
namespace {

std::string weights_text(const Problem& problem) {
  const Weights& weights = problem.weights();
  return "total = " + to_string(weights.time) + " × time + " + to_string(weights.distance) +
         " × distance + " + to_string(weights.adapter) +
         " × adapter, time in the units of the case";
}

}  // namespace

bool has_offence(const FloorplanScene& scene) {
  return std::any_of(scene.facts.kernels.begin(), scene.facts.kernels.end(),
                     [](const KernelFacts& kernel) { return kernel.offends(); });
}

void draw_floorplan_heading(Canvas& canvas, const FloorplanScene& scene, const Box& place) {
  if (scene.options.network) {
    draw_network_heading(canvas, scene, place);
    return;
  }
  const Problem& problem = scene.problem;
  const std::string source = scene.options.source.empty() ? "" : scene.options.source + " · ";
  const std::string graph = source + counted_text(problem.kernel_count(), "kernel") + ", " +
                            counted_text(problem.connections().size(), "edge");
  const bool illegal = has_offence(scene);
  std::string facts = "not scored";
  if (const auto& score = scene.facts.score) {
    const CostModel costs(problem);
    facts = fmt::format(
        "time {} units · distance {} tiles · adapter {}{}{}{}", time_text(problem, score->time),
        distance_text(problem, score->half_distance), score->adapter,
        score->adapter == 1 ? " mismatch" : " mismatches",
        score->preference == 0 ? "" : " · preference " + preference_text(score->preference),
        illegal ? "" : " · total " + total_text(costs, costs.total(*score)));
  }
  if (illegal) facts = "ILLEGAL · " + facts;
  draw_heading(canvas,
               {problem.name().empty() ? "unnamed problem" : problem.name(), facts,
                graph + " · " + weights_text(problem), illegal ? kAlarm : kInk},
               place);
}

}  // namespace waferloom::viz
