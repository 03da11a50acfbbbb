#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/text.h"
#include "optimize/optimize.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/trial.h"

namespace waferloom::optimize {

/// "TP8 DP1 PP39, …: 6.05 samples/s", the example of a plan that promises too little.
inline std::string promise_text(const PlanTrial& candidate) {
  return candidate.trial.name + ": " + significant_text(most_promised(candidate).samples_per_s, 6) +
         " samples/s";
}

/// Counts the candidates that are passed over, by reason, with an example of each.
class PassedOverCounts {
 public:
  void add(const std::string& reason, const std::string& example, std::size_t count = 1) {
    PassedOver& group = by_reason_[reason];
    group.reason = reason;
    group.count += count;
    if (group.example.empty()) group.example = example;
  }
  /// By reason, in the order of the alphabet.
  std::vector<PassedOver> all() const {
    std::vector<PassedOver> groups;
    for (const auto& [reason, group] : by_reason_) groups.push_back(group);
    return groups;
  }

 private:
  std::map<std::string, PassedOver> by_reason_;
};

}  // namespace waferloom::optimize
