#include <algorithm>
#include <cmath>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"

namespace waferloom::planner {
namespace {

std::int64_t whole_cycles(double cycles) { return std::llround(std::ceil(cycles)); }

/// Bytes over the borders of a way, in cycles.
BorderCrossing crossing(const ServingGround& ground, const BorderWay& way, std::int64_t bytes) {
  const double latency = border_cycles(ground, way, 0);
  const double carry = border_cycles(ground, way, as_double(bytes)) - latency;
  return {whole_cycles(carry), whole_cycles(latency)};
}

/// What each move to the next region pays at borders between groups of tiles, and the way back.
void set_crossings(ResidentPass& pass, const ServingGround& ground, const RegionLayout& layout,
                   std::int64_t samples) {
  const GroupBorders& borders = ground.sites->borders();
  if (!borders.are_felt()) return;
  const std::int64_t bytes = samples * ground.model.layer.hidden * ground.fabric.element_bytes;
  if (layout.spans_groups) {
    // Where borders lie inside of regions the closed form holds.
    pass.crossings.assign(pass.regions.size() - 1,
                          {0, whole_cycles(move_cycles(ground, layout, samples))});
    return;
  }
  const auto group = [&](const Rectangle& region) { return borders.group({region.x, region.y}); };
  for (std::size_t i = 1; i < pass.regions.size(); ++i) {
    const BorderWay way = borders.way(group(pass.regions[i - 1]), group(pass.regions[i]));
    pass.crossings.push_back(crossing(ground, way, bytes));
  }
  if (layout.groups > 1) {
    pass.back = crossing(ground, layout.back, samples * ground.fabric.word_bytes);
  }
}

}  // namespace

ResidentPass resident_pass(const ResidentPlan& plan, const Workload& workload,
                           const Hardware& hardware) {
  if (workload.name != plan.workload) {
    throw RequestError("the plan is for " + plan.workload + ", not for " + workload.name);
  }
  const ServingGround ground =
      whole_ground(tile_transformer(workload, NetworkUser::serve), hardware, plan.data_type);
  const RegionLayout layout = planned_layout(ground, plan);
  const ServingLoad load{plan.prompt, plan.output, plan.requests, plan.caches, plan.at_once};
  const std::int64_t samples = samples_of(layout, load);
  const auto [layers, to_head] = decode_stack_cycles(ground, layout, load, load.context());
  ResidentPass pass;
  pass.columns = hardware.wafer.width;
  pass.rows = hardware.wafer.height;
  pass.hop_cycles = std::llround(ground.fabric.hop_cycles);
  pass.ramp_cycles = std::llround(ground.fabric.ramp_cycles);
  pass.regions = layout.places;
  pass.dead = {hardware.wafer.dead, hardware.dead_links};
  set_crossings(pass, ground, layout, samples);
  for (std::int64_t first = 0; first < ground.model.layers; first += layout.layers_each) {
    pass.cycles.push_back(whole_cycles(ground.model.sum(layers, {first, layout.layers_each})));
  }
  pass.ends_cycles = whole_cycles(
      model_ends(end_fabric(ground, layout), ground.model, samples, layout.whole).parts.total() +
      to_head);
  pass.words = words_of(ground.fabric, samples * ground.model.layer.hidden);
  pass.groups = parts_of(plan.requests, samples);
  return pass;
}

std::vector<TrustRow> resident_trust(const ResidentPlan& plan, const Workload& workload,
                                     const Hardware& hardware) {
  const std::int64_t hidden = tile_transformer(workload, NetworkUser::serve).layer.hidden;
  return trust_card(hardware, plan.data_type,
                    {{"decode", "decode", "", "",
                      reach_of({plan.region_rows, plan.region_columns}, {hidden, hidden})}},
                    workload.kept);
}

std::pair<std::int64_t, std::int64_t> widest_product(const Workload& workload) {
  const TransformerOperator layer = tile_transformer(workload, NetworkUser::serve).layer;
  const std::int64_t keys = 2 * layer.key_features();
  return {layer.hidden,
          std::max(layer.query_features() + keys, (layer.gated ? 2 : 1) * layer.feed_forward)};
}

}  // namespace waferloom::planner
