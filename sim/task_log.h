#pragma once

#include <cstdint>
#include <vector>

#include "sim/pipeline/pipeline.h"

namespace waferloom::sim {

/// Remembers the first tasks of every stage, in the order of their begins.
class TaskLog : public PipelineObserver {
 public:
  struct Task {
    std::size_t stage = 0;
    bool backward = false;
    std::int64_t sample = 0;
    Picoseconds begin = 0;
    Picoseconds end = 0;
  };

  /// Of all stages together at most so many.
  explicit TaskLog(std::size_t most) : most_(most) {}

  void on_task(std::size_t stage, bool backward, std::int64_t sample, Picoseconds begin,
               Picoseconds end) override {
    if (tasks_.size() < most_) tasks_.push_back({stage, backward, sample, begin, end});
  }
  void on_shipment(std::size_t, bool, std::int64_t, Picoseconds, Picoseconds) override {}

  const std::vector<Task>& tasks() const { return tasks_; }
  bool is_full() const { return tasks_.size() == most_; }

 private:
  std::size_t most_;
  std::vector<Task> tasks_;
};

}  // namespace waferloom::sim
