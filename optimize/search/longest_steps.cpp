#include "optimize/search/longest_steps.h"

#include <algorithm>

#include "optimize/trial.h"

namespace waferloom::optimize {

void LongestSteps::note(Step step, Clock::duration took) {
  std::atomic<Clock::rep>& longest = longest_[static_cast<std::size_t>(step)];
  Clock::rep known = longest.load();
  while (known < took.count() && !longest.compare_exchange_weak(known, took.count())) {
  }
}

Clock::duration LongestSteps::of(Step step) const {
  return Clock::duration{longest_[static_cast<std::size_t>(step)].load()};
}

Clock::duration LongestSteps::of_placing() const {
  const Clock::duration estimate = of(Step::estimate);
  return std::max(of(Step::shapes), estimate) + estimate + of(Step::simulation);
}

}  // namespace waferloom::optimize
