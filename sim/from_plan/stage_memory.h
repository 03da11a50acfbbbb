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

inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
/// A sum of bytes. Throws RequestError beyond kMostBytes.
std::int64_t bounded_bytes(Int128 bytes);

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
  std::int64_t activations = 0;  ///< of the micro-batches in flight
  std::int64_t working = 0;      ///< what the largest operator works on besides
  std::int64_t in_flight = 0;    ///< micro-batches between forward and backward at once
  SramUse use = SramUse::resident;
  std::vector<OperatorMemory> operators;
  MemoryTraffic forward;   ///< of a micro-batch
  MemoryTraffic backward;  ///< likewise
  MemoryTraffic update;    ///< once a batch

  std::int64_t total() const {
    return weights + gradients + optimizer_states + activations + working;
  }
};

/// The memory of a stage, with the part's own plan, `recompute` definite: weights and gradients of
/// element_bytes, Adam's states of 12 bytes a parameter, divided among replicas as ZeRO has it, and
/// the activations of so many micro-batches. What stays in SRAM decides what moves between it and
/// the memory behind it. Throws RequestError beyond 2^60 bytes. O(operators).
StageMemory stage_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                         const StageWork& work, std::int64_t in_flight);

}  // namespace waferloom::sim
