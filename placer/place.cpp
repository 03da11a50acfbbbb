#include "placer/place.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "model/kernel_graph.h"
#include "placer/bounds.h"
#include "placer/given_start.h"
#include "placer/incumbent.h"
#include "placer/misfit.h"
#include "placer/parallel.h"
#include "placer/portfolio.h"
#include "placer/relaxation.h"
#include "placer/starts.h"

namespace waferloom {
namespace {

constexpr const char* kGiven = "start";

/// What one strategy runs: starts by name, then annealing from the best of them or not.
struct Strategy {
  StrategyInfo info;
  std::vector<std::string> starts;
  bool anneals = false;
};

std::vector<Strategy> strategy_table() {
  std::vector<Strategy> table;
  table.push_back(
      {{"auto", "the quick starts, then annealing in rounds from the best"},
       {"chain-row", "gigaplacer", "stack-rows", "signature-rows", "rows", "slicing-dp"},
       true});
  for (const Start& start : start_table()) {
    table.push_back({{start.name, start.description}, {start.name}, false});
  }
  return table;
}

Strategy find_strategy(const std::string& name) {
  for (const Strategy& strategy : strategy_table()) {
    if (strategy.info.name == name) return strategy;
  }
  throw std::invalid_argument("unknown strategy " + name);
}

const Start& find_start(const std::string& name) {
  const auto& table = start_table();
  return *std::find_if(table.begin(), table.end(),
                       [&](const Start& start) { return start.name == name; });
}

int thread_count(int wanted) {
  if (wanted > 0) return wanted;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Runs the strategy's starts side by side; of each what nothing else of it equals or beats in both
/// time and total. With annealing to come they may take at most `kShareOfStarts` of the time that a
/// deadline leaves.
std::vector<Candidate> run_starts(const SearchContext& context, const Strategy& strategy,
                                  const PlaceOptions& options, Incumbent& incumbent) {
  constexpr double kShareOfStarts = 0.5;
  SearchContext limited = context;
  if (strategy.anneals && context.stop.deadline) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> left = *context.stop.deadline - now;
    limited.stop.deadline =
        now + std::chrono::duration_cast<std::chrono::nanoseconds>(left * kShareOfStarts);
  }
  std::vector<std::vector<Candidate>> fronts(strategy.starts.size());
  parallel_tasks(strategy.starts.size(), thread_count(options.threads), [&](std::size_t task) {
    const Start& start = find_start(strategy.starts[task]);
    start.run(limited, [&](const Placement& placement) {
      add_to_front(fronts[task], make_candidate(context.problem, placement, start.name));
      incumbent.offer(placement, start.name, task);
    });
  });
  std::vector<Candidate> found;
  for (auto& front : fronts) {
    for (Candidate& candidate : front) found.push_back(std::move(candidate));
  }
  return found;
}

/// What becomes of the placement that the caller brings.
std::vector<Candidate> run_given(const SearchContext& context, const PlaceOptions& options,
                                 Incumbent& incumbent) {
  std::vector<Candidate> front;
  if (!options.start) return front;
  given_start(context, *options.start, options.seed, [&](const Placement& placement) {
    add_to_front(front, make_candidate(context.problem, placement, kGiven));
    incumbent.offer(placement, kGiven, 0);
  });
  return front;
}

/// A placement that disregards dead tiles, regions and fixed places, found with a share of the
/// work.
std::optional<Candidate> relaxed_start(const Problem& problem, const PlaceOptions& options) {
  constexpr double kShareOfRelaxation = 0.4;
  PlaceOptions relaxed = options;
  relaxed.start.reset();
  relaxed.on_improvement = nullptr;
  relaxed.effort = options.effort - 1;
  if (options.deadline) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> left = *options.deadline - now;
    relaxed.deadline =
        now + std::chrono::duration_cast<std::chrono::nanoseconds>(left * kShareOfRelaxation);
  }
  return place_relaxed(problem, relaxed);
}

PortfolioBudget portfolio_budget(const PlaceOptions& options, bool near_given) {
  constexpr double kHeatNearGiven = 0.2;
  constexpr std::uint64_t kMovesAtEffortZero = 240'000;
  PortfolioBudget budget;
  budget.moves = kMovesAtEffortZero << options.effort;
  budget.by_clock = options.deadline && !options.effort_limits;
  budget.threads = thread_count(options.threads);
  budget.seed = options.seed;
  if (near_given) budget.heat = kHeatNearGiven;
  return budget;
}

StopReason stop_reason(const PlaceOptions& options, bool optimal) {
  if (optimal) return StopReason::optimal;
  if (options.interrupted != nullptr && options.interrupted->load()) {
    return StopReason::interrupted;
  }
  const bool late = options.deadline && std::chrono::steady_clock::now() >= *options.deadline;
  return late ? StopReason::time_limit : StopReason::effort;
}

}  // namespace

const char* stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::effort:
      return "effort";
    case StopReason::optimal:
      return "optimal";
    case StopReason::time_limit:
      return "time_limit";
    case StopReason::interrupted:
      return "interrupted";
  }
  return "";
}

std::vector<StrategyInfo> strategies() {
  std::vector<StrategyInfo> infos;
  for (const Strategy& strategy : strategy_table()) infos.push_back(strategy.info);
  return infos;
}

PlaceResult place(const Problem& problem, const PlaceOptions& options) {
  Strategy strategy = find_strategy(options.strategy);
  PlaceResult result;
  const StopSignal stop{options.deadline, options.interrupted};
  const ShapeLibrary library(problem, stop);
  if (!library.complete()) {
    result.stopped_by = stop_reason(options, false);
    return result;
  }
  result.infeasible = misfit(library, stop);
  if (result.infeasible) return result;
  const auto bounds = lower_bounds(library, stop);
  if (!bounds) {
    result.infeasible = Infeasible{"", "the kernels together need more tiles than the wafer has"};
    return result;
  }
  result.bounds = *bounds;

  const CostModel costs(problem);
  const ClearSpace space(problem);
  SearchContext context{problem,      library,       costs, space, topological_order(problem),
                        bounds->time, bounds->total, stop};
  if (context.order.empty()) throw std::invalid_argument("the kernel graph has a cycle");
  Incumbent incumbent(problem, options.on_improvement);
  // Small change in, small change out: what the caller brings is the only start, if it can be one.
  std::vector<Candidate> candidates = run_given(context, options, incumbent);
  const bool near_given = !candidates.empty() && strategy.anneals;
  const bool works_around = space.binds() && strategy.anneals && !near_given;
  if (works_around) strategy.starts = {"free-rectangles"};
  if (!near_given) {
    for (Candidate& found : run_starts(context, strategy, options, incumbent)) {
      candidates.push_back(std::move(found));
    }
  }
  if (works_around) {
    auto relaxed = relaxed_start(problem, options);
    if (relaxed) {
      incumbent.offer(relaxed->placement, relaxed->strategy, 1);
      candidates.push_back(std::move(*relaxed));
    }
  }
  if (strategy.anneals) {
    anneal_in_rounds(context, std::move(candidates), portfolio_budget(options, near_given),
                     incumbent);
  }

  if (incumbent.best()) {
    result.placement = incumbent.best()->placement;
    result.score = incumbent.best()->score;
    result.strategy = incumbent.best()->strategy;
    result.optimal = incumbent.best()->total == bounds->total;
  }
  result.stopped_by = stop_reason(options, result.optimal);
  return result;
}

}  // namespace waferloom
