#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "optimize/run_control.h"

namespace waferloom::optimize {

/// What a search over plans does without looking at its time limit meanwhile.
enum class Step : std::uint8_t {
  estimate,    ///< one plan is laid out and estimated
  simulation,  ///< what of simulating one plan goes on between two looks at the limit
  routing,     ///< the routes of one plan are planned
  shapes,      ///< the shapes are timed among which the stages of one plan are placed
};

/// How long the longest steps of a search took, so that it begins none which may end behind its
/// time limit. May be used by several threads at once.
class LongestSteps {
 public:
  void note(Step step, Clock::duration took);
  /// Nothing before the first.
  Clock::duration of(Step step) const;
  /// What placing the stages of a plan takes besides what the placer is given, and simulating it
  /// there. Before shapes were timed they are expected to take as long as an estimate, which times
  /// one for each stage.
  Clock::duration of_placing() const;

 private:
  static constexpr std::size_t kSteps = 4;
  std::array<std::atomic<Clock::rep>, kSteps> longest_{};
};

/// Measures a step: from here to the end of the scope.
class StepTimer {
 public:
  StepTimer(LongestSteps& steps, Step step) : steps_(steps), step_(step) {}
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;
  ~StepTimer() { steps_.note(step_, Clock::now() - begin_); }

 private:
  LongestSteps& steps_;
  Step step_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace waferloom::optimize
