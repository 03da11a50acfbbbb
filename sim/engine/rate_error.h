#pragma once

#include <cstdint>

namespace waferloom::sim {

/// How near the rates of a network are to those of its own rules. Wherever they came to rest they
/// are within `tolerance` at each junction; where the search for them was cut they may be off by
/// more: `largest_pending` tells what was on its way then, which is a sign of how much, no bound.
struct RateError {
  double tolerance = 0;        ///< relative
  std::uint64_t settles = 0;   ///< times that rates were found anew
  std::uint64_t cut = 0;       ///< of those: before all had come to rest
  double largest_pending = 0;  ///< change of a share not passed on, by the larger value, in [0, 1]

  /// Whether throughput may be off by more than 2 %: on the contest's cases it moved by up to 3 %
  /// with twenty times the patience where more than a tenth of the settles were cut, by less than
  /// 1 % elsewhere (docs/simulator.md).
  bool is_restless() const { return cut * 10 > settles; }
};

}  // namespace waferloom::sim
