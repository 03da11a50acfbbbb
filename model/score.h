#pragma once

#include <cstdint>
#include <string>

#include "kernels/int128.h"
#include "model/placement.h"
#include "model/problem.h"

namespace waferloom {

/// The three quantities that a placement is judged by, exact.
struct Score {
  std::int64_t time = 0;           ///< slowest kernel, in units of 1/Problem::time_denominator()
  std::int64_t half_distance = 0;  ///< Σ edges L1 distance between centres, in half tiles
  std::int64_t adapter = 0;        ///< Σ edges mismatches among (h, w, c)
  bool operator==(const Score&) const = default;
};

/// Largest Score::half_distance; no placement near its wafer comes close.
inline constexpr std::int64_t kMaxHalfDistance = std::int64_t{1} << 62;

/// Judges a placement, legal or not; every execution must be within_limits. O(n + m). Throws
/// std::overflow_error above kMaxHalfDistance, which only a placement far off its wafer reaches.
Score score(const Problem& problem, const Placement& placement);

/// L1 distance between the centres of two rectangles, in half tiles.
std::int64_t half_distance(const Rectangle& a, const Rectangle& b);

/// The weighted objective of a problem in exact integer units: a total is counted in units of
/// 1/scale(), scale = lcm(time_denominator, 2)·10⁶. The only place where cost is composed.
/// total() is exact for placements on the wafer (Problem bounds it below 2^120); those far off it
/// are illegal and have no total.
class CostModel {
 public:
  explicit CostModel(const Problem& problem);

  Int128 total(const Score& score) const {
    return Int128(score.time) * per_time_ + Int128(score.half_distance) * per_half_distance_ +
           Int128(score.adapter) * per_adapter_;
  }
  Int128 scale() const { return scale_; }
  Int128 per_time() const { return per_time_; }
  Int128 per_half_distance() const { return per_half_distance_; }
  Int128 per_adapter() const { return per_adapter_; }

 private:
  Int128 scale_ = 1;
  Int128 per_time_ = 0;
  Int128 per_half_distance_ = 0;
  Int128 per_adapter_ = 0;
};

/// Exact texts of the parts of a score in the contest's units.
std::string time_text(const Problem& problem, std::int64_t time);
std::string distance_text(std::int64_t half_distance);
std::string total_text(const CostModel& costs, Int128 total);

}  // namespace waferloom
