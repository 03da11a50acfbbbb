#include "placer/portfolio/portfolio.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "placer/free/compaction.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

/// What rounds make of the placements of one start.
struct Run {
  Int128 before = 0;  ///< total of the best start
  Candidate best;
};

Run run_rounds(const Problem& problem, const PortfolioBudget& budget) {
  const ShapeLibrary library(problem);
  const CostModel costs(problem);
  const ClearSpace space(problem);
  const SearchContext context = test::context_of(problem, library, costs, space);
  Incumbent incumbent(problem, {});
  std::vector<Candidate> candidates;
  for (const Start& start : start_table()) {
    if (start.name != std::string("bisection")) continue;
    start.run(context, [&](const Placement& placement) {
      candidates.push_back(make_candidate(problem, placement, start.name));
      incumbent.offer(placement, start.name, 0);
    });
  }
  REQUIRE(incumbent.best().has_value());
  Run run{incumbent.best()->total, {}};
  anneal_in_rounds(context, candidates, budget, incumbent);
  run.best = *incumbent.best();
  return run;
}

Weights with_adapters(int adapter) {
  Weights weights;
  weights.adapter = decimal6(adapter);
  return weights;
}

TEST_CASE("cycles of rounds improve, and give the same at any number of threads") {
  for (const int adapter : {0, 7}) {
    INFO("adapter ", adapter);
    const Problem problem = test::medium_problem(9, with_adapters(adapter), 4);
    PortfolioBudget budget;
    budget.moves = 60'000;
    budget.moves_of_first_cycle = 6'000;
    const Run run = run_rounds(problem, budget);
    budget.threads = 3;
    const Run three = run_rounds(problem, budget);
    CHECK(run.best.total < run.before);
    CHECK(test::violations(problem, run.best.placement) == 0);
    CHECK(run.best.placement == three.best.placement);
    CHECK(run.best.strategy == three.best.strategy);
  }
}

TEST_CASE("further cycles are not worse than the first alone") {
  const Problem problem = test::medium_problem(9, with_adapters(0), 6);
  PortfolioBudget budget;
  budget.moves = 4'000;
  const Run once = run_rounds(problem, budget);
  budget.moves = 28'000;
  budget.moves_of_first_cycle = 4'000;  // the same first cycle, and others
  const Run often = run_rounds(problem, budget);
  CHECK(often.best.total <= once.best.total);
}

TEST_CASE("what annealing finds is compacted") {
  int loose = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Problem problem = test::medium_problem(9, with_adapters(0), seed);
    const ClearSpace space(problem);
    const auto is_compact = [&](const Placement& placement) {
      return compact(problem, space, placement, RunControl{}) == placement;
    };
    PortfolioBudget budget;
    budget.moves = 2'000;
    CHECK(is_compact(run_rounds(problem, budget).best.placement));
    budget.parts.compaction = false;
    loose += is_compact(run_rounds(problem, budget).best.placement) ? 0 : 1;
  }
  CHECK(loose > 0);
}

TEST_CASE("without annealers nothing becomes of the starts") {
  const Problem problem = test::medium_problem(9, with_adapters(0), 4);
  PortfolioBudget budget;
  budget.moves = 10'000;
  budget.parts = PortfolioParts{.curves = false, .rectangles = false};
  const Run run = run_rounds(problem, budget);
  CHECK(run.best.total == run.before);
}

}  // namespace
}  // namespace waferloom::placer
