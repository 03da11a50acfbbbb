#include "placer/portfolio.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "placer/curve_annealer.h"
#include "placer/parallel.h"
#include "placer/rectangle_annealer.h"
#include "placer/row_dp.h"
#include "placer/slicing_recovery.h"
#include "placer/time_steps.h"

namespace waferloom {
namespace {

using Clock = std::chrono::steady_clock;

/// One round of the schedule: its share of the work, and how hot it starts.
struct Round {
  double share;
  Cooling cooling;
  bool explores;  ///< tries other time caps from rows of their own, and leaves polishing for later
};
constexpr Round kRounds[] = {
    {0.40, {0.08, 0.0005}, true},
    {0.35, {0.04, 0.0003}, true},
    {0.15, {0.015, 0.0002}, false},
    {0.10, {0.008, 0.0001}, false},
};
constexpr std::size_t kCandidatesPerRound = 2;
constexpr std::size_t kProbes = 5;
constexpr std::size_t kProbesOfLarge = 3;  // more kernels need more moves in each
constexpr std::size_t kLarge = 40;
constexpr double kHotter = 4;

enum class Annealer { curves, rectangles, probe };

const char* name_of(Annealer annealer) {
  return annealer == Annealer::rectangles ? "rectangle-annealing" : "curve-annealing";
}

/// One annealing run of a round.
struct Task {
  Annealer annealer;
  std::size_t candidate;
  std::int64_t time = 0;  ///< of a probe
  double heat = 1;        ///< on the round's first temperature
};

/// Time caps worth working at around a candidate's own, ascending, its own among them.
std::vector<std::int64_t> caps_around(const SearchContext& context, std::int64_t time) {
  constexpr std::size_t kMostLevels = 16;
  constexpr std::int64_t kBelow = 10;  // one part in so many below the candidate's time
  constexpr std::int64_t kAbove = 30;  // and above
  const TimeRange range{std::max(context.area_bound, time - time / kBelow), time + time / kAbove};
  std::vector<std::int64_t> times = time_steps(context.library, range, kMostLevels);
  times.push_back(time);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Of the rows that fit at a cap, those with the shortest wire.
std::optional<SlicingTree> best_rows(const SearchContext& context, const ShapesAtTime& shapes) {
  constexpr std::size_t kMostRows = 6;
  std::optional<SlicingTree> best;
  Int128 least = 0;
  for (std::size_t rows = 1; rows <= kMostRows; ++rows) {
    const auto tree = row_dp(context.library, shapes, context.order, RowPattern{rows, false});
    const auto placement = tree ? lay_out(context.library, shapes, *tree) : std::nullopt;
    if (!placement) continue;
    const Int128 total = context.costs.total(score(context.problem, *placement));
    if (best && total >= least) continue;
    best = tree;
    least = total;
  }
  return best;
}

std::optional<Placement> anneal_on_curves(const SearchContext& context,
                                          const std::vector<std::int64_t>& caps,
                                          const SlicingTree& tree, std::size_t level,
                                          const AnnealBudget& budget, const Cooling& cooling,
                                          RandomStream& random) {
  std::vector<ShapesAtTime> levels;
  for (const std::int64_t cap : caps) levels.push_back(context.library.at(cap));
  const auto result = anneal_curves(context.library, levels, CurveAnnealStart{tree, level}, budget,
                                    cooling, random);
  if (!result) return std::nullopt;
  return refit(context.library, result->tree, levels[result->level].time);
}

/// Anneals at one fixed cap, hot enough to forget where it came from: the best rows of that cap, or
/// the candidate's tree where none fit.
std::optional<Placement> probe(const SearchContext& context, std::int64_t time,
                               const SlicingTree& tree, const AnnealBudget& budget,
                               RandomStream& random) {
  constexpr double kHottest = 0.4;
  constexpr double kKernelsAtHottest = 20.0;  // more kernels need more moves a degree
  const double kernels = static_cast<double>(context.problem.kernel_count());
  const Cooling cooling{kHottest * std::min(1.0, kKernelsAtHottest / kernels), 0.0005};
  const auto rows = best_rows(context, context.library.at(time));
  return anneal_on_curves(context, {time}, rows ? *rows : tree, 0, budget, cooling, random);
}

std::optional<Placement> run_task(const SearchContext& context, const Task& task,
                                  const Candidate& from, const AnnealBudget& budget,
                                  const Cooling& round_cooling, RandomStream& random) {
  const Cooling cooling{task.heat * round_cooling.first, round_cooling.last};
  const auto tree = recover_slicing_tree(context.problem, from.placement);
  if (!tree) return std::nullopt;
  if (task.annealer == Annealer::rectangles) {
    return anneal_rectangles(context.library, RectangleAnnealStart{*tree, from.placement}, budget,
                             cooling, random)
        .placement;
  }
  if (task.annealer == Annealer::probe) return probe(context, task.time, *tree, budget, random);
  const std::vector<std::int64_t> caps = caps_around(context, from.score.time);
  const auto own = std::find(caps.begin(), caps.end(), from.score.time);
  return anneal_on_curves(context, caps, *tree, static_cast<std::size_t>(own - caps.begin()),
                          budget, cooling, random);
}

/// What a round does with its candidates. Where adapters cost something: rigid rectangles, which
/// see them, as hot as the round says and hotter. Elsewhere curves, with other caps below the best
/// candidate's (the nearest below it first) in exploring rounds and rectangles in the others.
std::vector<Task> tasks_of(const SearchContext& context, const Round& round,
                           const std::vector<Candidate>& candidates) {
  const bool adapters_cost = context.costs.per_adapter() > 0;
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!adapters_cost && (i == 0 || !round.explores)) tasks.push_back(Task{Annealer::curves, i});
    if (adapters_cost || !round.explores) tasks.push_back(Task{Annealer::rectangles, i});
    if (adapters_cost) tasks.push_back(Task{Annealer::rectangles, i, 0, kHotter});
  }
  if (!round.explores || adapters_cost) return tasks;
  std::vector<std::int64_t> caps = caps_around(context, candidates.front().score.time);
  std::erase_if(caps, [&](std::int64_t cap) { return cap >= candidates.front().score.time; });
  const std::size_t most = context.order.size() > kLarge ? kProbesOfLarge : kProbes;
  while (caps.size() > most) caps.erase(caps.begin());
  for (const std::int64_t cap : caps) tasks.push_back(Task{Annealer::probe, 0, cap});
  return tasks;
}

/// The best candidates with different totals, best first.
std::vector<Candidate> best_distinct(std::vector<Candidate> candidates, std::size_t count) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.total < b.total; });
  const auto same = [](const Candidate& a, const Candidate& b) { return a.total == b.total; };
  candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
  if (candidates.size() > count) candidates.resize(count);
  return candidates;
}

class RoundRunner {
 public:
  RoundRunner(const SearchContext& context, const PortfolioBudget& budget, Incumbent& incumbent)
      : context_(context), budget_(budget), incumbent_(incumbent), begin_(Clock::now()) {}

  /// Runs the tasks of a round; their results and the candidates together.
  std::vector<Candidate> run(std::size_t index, std::vector<Candidate> candidates) {
    const std::vector<Task> tasks = tasks_of(context_, kRounds[index], candidates);
    std::vector<std::optional<Candidate>> results(tasks.size());
    const Clock::duration slice = slice_of(kRounds[index], tasks.size());
    parallel_tasks(tasks.size(), budget_.threads, [&](std::size_t i) {
      if (context_.stop.raised()) return;
      const Task& task = tasks[i];
      RandomStream random({budget_.seed, index + 1, i});
      const auto placement = run_task(context_, task, candidates[task.candidate],
                                      task_budget(task, slice), kRounds[index].cooling, random);
      if (!placement) return;
      results[i] = make_candidate(context_.problem, *placement, name_of(task.annealer));
      incumbent_.offer(*placement, name_of(task.annealer), kRanksPerRound * (index + 1) + i);
    });
    for (auto& result : results) {
      if (result) candidates.push_back(std::move(*result));
    }
    return candidates;
  }

 private:
  static constexpr std::uint64_t kRanksPerRound = 1000;  // starts come before all rounds
  static constexpr std::uint64_t kCurveMoveCost = 4;

  Clock::duration slice_of(const Round& round, std::size_t tasks) const {
    if (!budget_.by_clock || !context_.stop.deadline) return {};
    const auto threads = static_cast<std::size_t>(budget_.threads);
    const std::size_t batches = (tasks + threads - 1) / threads;
    const std::chrono::duration<double> whole = *context_.stop.deadline - begin_;
    return std::chrono::duration_cast<Clock::duration>(whole * round.share /
                                                       static_cast<double>(batches));
  }

  AnnealBudget task_budget(const Task& task, Clock::duration slice) const {
    AnnealBudget budget;
    budget.stop = context_.stop;
    if (budget_.by_clock) {
      budget.by_clock = true;
      budget.moves = ~std::uint64_t{0};
      budget.stop.deadline = std::min(*context_.stop.deadline, Clock::now() + slice);
    } else {
      budget.moves = budget_.moves_per_task;
      if (task.annealer != Annealer::rectangles) budget.moves /= kCurveMoveCost;
    }
    return budget;
  }

  const SearchContext& context_;
  const PortfolioBudget& budget_;
  Incumbent& incumbent_;
  Clock::time_point begin_;
};

}  // namespace

void anneal_in_rounds(const SearchContext& context, std::vector<Candidate> candidates,
                      const PortfolioBudget& budget, Incumbent& incumbent) {
  RoundRunner runner(context, budget, incumbent);
  for (std::size_t round = 0; round < std::size(kRounds); ++round) {
    if (candidates.empty() || context.stop.raised()) return;
    if (incumbent.best()->total == context.least_total) return;
    candidates = runner.run(round, best_distinct(std::move(candidates), kCandidatesPerRound));
  }
}

}  // namespace waferloom
