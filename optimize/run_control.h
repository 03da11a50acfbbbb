#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace waferloom::optimize {

using Clock = std::chrono::steady_clock;

/// How much a search may do, what stops it, and who hears how far it is.
struct RunControl {
  Clock::time_point start = Clock::now();  ///< the time limit counts from here
  std::optional<std::chrono::microseconds> time_limit{};
  std::uint64_t seed = 1;
  int effort = 5;             ///< 1 to 9
  bool effort_given = false;  ///< else a time limit rules alone
  int threads = 1;
  /// True ends the search with the best so far; a search sets it when a callback throws.
  std::atomic<bool>* stop = nullptr;
  /// Told what goes on, and with what; from any thread.
  std::function<void(const std::string& text, const std::string& name)> on_progress{};
  /// Of a part of a run under a time limit: when the whole run has to end.
  std::optional<Clock::time_point> whole_ends{};

  /// When the run has to end; nothing without a time limit.
  std::optional<Clock::time_point> deadline() const;
  bool effort_limits() const { return effort_given || !time_limit; }
  bool interrupted() const;
  /// Whether the stop flag is up, or the time limit is over or will be after a step of so long.
  bool is_cut(Clock::duration step = Clock::duration{0}) const;
  /// Whether a step that may take so long can be begun: the stop flag is down, and the whole run,
  /// of which this may be a part that is over, has more time left than that.
  bool has_time_for(Clock::duration step) const;
  void tell(const std::string& text, const std::string& name) const;
  /// "interrupted", "time_limit", or `otherwise` where neither cut the run.
  std::string ended_by(const std::string& otherwise) const;
  /// The same run with a part of its time limit, from its start on.
  RunControl within(double share) const;
  /// For the first of `left` searches that are still to come: so many steps less effort, and of a
  /// time limit an even part of half of what is left, from now on.
  RunControl part(int less_effort, std::size_t left) const;
};

/// Calls task(0) … task(count − 1) on the control's threads; the first exception, by index, is
/// thrown when all are done.
void run_parallel(std::size_t count, const RunControl& control,
                  const std::function<void(std::size_t)>& task);

}  // namespace waferloom::optimize
