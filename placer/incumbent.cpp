#include "placer/incumbent.h"

#include <utility>

namespace waferloom {

Candidate make_candidate(const Problem& problem, Placement placement, std::string strategy) {
  Candidate candidate;
  candidate.score = score(problem, placement);
  candidate.total = CostModel(problem).total(candidate.score);
  candidate.placement = std::move(placement);
  candidate.strategy = std::move(strategy);
  return candidate;
}

void Incumbent::offer(const Placement& placement, const std::string& strategy, std::uint64_t rank) {
  Candidate candidate = make_candidate(problem_, placement, strategy);
  const std::lock_guard lock(mutex_);
  const bool better = !best_ || candidate.total < best_->total;
  if (!better && !(candidate.total == best_->total && rank < rank_)) return;
  best_ = std::move(candidate);
  rank_ = rank;
  if (better && on_improvement_) {
    on_improvement_(PlaceImprovement{best_->placement, best_->score, best_->strategy});
  }
}

}  // namespace waferloom
