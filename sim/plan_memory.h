#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/plan_cut.h"

namespace waferloom {

/// What of a stage stays in its tiles' SRAM from micro-batch to micro-batch (PALM, Algorithm 1 and
/// the text before it), or of an operator while it is worked on.
enum class SramUse : std::uint8_t {
  resident,           ///< all of it
  activation_stream,  ///< weights, gradients and optimizer states; activations stream
  weight_stream,      ///< activations; weights and what belongs to them stream
  weight_stationary,  ///< nothing: of an operator weights are read once, its input several times
  input_stationary,   ///< nothing: the other way round
};
std::string_view sram_use_name(SramUse use);  ///< "resident", "activation stream", …

/// Bytes between a stage's tiles and the memory behind them.
struct MemoryTraffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
};

struct OperatorMemory {
  std::size_t index = 0;  ///< of the workload
  SramUse use = SramUse::resident;
  MemoryTraffic forward;   ///< of a micro-batch
  MemoryTraffic backward;  ///< likewise, what is computed again included
};

/// Bytes of all tiles of a stage together, all replicas included.
struct StageMemory {
  std::int64_t weights = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer_states = 0;
  std::int64_t activations = 0;  ///< where it is most: in flight, and what backward works on
  std::int64_t in_flight = 0;    ///< micro-batches between forward and backward at once
  SramUse use = SramUse::resident;
  std::vector<OperatorMemory> operators;
  MemoryTraffic forward;   ///< of a micro-batch
  MemoryTraffic backward;  ///< likewise
  MemoryTraffic update;    ///< once a batch

  std::int64_t total() const { return weights + gradients + optimizer_states + activations; }
};

/// Where a plan's data lie for good.
enum class MemoryHome : std::uint8_t {
  unknown,  ///< the hardware says nothing of any memory
  sram,     ///< there is nothing behind it
  tile,     ///< a memory that each tile has of its own
  edge,     ///< behind the ports of the wafer's edge, for all stages together
};
std::string_view home_name(MemoryHome home);  ///< "unknown", "SRAM", "tile memory", "edge memory"

/// What the stages of a plan need to remember, and whether there is room for it.
struct PlanMemory {
  std::vector<StageMemory> stages;  ///< of the cut; interleaved several have the same tiles
  MemoryHome home = MemoryHome::unknown;
  std::optional<std::int64_t> capacity;  ///< of a tile, or of all behind the edge
  /// Bytes of every stage's tiles or, behind the edge, of all together alone.
  std::vector<std::int64_t> needs;
  std::vector<std::int64_t> tiles;  ///< by stage
  std::vector<bool> fits;           ///< likewise
  bool fits_all() const;
  /// "stage s0 needs 12 GB of SRAM and has 1 GB"; empty if it fits.
  std::string complaint() const;
};

/// "1.5 GB": with a decimal, rounded down.
std::string bytes_text(std::int64_t bytes);

/// The memory of a plan with definite recompute: weights and gradients of element_bytes, Adam's
/// states of 12 bytes a parameter, divided among replicas as ZeRO has it, and the activations of
/// the micro-batches in flight. Throws std::invalid_argument beyond 2^60 bytes.
/// O(operators).
PlanMemory plan_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       const PlanCut& cut);

/// The plan with Recompute::if_needed decided: the first of none, selective and full that fits,
/// full if none does.
Plan settled_plan(const Workload& workload, const Plan& plan, const Hardware& hardware,
                  const PlanCut& cut);

}  // namespace waferloom
