#pragma once

#include <cstdint>
#include <vector>

#include "placer/incumbent.h"
#include "placer/starts.h"

namespace waferloom {

/// Which annealers a portfolio may use where nothing binds; all but for ablation.
struct PortfolioParts {
  bool curves = true;
  bool rectangles = true;
};

/// How much work a portfolio does.
struct PortfolioBudget {
  std::uint64_t moves = 1'000'000;  ///< of the rectangle annealer, in all; others in proportion
  bool by_clock = false;            ///< the stop signal's deadline rules instead
  int threads = 1;
  std::uint64_t seed = 1;
  double heat = 1;  ///< on all temperatures; less stays closer to the candidates
  PortfolioParts parts{};
};

/// Improves candidates in rounds: the best few distinct ones are annealed on shape curves and as
/// rigid rectangles, and the results compete with what they came from for the next, cooler round.
/// Everything better is offered to the incumbent. Deterministic unless the clock rules.
void anneal_in_rounds(const SearchContext& context, const std::vector<Candidate>& candidates,
                      const PortfolioBudget& budget, Incumbent& incumbent);

}  // namespace waferloom
