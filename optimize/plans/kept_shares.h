#pragma once

#include <vector>

#include "model/plan.h"

namespace waferloom::optimize {

/// How much of what plans promise is left in simulation, as those that ran tell of those that did
/// not. Estimates leave out how messages wait for one another, which costs plans of like degrees
/// about as much.
class KeptShares {
 public:
  /// Of a plan that ran; not a share above 0: nothing is learned.
  void add(const Plan& plan, double share);
  /// The share that a plan is expected to keep. Where plans of its degrees and micro-batch ran, the
  /// most that one kept. Else the mean of those that ran, which weigh half as much for each
  /// doubling of a degree or of the micro-batch between them, and of 1, which has a weight of its
  /// own; so what is unlike all that ran is believed. O(plans that ran).
  double of(const Plan& plan) const;

 private:
  struct Ran {
    std::vector<double> doublings;  ///< the logarithms of its degrees and micro-batch
    double share;
  };
  std::vector<Ran> ran_;
};

}  // namespace waferloom::optimize
