#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/hardware.h"
#include "planner/centimani.h"

namespace waferloom::planner {

// How many samples a chip should take at once (Centimani, sections 4.2.2 and 5.1).

/// W of the objective: how much more the chip's own memory counts than those beside it.
inline constexpr double kOnChipWeight = 10;

/// Bytes of each level, SRAM first, of a batch.
using MemoryEstimate = std::function<std::vector<double>(std::int64_t batch)>;

/// Of the candidates within every memory the one with the smallest objective; of equals the larger
/// batch. Where estimates grow with the batch that is the largest which fits. Throws
/// RequestError without candidates, or for one below 1.
BatchChoice choose_batch(const std::vector<std::int64_t>& candidates, const System& system,
                         const MemoryEstimate& estimate);

}  // namespace waferloom::planner
