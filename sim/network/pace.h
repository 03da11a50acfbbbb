#pragma once

#include <algorithm>

#include "sim/time.h"

namespace waferloom::sim {

/// When a link begins its flits, of which each takes it `flit_time`. A flit that comes while the
/// one before is on its way waits in a register in front of the link, which holds one. So a link
/// slower than the routers' clock stays busy even if its router has other things to do in the cycle
/// in which it gets free. Times are in picoseconds.
class Pace {
 public:
  explicit Pace(Picoseconds flit_time) : flit_time_(flit_time) {}

  /// Whether the register is free.
  bool accepts(Picoseconds now) const { return free_at_ < now + flit_time_; }
  /// Takes a flit, and answers when the link begins it; accepts(now).
  Picoseconds take(Picoseconds now) {
    const Picoseconds begin = std::max(now, free_at_);
    free_at_ = begin + flit_time_;
    return begin;
  }

 private:
  Picoseconds flit_time_;
  Picoseconds free_at_ = 0;
};

}  // namespace waferloom::sim
