#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/from_plan/stage_memory.h"

namespace waferloom::sim {

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
  std::size_t lost_ports = 0;       ///< behind the edge: that do not count, on lost tiles
  std::vector<std::int64_t> tiles;  ///< by stage
  std::vector<bool> fits;           ///< by stage: whether there is room; behind the edge all alike
  bool fits_all() const;
  /// "stage s0 needs 12 GB of SRAM, its 4 tiles have 1 GB"; empty if it fits.
  std::string complaint() const;
};

/// The memory of a plan with definite recompute. The parts of an interleaved schedule are taken
/// where their activations together are most, and work on one operator at a time. Throws
/// RequestError beyond 2^60 bytes. O(operators + turns).
PlanMemory plan_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       const PlanCut& cut);

/// A plan with Recompute::if_needed decided, and its memory.
struct SettledPlan {
  Plan plan;
  PlanMemory memory;
};

/// Decides for the first of none, selective and full that fits, for full if none does. Throws as
/// plan_memory does.
SettledPlan settled_plan(const Workload& workload, const Plan& plan, const Hardware& hardware,
                         const PlanCut& cut);

}  // namespace waferloom::sim
