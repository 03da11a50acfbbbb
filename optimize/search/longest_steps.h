#pragma once

#include "optimize/trial.h"

namespace waferloom::optimize {

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
