#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/bounds/bounds.h"
#include "placer/shapes/shape_library.h"
#include "placer/starts/starts.h"
#include "tests/support/small_problems.h"

namespace waferloom::test {

/// A chain of kernels, with a skip or without, on a wafer where all fit with room to choose.
inline Problem medium_problem(std::size_t kernels, const Weights& weights, std::uint64_t seed,
                              bool skips = true) {
  Draw draw(seed);
  std::vector<KernelFormal> formals;
  for (std::size_t i = 0; i < kernels; ++i) formals.push_back(random_formal(draw));
  Edges edges = chain(kernels);
  if (skips && kernels > 3) edges.emplace_back(0, 3);
  ProblemData data = problem_data(formals, edges, Wafer{70, 60});
  data.weights = weights;
  return Problem(data);
}

inline std::size_t violations(const Problem& problem, const Placement& placement) {
  return verify(problem, to_solution(problem, placement)).size();
}

/// A cap at which every kernel has shapes to choose from.
inline std::int64_t roomy_time(const placer::ShapeLibrary& library) {
  std::int64_t time = 1;
  while (!library.at(time).all_exist ||
         3 * library.at(time).least_area >
             library.problem().wafer().width * library.problem().wafer().height) {
    time *= 2;
  }
  return time;
}

/// What the searches of a run see, without a bound on the total.
inline placer::SearchContext context_of(const Problem& problem, const placer::ShapeLibrary& library,
                                        const CostModel& costs, const placer::ClearSpace& space,
                                        const RunControl& stop = {}) {
  return placer::SearchContext{problem,
                               library,
                               costs,
                               space,
                               topological_order(problem),
                               placer::area_bound(library, space).value(),
                               0,
                               stop};
}

/// Total of the last placement that `search(context, emit)` emits, in CostModel's units; nothing
/// if there is none. All are legal, and each is cheaper than the one before.
template <typename Search>
std::optional<Int128> best_total(const Problem& problem, const Search& search) {
  const placer::ShapeLibrary library(problem);
  const CostModel costs(problem);
  const placer::ClearSpace space(problem);
  std::optional<Int128> best;
  search(context_of(problem, library, costs, space), [&](const Placement& placement) {
    CHECK(violations(problem, placement) == 0);
    const Int128 total = costs.total(score(problem, placement));
    CHECK((!best || total < *best));
    best = total;
  });
  return best;
}

}  // namespace waferloom::test
