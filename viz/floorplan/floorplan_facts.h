#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"

namespace waferloom::viz {

/// What a floorplan has to say of one kernel.
struct KernelFacts {
  /// Nothing if its execution parameters are out of range: it has no size then.
  std::optional<Rectangle> tiles;
  std::int64_t time = 0;          ///< in units of 1/time_denominator; 0 without tiles
  std::int64_t memory_words = 0;  ///< 0 without tiles
  bool outside = false;           ///< not wholly on the wafer
  bool overlaps = false;
  bool over_memory = false;
  bool on_dead = false;    ///< covers dead tiles
  bool misplaced = false;  ///< not where a constraint asks it to be
  bool fixed = false;      ///< its place is given by a constraint
  bool is_input = false;   ///< touches a network input
  bool is_output = false;  ///< touches a network output
  bool offends() const {
    return !tiles || outside || overlaps || over_memory || on_dead || misplaced;
  }
};

/// What a floorplan has to say of a placement. Pictures only: the judge is model/verify.
struct FloorplanFacts {
  std::vector<KernelFacts> kernels;
  std::vector<Rectangle> shared;  ///< tiles of overlapping pairs, and of kernels and dead
                                  ///< rectangles, the first kMostShared of both
  std::size_t overlap_count = 0;  ///< pairs
  std::int64_t covered = 0;       ///< tiles of the wafer under at least one kernel
  std::int64_t slowest = 0;       ///< largest time
  std::int64_t fastest = 0;       ///< smallest time
  /// Adapter mismatches of each connection, 0 where one of its kernels has no size.
  std::vector<int> mismatches;
  /// Nothing if some kernel has no size or no sane position, or if the score is out of range.
  std::optional<Score> score;
};
inline constexpr std::size_t kMostShared = 2'000;

FloorplanFacts inspect(const Problem& problem, const Placement& placement);

}  // namespace waferloom::viz
