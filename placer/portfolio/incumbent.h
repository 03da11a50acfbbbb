#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "model/placement.h"
#include "placer/place_result.h"

namespace waferloom::placer {

/// A placement found by a search, with its exact cost.
struct Candidate {
  Placement placement;
  Score score;
  Int128 total = 0;
  std::string strategy;
};

/// Scores a placement.
Candidate make_candidate(const Problem& problem, Placement placement, std::string strategy);

/// Adds a candidate to others unless one of them is as fast and as cheap; those that it equals or
/// beats in both go.
void add_to_front(std::vector<Candidate>& front, Candidate candidate);

/// Whether a placement that is legal otherwise covers no dead tile and keeps what is fixed and the
/// regions. The searches do not know of these, so what they find may not.
bool keeps_constraints(const Problem& problem, const Placement& placement);

/// The best placement of a run, offered from any thread. The final one does not depend on the order
/// of the offers: equal totals are decided by the smaller rank that the offering task brings.
class Incumbent {
 public:
  Incumbent(const Problem& problem, std::function<void(const PlaceImprovement&)> on_improvement)
      : problem_(problem), on_improvement_(std::move(on_improvement)) {}

  /// Keeps the placement if it keeps_constraints and is better. `rank` orders the tasks of a run.
  void offer(const Placement& placement, const std::string& strategy, std::uint64_t rank);

  /// Not to be called while offers are made.
  const std::optional<Candidate>& best() const { return best_; }

 private:
  const Problem& problem_;
  std::function<void(const PlaceImprovement&)> on_improvement_;
  std::mutex mutex_;
  std::optional<Candidate> best_;
  std::uint64_t rank_ = 0;
};

}  // namespace waferloom::placer
