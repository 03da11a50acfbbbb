#pragma once

#include <atomic>
#include <exception>
#include <optional>
#include <vector>

#include "model/placement.h"
#include "optimize/placer_run.h"

namespace waferloom::optimize {

/// What happens at the placer's improvements: notes, progress, and what a run's callbacks hear.
/// Exceptions do not pass through the placer: the first one is kept, ends the run and is thrown
/// afterwards. Of one thread at a time.
class ImprovementListener {
 public:
  ImprovementListener(const PlacerRun& run, const SearchControl& control, std::atomic<bool>& stop)
      : run_(run), costs_(run.problem), control_(control), stop_(stop) {}

  void hear(const placer::PlaceImprovement& better) noexcept;

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  std::vector<ImprovementNote>& notes() { return notes_; }

 private:
  void take(const placer::PlaceImprovement& better);

  const PlacerRun& run_;
  CostModel costs_;
  const SearchControl& control_;
  std::atomic<bool>& stop_;
  std::vector<ImprovementNote> notes_;
  std::optional<Clock::time_point> last_given_;
  std::exception_ptr error_;
};

}  // namespace waferloom::optimize
