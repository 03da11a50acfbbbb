#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace waferloom {

using Clock = std::chrono::steady_clock;

/// Why a run ended before its work was done.
enum class CutReason { interrupted, time_limit };

/// Thrown by RunControl::end_if_cut. Who has something to keep catches it; else a command ends
/// with its reason. It is nobody's fault, so it is none of the errors of model/errors.h.
class RunCut : public std::runtime_error {
 public:
  explicit RunCut(CutReason reason);
  CutReason reason() const { return reason_; }

 private:
  CutReason reason_;
};

/// What goes on in a run.
struct ProgressNote {
  std::string text;
  std::string name;  ///< what it goes on with: a network, a file, a trial; may be empty
};

/// What stops a run, and who hears how far it is. Every function that can take longer than 0.1 s
/// takes one, and asks it at least every 0.1 s of work. May be asked from any thread.
struct RunControl {
  Clock::time_point start = Clock::now();  ///< the time limit counts from here
  std::optional<std::chrono::microseconds> time_limit{};
  /// True ends the run with the best so far; a search sets it when a callback throws.
  std::atomic<bool>* stop = nullptr;
  /// Called at each question; true cuts the run. Tests count questions with it. Empty: never.
  std::function<bool()> asked{};
  /// Told from any thread.
  std::function<void(const ProgressNote& note)> on_progress{};

  /// When the run has to end; nothing without a time limit.
  std::optional<Clock::time_point> deadline() const;
  /// Whether the stop flag is up.
  bool interrupted() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  /// Whether the stop flag is up, or the time limit is over, or a step of this length would end
  /// behind the limit. About 50 ns.
  bool is_cut(Clock::duration step = Clock::duration{0}) const;
  /// Throws RunCut where is_cut(): for work that has nothing to keep.
  void end_if_cut() const;
  /// What cut the run, once it is cut.
  CutReason cut_reason() const;
  void tell(const ProgressNote& note) const;
  /// The same run with this share of the time that is left, from now on; without a time limit the
  /// same.
  RunControl with_share_of_rest(double share) const;
  /// The same run, which has so much time from now on.
  RunControl with_time(Clock::duration time) const;
};

/// Runs task(0) … task(count − 1) on at most `threads` threads (≥ 1), begun in this order, and
/// waits for all. Tasks write only to what their index owns, so results do not depend on the number
/// of threads. All parallelism goes through here; the std::thread backend exists because
/// Debian's oneTBB is not built for ThreadSanitizer. `task` must not throw.
void parallel_tasks(std::size_t count, int threads, const std::function<void(std::size_t)>& task);

/// The same, and asks before each task. A task may throw. Once one has, or the run is cut, tasks
/// that are not begun are left out. When the others have ended, the exception of the least index is
/// thrown; that of a cut run is RunCut.
void parallel_tasks(std::size_t count, int threads, const RunControl& control,
                    const std::function<void(std::size_t)>& task);

}  // namespace waferloom
