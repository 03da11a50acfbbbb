#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/plan.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"

namespace waferloom::optimize {

inline constexpr double kPicosecond = 1e-12;  // in seconds

/// What a search over plans (plan_search.h) asks of whoever proposes and ranks them. `optimize`
/// ranks by estimates of all plans (plan_estimates.h), `plan` by published models
/// (model_ranking.h).
class PlanRanking {
 public:
  /// Simulates a plan, unless one has run and this is not wanted `anyway`; whether some plan has
  /// run by then.
  using TryFirst = std::function<bool(const PlanTrial&, bool anyway)>;

  virtual ~PlanRanking() = default;
  /// Plans that can run, laid out and estimated, those that promise most first. Gives `try_first`
  /// plans that can run, until it says true, if a time limit or a signal may come before the end.
  virtual std::vector<PlanTrial> proposed(const SearchControl& control,
                                          const TryFirst& try_first) = 0;
  /// What an estimated plan is worth: the less the better.
  virtual double promised(const PlanTrial& trial) const = 0;
  /// What a measured plan is worth: the less the better.
  virtual double measured(const PlanTrial& trial) const = 0;
  /// Plans of equal text differ little, so few of them are simulated.
  virtual std::string kind_of(const Plan& plan) const = 0;
  /// Whether a time limit or a signal left plans out.
  virtual bool was_cut() const = 0;
  /// An example of what was wrong with plans; empty if none is known.
  virtual std::string why_none() const = 0;
};

}  // namespace waferloom::optimize
