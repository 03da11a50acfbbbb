#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// Listens to a running pipeline.
class PipelineObserver {
 public:
  virtual ~PipelineObserver() = default;
  /// A stage begins to work on a sample, until `end`.
  virtual void on_task(std::size_t stage, bool backward, std::int64_t sample, Picoseconds begin,
                       Picoseconds end) = 0;
  /// A sample's tensor went through a channel, or its gradient back.
  virtual void on_shipment(std::size_t channel, bool backward, std::int64_t sample,
                           Picoseconds begin, Picoseconds end) = 0;
};

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

/// Writes what a pipeline does as it happens, in Google's Trace Event Format (JSON), which
/// chrome://tracing and Perfetto read: of each stage a track with its tasks, of each channel one
/// with its shipments, which may overlap. Times are microseconds with six decimals, so exact to the
/// picosecond.
class ChromeTrace : public PipelineObserver {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// Text goes to `sink` in pieces. `spec` has to live longer. Events beyond `most` are counted and
  /// left out. `unit` is the key of the number of what passes: "sample", "micro_batch".
  ChromeTrace(const PipelineSpec& spec, Sink sink, std::int64_t most, std::string unit = "sample");

  void on_task(std::size_t stage, bool backward, std::int64_t sample, Picoseconds begin,
               Picoseconds end) override;
  void on_shipment(std::size_t channel, bool backward, std::int64_t sample, Picoseconds begin,
                   Picoseconds end) override;
  /// Ends the text; nothing may follow.
  void finish();

  std::int64_t left_out() const { return left_out_; }

 private:
  /// Whether there is room for so many more events.
  bool has_room(std::int64_t count);
  void name_track(int process, std::size_t track, const std::string& name);
  void append_event(const std::string& text);
  void flush();

  const PipelineSpec& spec_;
  Sink sink_;
  std::int64_t most_;
  std::string unit_;
  std::int64_t written_ = 0;
  std::int64_t left_out_ = 0;
  std::int64_t next_shipment_ = 0;
  bool is_first_ = true;
  std::string buffer_;
};

}  // namespace waferloom::sim
