#include <algorithm>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "planner/dfmodel/systems/sharding.h"
#include "planner/serving.h"

namespace waferloom::planner {
namespace {

/// A layer's kernels of one chip of a group.
struct SharedLayer {
  std::int64_t tensor = 1;
  DataflowGraph graph;
};

std::vector<SharedLayer> shared_layers(const TransformerOperator& layer, const AreaStudy& study,
                                       const KeptNumbers& kept) {
  const DataflowGraph whole = transformer_graph(layer, {.weights = kept.weights});
  std::vector<SharedLayer> layers;
  for (const std::int64_t tensor : study.tensors) {
    const ShardingResult found = best_sharding(whole, {tensor, {}, 0});
    layers.push_back({tensor, shard(whole, found.kernels, tensor)});
  }
  return layers;
}

AreaPoint group_point(const SharedLayer& layer, const AreaStudy& study, const ChipRates& rates) {
  AreaPoint point;
  point.tensor = layer.tensor;
  const FoundMapping found = best_mapping(MappingProblem(layer.graph, rates));
  point.partitions = found.partitions.size();
  if (found.partitions.empty()) return point;
  point.layer_s = found.cost.total_s;
  point.flop_per_s = found.cost.flop / found.cost.total_s * static_cast<double>(study.chips);
  const auto longest =
      std::max_element(found.cost.partitions.begin(), found.cost.partitions.end(),
                       [](const auto& a, const auto& b) { return a.total_s() < b.total_s(); });
  point.bound = partition_bound_name(longest->bound());
  return point;
}

AreaPoint area_point(const std::vector<SharedLayer>& layers, const AreaStudy& study,
                     const StackedMemory& memory, double share) {
  const auto units = static_cast<double>(study.units);
  ChipRates rates;
  rates.flop_per_s = share * units * study.unit_flop_per_s * study.utilisation;
  rates.element_flop_per_s = rates.flop_per_s;
  rates.sram_bytes = (1 - share) * units * study.unit_sram_bytes;
  rates.dram_bytes_per_s = memory.bytes_per_s;
  AreaPoint best;
  for (const SharedLayer& layer : layers) {
    AreaPoint point = group_point(layer, study, rates);
    if (point.flop_per_s > best.flop_per_s) best = std::move(point);
  }
  best.share = share;
  return best;
}

}  // namespace

AreaStudy paper_area_study(const System& system) {
  if (system.chip.cores < 1) {
    throw RequestError("the study needs chip.cores of " + system.name);
  }
  const auto cores = static_cast<double>(system.chip.cores);
  AreaStudy study;
  study.units = 2 * system.chip.cores;
  study.unit_flop_per_s = system.chip.flop_per_s / cores;
  study.unit_sram_bytes = system.chip.sram_bytes / cores;
  study.utilisation = system.chip.reached().limit;
  constexpr int kFirst = 4;  // twentieths
  constexpr int kLast = 16;
  for (int i = kFirst; i <= kLast; ++i) study.compute_shares.push_back(i / 20.0);
  study.memories = {{"2D DDR", 100e9}, {"2.5D HBM", 1e12}, {"3D", 100e12}};
  return study;
}

std::vector<AreaCurve> study_area(const TransformerOperator& layer, const AreaStudy& study,
                                  const KeptNumbers& kept) {
  const std::vector<SharedLayer> layers = shared_layers(layer, study, kept);
  std::vector<AreaCurve> curves;
  for (const StackedMemory& memory : study.memories) {
    AreaCurve curve{memory, {}, 0};
    for (const double share : study.compute_shares) {
      curve.points.push_back(area_point(layers, study, memory, share));
      if (curve.points.back().flop_per_s > curve.points[curve.best].flop_per_s) {
        curve.best = curve.points.size() - 1;
      }
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace waferloom::planner
