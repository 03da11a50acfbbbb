#pragma once

#include <algorithm>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/network/network.h"

namespace waferloom::sim {

/// Transfers whose last byte is on its way.
class Arrivals {
 public:
  void push(Picoseconds time, TransferId id) { queue_.push(time, id); }
  Picoseconds next_time() const { return queue_.next_time(); }
  /// Appends those that have arrived by `now`, in the order of ids, and answers how many.
  std::size_t take(Picoseconds now, std::vector<TransferId>& arrived) {
    const std::size_t before = arrived.size();
    while (queue_.next_time() <= now) arrived.push_back(queue_.pop().payload);
    std::sort(arrived.begin() + static_cast<std::ptrdiff_t>(before), arrived.end());
    return arrived.size() - before;
  }

 private:
  EventQueue<TransferId> queue_;
};

}  // namespace waferloom::sim
