#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/pipeline/pipeline.h"

namespace waferloom::sim {

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
