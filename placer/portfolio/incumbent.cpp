#include "placer/portfolio/incumbent.h"

#include <algorithm>
#include <utility>

#include "model/placement.h"

namespace waferloom::placer {

Candidate make_candidate(const Problem& problem, Placement placement, std::string strategy) {
  Candidate candidate;
  candidate.score = score(problem, placement);
  candidate.total = CostModel(problem).total(candidate.score);
  candidate.placement = std::move(placement);
  candidate.strategy = std::move(strategy);
  return candidate;
}

void add_to_front(std::vector<Candidate>& front, Candidate candidate) {
  const auto covers = [](const Candidate& a, const Candidate& b) {
    return a.score.time <= b.score.time && a.total <= b.total;
  };
  for (const Candidate& other : front) {
    if (covers(other, candidate)) return;
  }
  std::erase_if(front, [&](const Candidate& other) { return covers(candidate, other); });
  front.push_back(std::move(candidate));
}

bool keeps_constraints(const Problem& problem, const Placement& placement) {
  const auto binds = [](const Region& region) { return region.rule != RegionRule::prefer; };
  const Constraints& constraints = problem.constraints();
  if (problem.wafer().dead.empty() && constraints.fixed.empty() &&
      std::none_of(constraints.regions.begin(), constraints.regions.end(), binds)) {
    return true;
  }
  return verify(problem, to_solution(problem, placement)).empty();
}

void Incumbent::offer(const Placement& placement, const std::string& strategy, std::uint64_t rank) {
  Candidate candidate = make_candidate(problem_, placement, strategy);
  if (!keeps_constraints(problem_, placement) || !has_buffer_room(problem_, placement)) return;
  const std::lock_guard lock(mutex_);
  const bool better = !best_ || candidate.total < best_->total;
  if (!better && !(candidate.total == best_->total && rank < rank_)) return;
  best_ = std::move(candidate);
  rank_ = rank;
  if (better && on_improvement_) {
    on_improvement_(PlaceImprovement{best_->placement, best_->score, best_->strategy});
  }
}

}  // namespace waferloom::placer
