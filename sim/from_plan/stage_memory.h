#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/from_plan/plan_cut.h"

namespace waferloom::sim {

/// What stays in the SRAM of a stage's tiles between micro-batches (PALM, Algorithm 1 and the text
/// before it). The last two values also say what stays while the stage works on an operator.
enum class SramUse : std::uint8_t {
  resident,           ///< all stays
  activation_stream,  ///< weights, gradients and optimizer states stay; activations stream
  weight_stream,      ///< activations stay; weights, gradients and optimizer states stream
  weight_stationary,  ///< nothing stays; an operator reads weights once, its input several times
  input_stationary,   ///< nothing stays; an operator reads its input once, weights several times
};
std::string_view sram_use_name(SramUse use);  ///< "resident", "activation stream", …

inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
/// A sum of bytes. Throws RequestError beyond kMostBytes.
std::int64_t bounded_bytes(Int128 bytes);

/// Bytes between a stage's tiles and the memory behind them.
struct MemoryTraffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
};

struct OperatorMemory {
  std::size_t index = 0;  ///< of the workload's operator
  SramUse use = SramUse::resident;
  MemoryTraffic forward;   ///< of a micro-batch
  MemoryTraffic backward;  ///< of a micro-batch, with recomputation
};

/// Bytes of all tiles of a stage together, all replicas included.
struct StageMemory {
  std::int64_t weights = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer_states = 0;
  std::int64_t activations = 0;  ///< of the micro-batches in flight
  std::int64_t working = 0;      ///< the most that an operator needs besides while it runs
  std::int64_t in_flight = 0;    ///< the most micro-batches between forward and backward
  SramUse use = SramUse::resident;
  std::vector<OperatorMemory> operators;
  MemoryTraffic forward;   ///< of a micro-batch
  MemoryTraffic backward;  ///< of a micro-batch
  MemoryTraffic update;    ///< of a batch

  std::int64_t total() const {
    return weights + gradients + optimizer_states + activations + working;
  }
};

/// The memory of a stage. `plan` is the part's own plan (of_part), and its `recompute` is not
/// if_needed. Weights and gradients have element_bytes; Adam keeps 12 bytes a parameter; ZeRO
/// divides them among replicas. Activations are those of `in_flight` micro-batches. What stays in
/// SRAM decides what moves between SRAM and memory. Throws RequestError beyond 2^60 bytes.
/// O(operators) but for short tests of each pair.
StageMemory stage_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                         const StageWork& work, std::int64_t in_flight);

}  // namespace waferloom::sim
