#pragma once

#include <array>
#include <cstddef>

#include "sim/time.h"

namespace waferloom::sim {

/// The last few of many times, in the order of their coming.
class RecentTimes {
 public:
  static constexpr std::size_t kKept = 32;

  void push(Picoseconds time) { times_[count_++ % kKept] = time; }
  /// How many came so far.
  std::size_t count() const { return count_; }
  /// The last one for 0, the one before it for 1, … up to kKept − 1 and below count().
  Picoseconds back(std::size_t before = 0) const { return times_[(count_ - 1 - before) % kKept]; }

 private:
  std::array<Picoseconds, kKept> times_{};
  std::size_t count_ = 0;
};

}  // namespace waferloom::sim
