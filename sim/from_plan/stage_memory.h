#pragma once

#include <cstdint>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {

inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
/// A sum of bytes. Throws RequestError beyond kMostBytes.
std::int64_t bounded_bytes(Int128 bytes);

/// The memory of a stage. `plan` is the part's own plan (of_part), and its `recompute` is not
/// if_needed. Weights and gradients have element_bytes; Adam keeps 12 bytes a parameter; ZeRO
/// divides them among replicas. Activations are those of `in_flight` micro-batches. What stays in
/// SRAM decides what moves between SRAM and memory. Throws RequestError beyond 2^60 bytes.
/// O(operators) but for short tests of each pair.
StageMemory stage_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                         const StageWork& work, std::int64_t in_flight);

}  // namespace waferloom::sim
