#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "model/run_control.h"

namespace waferloom::optimize {

using waferloom::Clock;

/// A run of a search: what stops it, how much it may do, and by what chance.
struct SearchControl : RunControl {
  std::uint64_t seed = 1;
  int effort = 5;             ///< 1 to 9
  bool effort_given = false;  ///< else a time limit rules alone
  int threads = 1;
  /// Of a part of a run under a time limit: when the whole run has to end.
  std::optional<Clock::time_point> whole_ends{};

  bool effort_limits() const { return effort_given || !time_limit; }
  /// Whether a step of this length can begin: the stop flag is down, and the whole run has more
  /// time left than that. This may be a part of a run whose own time is over.
  bool has_time_for(Clock::duration step) const;
  /// "interrupted", "time_limit", or `otherwise` where neither cut the run.
  std::string ended_by(const std::string& otherwise) const;
  /// The same run with a part of its time limit, from its start on.
  SearchControl within(double share) const;
  /// The control for the first of `left` searches that are still to come. It has `less_effort`
  /// steps less effort. Under a time limit it has, from now on, half of the time that is left,
  /// divided evenly among the searches.
  SearchControl part(int less_effort, std::size_t left) const;
};

/// Calls task(0) … task(count − 1) on the control's threads; the first exception, by index, is
/// thrown when all are done.
void run_parallel(std::size_t count, const SearchControl& control,
                  const std::function<void(std::size_t)>& task);

/// The same of plans, and tells after each how many are done: "simulated 3 of 16 plans".
void run_counted(std::size_t count, const SearchControl& control, const std::string& done,
                 const std::string& name, const std::function<void(std::size_t)>& task);

/// Why a search has nothing to show.
enum class EndReason : std::uint8_t {
  infeasible,   ///< nothing legal, or nothing that fits, was found
  time_limit,   ///< the time limit passed first
  interrupted,  ///< the stop flag was raised first
};

/// A search ended without a result; what() is a sentence for the user.
class SearchEnded : public std::runtime_error {
 public:
  SearchEnded(EndReason reason, const std::string& message)
      : std::runtime_error(message), reason_(reason) {}
  EndReason reason() const { return reason_; }

 private:
  EndReason reason_;
};

}  // namespace waferloom::optimize
