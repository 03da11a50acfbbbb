#pragma once

#include <cstdint>
#include <vector>

#include "placer/portfolio/incumbent.h"
#include "placer/starts/starts.h"

namespace waferloom::placer {

/// What a portfolio may use, the annealers where nothing binds; all but for ablation.
struct PortfolioParts {
  bool curves = true;
  bool rectangles = true;
  bool compaction = true;  ///< of what annealing finds
};

/// How much work a portfolio does.
struct PortfolioBudget {
  std::uint64_t moves = 1'000'000;  ///< of the rectangle annealer, in all; others in proportion
  std::uint64_t moves_of_first_cycle = 16'000'000;  ///< about: what is left is shared out
  bool by_clock = false;                            ///< the stop signal's deadline rules instead
  int threads = 1;
  std::uint64_t seed = 1;
  double heat = 1;  ///< on all temperatures; less stays closer to the candidates
  PortfolioParts parts{};
};

/// Improves candidates in rounds. In a round the best few distinct candidates are annealed, on
/// shape curves and as rigid rectangles. The results compete with the candidates for the next
/// round, which is cooler. Long runs go through the rounds several times. Everything better is
/// offered to the incumbent. Deterministic unless the clock rules. Returns whether the clock ended
/// the run.
bool anneal_in_rounds(const SearchContext& context, const std::vector<Candidate>& candidates,
                      const PortfolioBudget& budget, Incumbent& incumbent);

}  // namespace waferloom::placer
