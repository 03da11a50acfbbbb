#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/rectangle.h"
#include "sim/exchange_cache.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/from_plan/stage_service.h"
#include "sim/pipeline_spec.h"
#include "sim/plan_memory.h"

namespace waferloom::sim {

/// The channels between a stage and the memory behind the wafer's edge.
struct StageStream {
  std::size_t read = 0;  ///< index of the channel
  std::size_t written = 0;
};

/// A workload as a pipeline on a wafer, with the stages of the plan's cut.
struct PlannedPipeline {
  Plan plan;  ///< settled
  PlanCut cut;
  PlanMemory memory;
  std::vector<Rectangle> tiles;        ///< by stage of the plan
  std::vector<StageService> services;  ///< by stage of the cut
  PipelineSpec spec;
  /// By stage: its channels in `spec` from and to memory; nothing if it does not stream.
  std::vector<std::optional<StageStream>> streams;

  /// The tiles of a stage of the cut.
  const Rectangle& tiles_of(std::size_t stage) const { return tiles[stage % tiles.size()]; }
};

/// Whether streams between SRAM and memory take time.
enum class MemoryModel : std::uint8_t { ignored, simulated };

/// Lays the stages of a plan on rectangles of the mesh. The rectangles must not overlap, and each
/// has as many tiles as the plan gives the stage. Tensors between stages move on lanes. Inputs come
/// through the ports; in inference the output leaves through them. Streams between SRAM and memory
/// go through the ports too. If tiles have memories of their own, the streams stay there, and a
/// stage takes at least the time of its streams. Throws RequestError, with one sentence, if the
/// plan cannot be laid out so; RunCut.
PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              const std::vector<Rectangle>& tiles, Contention contention,
                              MemoryModel memory_model = MemoryModel::simulated,
                              const RunControl& control = {});

/// A plan with its cut and its memory. They do not depend on the places of stages.
struct CutPlan {
  PlanCut cut;
  SettledPlan settled;
};

/// Throws RequestError, with one sentence, if the plan cannot be cut so.
CutPlan cut_and_settle(const Workload& workload, const Plan& plan, const Hardware& hardware);

/// The rest of plan_pipeline, on the hardware of the cache. Many plans can share the cache.
PlannedPipeline lay_out_pipeline(const Workload& workload, CutPlan cut,
                                 const std::vector<Rectangle>& tiles, ExchangeCache& exchanges,
                                 MemoryModel memory_model);

}  // namespace waferloom::sim
