#include "placer/place.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "model/problem.h"
#include "model/run_control.h"
#include "model/wafer.h"
#include "placer/bounds/bounds.h"
#include "placer/free/infeasible_together.h"
#include "placer/free/relaxation.h"
#include "placer/portfolio/incumbent.h"
#include "placer/portfolio/portfolio.h"
#include "placer/starts/given_start.h"
#include "placer/starts/starts.h"

// The driver of the placer.
// Problem: give every kernel a shape and a place of least total cost: time, wire, adapters.
// Idea: many cheap constructive starts, then annealing of the best few. What cannot be placed at
// all is found first, and lower bounds say when to stop. If dead tiles or constraints bind, fewer
// starts run, and a relaxed problem adds one more. A start that the caller gives is kept close to.
// Source: GigaPlacer (ASP-DAC 2021) is one of the starts; the others are ours (docs/placer.md).
// Cost: effort 1 to 9 fixes the work; a deadline cuts it.
namespace waferloom::placer {
namespace {

constexpr const char* kGiven = "start";

/// What one strategy runs: starts by name, then annealing from the best of them or not.
struct Strategy {
  StrategyInfo info;
  std::vector<std::string> starts;
  bool anneals = false;
  PortfolioParts parts{};
  std::string lacks{};  ///< the start that is left out
};

/// `whole` without one part, for ablation. Free annealing, where something binds, is no part.
Strategy without(const Strategy& whole, const std::string& part) {
  Strategy rest = whole;
  rest.info.name += "-no-" + part;
  rest.info.description = whole.info.name + " without its " + part + ", for ablation";
  std::erase(rest.starts, part);
  rest.lacks = part;
  if (part == "curve-annealing") rest.parts.curves = false;
  if (part == "rectangle-annealing") rest.parts.rectangles = false;
  if (part == "compaction") rest.parts.compaction = false;
  if (part == "annealing") rest.anneals = false;
  return rest;
}

std::vector<Strategy> strategy_table() {
  const Strategy whole{{"auto", "the quick starts, then annealing in rounds from the best"},
                       {"signature-rows", "rows", "signature-dp", "gigaplacer-plus", "stack-rows",
                        "bisection", "chain-row", "slicing-dp"},
                       true};
  std::vector<Strategy> table{whole};
  for (const std::string& start : whole.starts) table.push_back(without(whole, start));
  for (const char* part : {"curve-annealing", "rectangle-annealing", "compaction", "annealing"}) {
    table.push_back(without(whole, part));
  }
  for (const Start& start : start_table()) {
    table.push_back({{start.name, start.description}, {start.name}, false});
  }
  return table;
}

Strategy find_strategy(const std::string& name) {
  for (const Strategy& strategy : strategy_table()) {
    if (strategy.info.name == name) return strategy;
  }
  throw std::logic_error("unknown strategy " + name);
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

/// The bounds on the total: by the clock as good as a tenth of it allows, a fifth of a minute or
/// more, otherwise by effort.
Bounds find_bounds(const SearchContext& context, const PlaceOptions& options) {
  constexpr double kShareOfBounds = 0.1;
  constexpr std::chrono::duration<double> kDoubledAfter{60};
  constexpr int kMiddleEffort = 5;
  const auto deadline = options.control.deadline();
  const bool by_clock = deadline && !options.effort_limits;
  double share = kShareOfBounds;
  if (by_clock) {
    const auto left = *deadline - Clock::now();
    share *= 1 + std::clamp<double>(left / kDoubledAfter, 0, 1);
  }
  const std::uint64_t work =
      by_clock ? kThoroughBounds : kQuickBounds << std::max(0, options.effort - kMiddleEffort);
  return lower_bounds(context.library, context.area_bound, context.stop.with_share_of_rest(share),
                      work);
}

/// Runs the strategy's starts side by side, and beside them the search for bounds, which goes to
/// `bounds`. Of each start what nothing else of it equals or beats in both time and total. With
/// annealing to come they may take at most `kShareOfStarts` of the time that a deadline leaves.
std::vector<Candidate> run_starts(const SearchContext& context, const Strategy& strategy,
                                  const PlaceOptions& options, Incumbent& incumbent,
                                  Bounds& bounds) {
  constexpr double kShareOfStarts = 0.5;
  SearchContext limited = context;
  if (strategy.anneals) limited.stop = context.stop.with_share_of_rest(kShareOfStarts);
  const std::vector<std::string>& starts = strategy.starts;
  std::vector<std::vector<Candidate>> fronts(starts.size());
  parallel_tasks(starts.size() + 1, thread_count(options.threads), [&](std::size_t task) {
    if (task == 0) {
      bounds = find_bounds(context, options);
      return;
    }
    const Start& start = find_start(starts[task - 1]);
    start.run(limited, [&](const Placement& placement) {
      add_to_front(fronts[task - 1], make_candidate(context.problem, placement, start.name));
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
/// work: most of it where a clear window is most of the wafer. What it meets on its way is offered
/// too. It is not compacted: kernels that touch are harder to move off dead tiles.
std::optional<Candidate> run_relaxed(const SearchContext& context, const PlaceOptions& options,
                                     Incumbent& incumbent) {
  constexpr double kShareInAWindow = 0.75;
  constexpr double kShareOtherwise = 0.3;
  const Relaxation relaxation = relax(context.problem, context.space);
  PlaceOptions relaxed = options;
  relaxed.start.reset();
  relaxed.effort = std::max(0, options.effort - (relaxation.in_window ? 0 : 1));
  relaxed.control =
      options.control.with_share_of_rest(relaxation.in_window ? kShareInAWindow : kShareOtherwise);
  relaxed.on_improvement = [&](const PlaceImprovement& found) {
    incumbent.offer(on_wafer(relaxation, found.placement), found.strategy, 1);
  };
  relaxed.compacts = false;
  const PlaceResult result = place(relaxation.problem, relaxed);
  if (!result.placement) return std::nullopt;
  return make_candidate(context.problem, on_wafer(relaxation, *result.placement), result.strategy);
}

PortfolioBudget portfolio_budget(const PlaceOptions& options, const PortfolioParts& parts,
                                 bool near_given) {
  constexpr double kHeatNearGiven = 0.2;
  constexpr std::uint64_t kMovesAtEffortZero = 240'000;
  PortfolioBudget budget;
  budget.moves = kMovesAtEffortZero << options.effort;
  budget.by_clock = options.control.time_limit && !options.effort_limits;
  budget.threads = thread_count(options.threads);
  budget.seed = options.seed;
  if (near_given) budget.heat = kHeatNearGiven;
  budget.parts = parts;
  return budget;
}

/// `out_of_time`: whether what a time limit leaves for annealing was used up.
StopReason stop_reason(const PlaceOptions& options, bool optimal, bool out_of_time) {
  if (optimal) return StopReason::optimal;
  const RunControl& control = options.control;
  if (control.is_cut()) {
    return control.cut_reason() == CutReason::interrupted ? StopReason::interrupted
                                                          : StopReason::time_limit;
  }
  return out_of_time ? StopReason::time_limit : StopReason::effort;
}

/// Nothing changes if no placement was found.
void take_best(const Incumbent& incumbent, PlaceResult& result) {
  if (!incumbent.best()) return;
  result.placement = incumbent.best()->placement;
  result.score = incumbent.best()->score;
  result.strategy = incumbent.best()->strategy;
  result.optimal = incumbent.best()->total == result.bounds.total;
}

}  // namespace

const char* stop_reason_name(StopReason reason) {
  return kStopReasonNames[static_cast<std::size_t>(reason)].data();
}

std::vector<StrategyInfo> strategies() {
  std::vector<StrategyInfo> infos;
  for (const Strategy& strategy : strategy_table()) infos.push_back(strategy.info);
  return infos;
}

PlaceResult place(const Problem& problem, const PlaceOptions& options) {
  Strategy strategy = find_strategy(options.strategy);
  if (!options.compacts) strategy.parts.compaction = false;
  PlaceResult result;
  const RunControl& stop = options.control;
  const ShapeLibrary library(problem, stop);
  if (!library.complete()) {
    result.stopped_by = stop_reason(options, false, false);
    return result;
  }
  const ClearSpace space(problem);
  result.infeasible = proven_infeasible(library, space, stop);
  if (result.infeasible) return result;
  const std::int64_t least_time = area_bound(library, space, stop).value();
  const CostModel costs(problem);
  SearchContext context{problem,
                        library,
                        costs,
                        space,
                        topological_order(problem),
                        least_time,
                        0,
                        stop,
                        thread_count(options.threads)};
  if (context.order.empty()) throw std::logic_error("the kernel graph has a cycle");
  Incumbent incumbent(problem, options.on_improvement);
  // Small change in, small change out: what the caller brings is the only start, if it can be one.
  std::vector<Candidate> candidates = run_given(context, options, incumbent);
  const bool near_given = !candidates.empty() && strategy.anneals;
  const bool works_around = space.binds() && strategy.anneals && !near_given;
  if (works_around) {
    strategy.starts = {"signature-rows", "free-rectangles", "signature-dp"};
    std::erase(strategy.starts, strategy.lacks);
  }
  if (near_given) strategy.starts.clear();
  if (options.start) result.tried.emplace_back("the placement to start from");
  result.tried.insert(result.tried.end(), strategy.starts.begin(), strategy.starts.end());
  for (Candidate& found : run_starts(context, strategy, options, incumbent, result.bounds)) {
    candidates.push_back(std::move(found));
  }
  context.least_total = result.bounds.total;
  if (works_around) {
    result.tried.emplace_back("placing as if nothing bound");
    auto relaxed = run_relaxed(context, options, incumbent);
    if (relaxed) candidates.push_back(std::move(*relaxed));
  }
  bool out_of_time = false;
  if (strategy.anneals) {
    result.tried.emplace_back("annealing");
    out_of_time = anneal_in_rounds(
        context, candidates, portfolio_budget(options, strategy.parts, near_given), incumbent);
  }

  take_best(incumbent, result);
  result.stopped_by = stop_reason(options, result.optimal, out_of_time);
  return result;
}

std::optional<Bounds> lower_bounds(const Problem& problem) {
  return lower_bounds(ShapeLibrary(problem), RunControl{});
}

}  // namespace waferloom::placer
