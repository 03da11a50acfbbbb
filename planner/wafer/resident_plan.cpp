#include <algorithm>
#include <cmath>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/tile_operators.h"
#include "planner/wafer/serving_layouts.h"

namespace waferloom::planner {
namespace {

/// The regions of a block, row by row, every other row backwards, so that each meets the next.
std::vector<Rectangle> regions_of(const RegionLayout& layout) {
  std::vector<Rectangle> regions;
  const std::int64_t across = layout.whole.columns / layout.region.columns;
  for (std::int64_t i = 0; i < layout.regions; ++i) {
    const std::int64_t row = i / across;
    const std::int64_t place = i % across;
    const std::int64_t column = row % 2 == 0 ? place : across - 1 - place;
    regions.push_back({column * layout.region.columns, row * layout.region.rows,
                       layout.region.columns, layout.region.rows});
  }
  return regions;
}

std::int64_t whole_cycles(double cycles) { return std::llround(std::ceil(cycles)); }

}  // namespace

ResidentPass resident_pass(const ResidentPlan& plan, const Workload& workload,
                           const Hardware& hardware) {
  if (workload.name != plan.workload) {
    throw RequestError("the plan is for " + plan.workload + ", not for " + workload.name);
  }
  const ServingGround ground{tile_transformer(workload), hardware,
                             tile_fabric(hardware, plan.data_type), hardware.wafer.height,
                             hardware.wafer.width};
  const auto layout = region_layout(ground, TileGrid{plan.region_rows, plan.region_columns});
  if (!layout || layout->regions != plan.regions) {
    throw RequestError(hardware.name + " does not have the plan's " + std::to_string(plan.regions) +
                       " regions");
  }
  const ServingLoad load{plan.prompt, plan.output, plan.requests, plan.caches};
  const std::int64_t samples = samples_of(*layout, plan.requests);
  const auto [layer, to_head] = decode_layer_cycles(ground, *layout, load, load.context());
  ResidentPass pass;
  pass.columns = hardware.wafer.width;
  pass.rows = hardware.wafer.height;
  pass.hop_cycles = std::llround(ground.fabric.hop_cycles);
  pass.ramp_cycles = std::llround(ground.fabric.ramp_cycles);
  pass.regions = regions_of(*layout);
  for (std::int64_t left = ground.model.layers; left > 0; left -= layout->layers_each) {
    pass.cycles.push_back(whole_cycles(as_double(std::min(left, layout->layers_each)) * layer));
  }
  pass.ends_cycles = whole_cycles(
      model_ends(ground.fabric, ground.model, samples, layout->whole).parts.total() + to_head);
  pass.words = words_of(ground.fabric, samples * ground.model.layer.hidden);
  pass.groups = parts_of(plan.requests, samples);
  return pass;
}

std::pair<std::int64_t, std::int64_t> widest_product(const Workload& workload) {
  const TransformerOperator layer = tile_transformer(workload).layer;
  const std::int64_t keys = 2 * (layer.hidden / layer.heads) * layer.key_value_heads;
  return {layer.hidden, std::max(layer.hidden + keys, (layer.gated ? 2 : 1) * layer.feed_forward)};
}

}  // namespace waferloom::planner
