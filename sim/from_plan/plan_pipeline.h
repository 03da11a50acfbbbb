#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/rectangle.h"
#include "sim/exchange_cache.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/pipeline/stage_service.h"
#include "sim/pipeline_spec.h"
#include "sim/plan_memory.h"

namespace waferloom::sim {

/// What a stage has to do with the memory behind the wafer's edge.
struct StageStream {
  std::size_t read = 0;  ///< channel
  std::size_t written = 0;
};

/// A workload as a pipeline on a wafer, stage by stage as the plan's cut has them.
struct PlannedPipeline {
  Plan plan;  ///< settled
  PlanCut cut;
  PlanMemory memory;
  std::vector<Rectangle> tiles;        ///< of a stage
  std::vector<StageService> services;  ///< of the cut's stages
  PipelineSpec spec;
  /// Channels of the stages from memory and to it, in `spec`; nothing where nothing streams.
  std::vector<std::optional<StageStream>> streams;

  /// Of a stage of the cut.
  const Rectangle& tiles_of(std::size_t stage) const { return tiles[stage % tiles.size()]; }
};

/// Whether what does not stay in SRAM takes time on its way from and to memory.
enum class MemoryModel : std::uint8_t { ignored, simulated };

/// Lays the stages of a plan on rectangles of the mesh, each of the plan's tiles, that do not
/// overlap; tensors between them move as lanes, inputs come through the ports, and of inference the
/// output leaves through them. What streams between SRAM and memory comes through the ports too, or
/// where tiles have a memory of their own keeps a stage from being faster than that is. Throws
/// RequestError, with one sentence, where that cannot be.
PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              const std::vector<Rectangle>& tiles, Contention contention,
                              MemoryModel memory_model = MemoryModel::simulated);

/// A plan whose network is cut and whose memory is known; where it lies does not matter for that.
struct CutPlan {
  PlanCut cut;
  SettledPlan settled;
};

/// Throws RequestError, with one sentence, where that cannot be.
CutPlan cut_and_settle(const Workload& workload, const Plan& plan, const Hardware& hardware);

/// The rest of plan_pipeline, on the cache's hardware, for one plan of many.
PlannedPipeline lay_out_pipeline(const Workload& workload, CutPlan cut,
                                 const std::vector<Rectangle>& tiles, ExchangeCache& exchanges,
                                 MemoryModel memory_model);

}  // namespace waferloom::sim
