#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/time.h"

namespace waferloom::sim {

/// Events in the order of their time, those of one time in the order in which they were pushed.
/// A 4-ary heap in one array: no allocation per event once the array has grown. Push and pop are
/// O(log n).
template <typename Payload>
class EventQueue {
 public:
  struct Event {
    Picoseconds time;
    std::uint64_t sequence;
    Payload payload;
  };

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// Time of the next event; kNever if there is none.
  Picoseconds next_time() const { return heap_.empty() ? kNever : heap_.front().time; }
  /// The next event, of a queue that is not empty.
  const Event& next() const { return heap_.front(); }

  void push(Picoseconds time, Payload payload) {
    heap_.push_back(Event{time, sequence_++, std::move(payload)});
    sift_up(heap_.size() - 1);
  }

  /// Takes the next event off a queue that is not empty.
  Event pop() {
    Event result = std::move(heap_.front());
    Event last = std::move(heap_.back());
    heap_.pop_back();
    if (!heap_.empty()) sift_down(std::move(last));
    return result;
  }

 private:
  static constexpr std::size_t kArity = 4;

  static bool before(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  }

  void sift_up(std::size_t at) {
    Event event = std::move(heap_[at]);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!before(event, heap_[parent])) break;
      heap_[at] = std::move(heap_[parent]);
      at = parent;
    }
    heap_[at] = std::move(event);
  }

  /// Puts `event` where the root was taken away.
  void sift_down(Event event) {
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = kArity * at + 1;
      if (first >= heap_.size()) break;
      std::size_t least = first;
      for (std::size_t i = first + 1; i < heap_.size() && i < first + kArity; ++i) {
        if (before(heap_[i], heap_[least])) least = i;
      }
      if (!before(heap_[least], event)) break;
      heap_[at] = std::move(heap_[least]);
      at = least;
    }
    heap_[at] = std::move(event);
  }

  std::vector<Event> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace waferloom::sim
