#pragma once

#include <cstddef>
#include <vector>

namespace waferloom::sim {

/// A queue of at most `capacity` items in one allocation.
template <typename Item>
class RingBuffer {
 public:
  explicit RingBuffer(std::size_t capacity) : items_(capacity) {}
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return items_.size(); }
  const Item& front() const { return items_[first_]; }
  void push(const Item& item) { items_[(first_ + size_++) % items_.size()] = item; }
  void pop() {
    first_ = (first_ + 1) % items_.size();
    --size_;
  }

 private:
  std::vector<Item> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace waferloom::sim
