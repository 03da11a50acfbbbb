#pragma once

#include <cstdint>
#include <string>

#include "kernels/int128.h"
#include "model/placement.h"
#include "model/problem.h"

namespace waferloom {

/// The quantities that a placement is judged by, exact.
struct Score {
  std::int64_t time = 0;  ///< slowest kernel, in units of 1/Problem::time_denominator()
  /// Σ edges weight · L1 distance between centres, in units of half tiles and
  /// 1/Problem::distance_denominator(): half tiles where all weights are whole.
  std::int64_t half_distance = 0;
  std::int64_t adapter = 0;  ///< Σ edges mismatches among (h, w, c)
  /// Σ preferred regions and their kernels, weight · L1 distance from the kernel's centre, in units
  /// of 1/(2·10⁶) of the cost. 0 without constraints.
  std::int64_t preference = 0;
  bool operator==(const Score&) const = default;
};

/// Largest Score::half_distance and Score::preference; Problem sees to it that placements on the
/// wafer stay below.
inline constexpr std::int64_t kMaxHalfDistance = std::int64_t{1} << 62;

/// Judges a placement, legal or not; every execution must be within_limits. O(n + m + region
/// kernels). Throws std::overflow_error above kMaxHalfDistance, which only a placement far off its
/// wafer reaches.
Score score(const Problem& problem, const Placement& placement);

/// L1 distance between the centres of two rectangles, in half tiles.
std::int64_t half_distance(const Rectangle& a, const Rectangle& b);

/// The weighted objective of a problem in exact integer units: a total is counted in units of
/// 1/scale(), scale = lcm(time_denominator, 2)·distance_denominator·10⁶. The only place where cost
/// is composed.
/// total() is exact for placements on the wafer (Problem bounds it below 2^120); those far off it
/// are illegal and have no total.
class CostModel {
 public:
  explicit CostModel(const Problem& problem);

  Int128 total(const Score& score) const {
    return Int128(score.time) * per_time_ + Int128(score.half_distance) * per_half_distance_ +
           Int128(score.adapter) * per_adapter_ + Int128(score.preference) * per_preference_;
  }
  Int128 scale() const { return scale_; }
  Int128 per_time() const { return per_time_; }
  /// Cost of one unit of Score::half_distance.
  Int128 per_half_distance() const { return per_half_distance_; }
  /// Cost of half a tile of one edge's length: the above times its weight's units.
  Int128 per_half_distance(const Connection& edge) const {
    return per_half_distance_ * (edge.weight.millionths / distance_unit_);
  }
  Int128 per_adapter() const { return per_adapter_; }
  /// Cost of half a tile between a kernel and a region that it prefers.
  Int128 per_half_distance(const Region& region) const {
    return per_preference_ * region.weight.millionths;
  }

 private:
  Int128 scale_ = 1;
  Int128 per_time_ = 0;
  Int128 per_half_distance_ = 0;
  Int128 per_adapter_ = 0;
  Int128 per_preference_ = 0;
  std::int64_t distance_unit_ = Decimal6::kOne;  ///< millionths of weight in a unit
};

/// Exact texts of the parts of a score in the contest's units.
std::string time_text(const Problem& problem, std::int64_t time);
std::string distance_text(const Problem& problem, std::int64_t half_distance);
std::string preference_text(std::int64_t preference);
/// Of plain half tiles.
std::string distance_text(std::int64_t half_tiles);
std::string total_text(const CostModel& costs, Int128 total);

}  // namespace waferloom
