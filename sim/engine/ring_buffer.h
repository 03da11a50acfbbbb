#pragma once

#include <cstddef>
#include <vector>

namespace waferloom::sim {

/// A queue of at most `capacity` items in one allocation, which the first item makes.
template <typename Item>
class RingBuffer {
 public:
  explicit RingBuffer(std::size_t capacity) : capacity_(capacity) {}
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  const Item& front() const { return items_[first_]; }
  void push(const Item& item) {
    if (items_.empty()) items_.resize(capacity_);
    items_[(first_ + size_++) % capacity_] = item;
  }
  void pop() {
    first_ = (first_ + 1) % capacity_;
    --size_;
  }

 private:
  std::size_t capacity_;
  std::vector<Item> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace waferloom::sim
