#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/system.h"

namespace waferloom::planner {

// How many samples a chip should take at once (Centimani, sections 4.2.2 and 5.1).

/// W of the objective: how much more the chip's own memory counts than those beside it.
inline constexpr double kOnChipWeight = 10;

/// A memory that is too small.
struct ShortLevel {
  std::size_t level = kSramLevel;
  double needed_bytes = 0;
  double bytes = 0;  ///< that it has
};

struct BatchCandidate {
  std::int64_t batch = 1;
  std::vector<double> level_bytes{};  ///< estimates, SRAM first
  /// 10 · (Real_on - Est_on)² + (Real_off - Est_off)², bytes²; off: all memories beside the chip's.
  double objective = 0;
  std::optional<ShortLevel> lacks{};  ///< the memory that is exceeded by most; none: it fits
};

struct BatchChoice {
  std::vector<BatchCandidate> candidates;  ///< in the order given
  std::optional<std::size_t> best{};       ///< among them
  /// Of the candidate that lacks least: "sram needs 2,000,000 bytes and has 1,000,000 with a batch
  /// of 1"; empty where one fits.
  std::string why_none(const System& system) const;
};

/// Bytes of each level, SRAM first, of a batch.
using MemoryEstimate = std::function<std::vector<double>(std::int64_t batch)>;

/// Of the candidates within every memory the one with the smallest objective; of equals the larger
/// batch. Where estimates grow with the batch that is the largest which fits. Throws
/// RequestError without candidates, or for one below 1.
BatchChoice choose_batch(const std::vector<std::int64_t>& candidates, const System& system,
                         const MemoryEstimate& estimate);

}  // namespace waferloom::planner
