#pragma once

#include <vector>

#include "model/problem.h"

namespace waferloom::optimize {

/// Other weights for the costs of a problem.
struct Reweighing {
  double time = 1;      ///< factors
  double distance = 1;  ///< likewise
  double adapter = 1;   ///< likewise
  /// By connection, in place of the problem's, scaled so that their mean is 1; none: as they are.
  std::vector<double> edges{};
};

/// The same kernels, wafer and rules under other weights: legal placements stay legal. Weights of
/// edges are hundredths, at least one. Throws RequestError where costs leave a problem's
/// range.
Problem reweighed(const Problem& problem, const Reweighing& weights);

/// Of the weight of edges that weigh as their loads, the part in proportion to these.
inline constexpr double kLoadedShare = 0.9;

/// Weights between alike and in proportion to `loads` (≥ 0): 1 − share + share · load / mean load.
/// All 1 where nothing is loaded.
std::vector<double> blended(const std::vector<double>& loads, double share);

}  // namespace waferloom::optimize
