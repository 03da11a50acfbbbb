#include "placer/portfolio/portfolio.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "model/run_control.h"
#include "placer/annealing/curve_annealer.h"
#include "placer/annealing/rectangle_annealer.h"
#include "placer/annealing/slicing_recovery.h"
#include "placer/free/compaction.h"
#include "placer/free/free_annealer.h"
#include "placer/free/free_squeeze.h"
#include "placer/portfolio/rounds.h"

// Problem: improve the best starts within a budget of moves or of time, on all cores, with the same
// result at any number of threads.
// Idea: rounds of tasks. A task anneals one candidate with one annealer and a seed of its own. A
// round's results compete with their candidates by total, then by index. The next round is cooler.
// Source: simulated annealing (Kirkpatrick et al. 1983); the portfolio is ours.
// Cost: the moves of the budget, shared out evenly among a round's tasks.
namespace waferloom::placer {
namespace {

/// On curves at the task's cap, or at caps around the candidate's own.
std::optional<Placement> anneal_on_curves(const SearchContext& context, const Task& task,
                                          const Candidate& from, const AnnealBudget& budget,
                                          const Cooling& cooling, RandomStream& random) {
  const SlicingTree tree = nearest_slicing_tree(context.problem, from.placement);
  std::vector<std::int64_t> caps{task.time};
  std::size_t level = 0;
  if (task.annealer == Annealer::curves) {
    caps = caps_around(context, from.score.time);
    const auto own = std::find(caps.begin(), caps.end(), from.score.time);
    level = static_cast<std::size_t>(own - caps.begin());
  }
  std::vector<ShapesAtTime> levels;
  for (const std::int64_t cap : caps) levels.push_back(context.library.at(cap));
  const auto result = anneal_curves(context.library, levels, CurveAnnealStart{tree, level}, budget,
                                    cooling, random);
  if (!result) return std::nullopt;
  return refit(context.library, result->tree, levels[result->level].time, context.stop);
}

/// The candidates with different totals, cheapest first.
std::vector<Candidate> cheapest_first(std::vector<Candidate> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.total < b.total; });
  const auto same = [](const Candidate& a, const Candidate& b) { return a.total == b.total; };
  candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
  return candidates;
}

class RoundRunner {
 public:
  /// A cycle that begins with round `first`.
  RoundRunner(const SearchContext& context, const PortfolioBudget& budget, std::size_t cycle,
              std::size_t first, Incumbent& incumbent)
      : context_(context),
        budget_(budget),
        first_rank_(cycle * std::size(kRounds)),
        incumbent_(incumbent),
        begin_(Clock::now()) {
    for (std::size_t round = first; round < std::size(kRounds); ++round) {
      whole_share_ += kRounds[round].share;
    }
  }

  /// What one task of a round may use.
  struct Slice {
    Clock::duration time{};
    std::uint64_t moves = 0;
  };
  /// A round at work: a front of what each task found.
  struct Work {
    std::size_t index;
    std::vector<Candidate> candidates;
    std::vector<Task> tasks;
    Slice slice;
    std::vector<std::vector<Candidate>> fronts;
  };

  /// The tasks of a round, and what each may use.
  Work begin(std::size_t index, std::vector<Candidate> candidates) const {
    std::vector<Task> tasks = tasks_of(context_, index, candidates);
    std::erase_if(tasks, [&](const Task& task) { return !may_use(task.annealer); });
    const Slice slice = slice_of(kRounds[index], std::max<std::size_t>(1, tasks.size()));
    const std::size_t count = tasks.size();
    return {index, std::move(candidates), std::move(tasks), slice,
            std::vector<std::vector<Candidate>>(count)};
  }

  /// Anneals from the candidate of a task. Tasks of one round may run side by side.
  void run_task(Work& work, std::size_t i) const {
    if (context_.stop.is_cut()) return;
    const Task& task = work.tasks[i];
    const Candidate& from = work.candidates[task.candidate];
    const AnnealBudget budget = task_budget(task, work.slice);
    Cooling cooling = cooling_of(kRounds[work.index]);
    cooling.first *= task.heat;
    RandomStream random({budget_.seed, first_rank_ + work.index + 1, i});
    const auto emit = [&](const Placement& found) { take(work, i, found); };
    std::optional<Placement> found;
    switch (task.annealer) {
      case Annealer::squeeze:
        squeeze_free(context_.library, context_.space, from.placement, task.heat, budget, random,
                     emit);
        break;
      case Annealer::free:
        found =
            anneal_free(context_.library, context_.space, from.placement, budget, cooling, random);
        break;
      case Annealer::rectangles: {
        const SlicingTree tree = nearest_slicing_tree(context_.problem, from.placement);
        const auto result = anneal_rectangles(
            context_.library, RectangleAnnealStart{tree, from.placement}, budget, cooling, random);
        if (result) found = result->placement;
        break;
      }
      case Annealer::curves:
      case Annealer::curves_at_cap:
        found = anneal_on_curves(context_, task, from, budget, cooling, random);
        break;
    }
    if (found) emit(*found);
  }

  /// What the tasks found and the candidates together.
  std::vector<Candidate> end(Work work) const {
    std::vector<Candidate> candidates = std::move(work.candidates);
    // What broke constraints was worth a start, no more.
    std::erase_if(candidates, [&](const Candidate& candidate) {
      return !keeps_constraints(context_.problem, candidate.placement);
    });
    for (auto& front : work.fronts) {
      for (Candidate& candidate : front) candidates.push_back(std::move(candidate));
    }
    return candidates;
  }

 private:
  static constexpr std::uint64_t kRanksPerRound = 1000;  // starts come before all rounds
  static constexpr std::uint64_t kCurveMoveCost = 4;
  static constexpr double kRectanglesCooler = 0.5;
  static constexpr double kForTasks = 0.97;  // of the time, the rest for what follows annealing

  /// Keeps and offers what task `i` found.
  void take(Work& work, std::size_t i, const Placement& found) const {
    const char* name = name_of(work.tasks[i].annealer);
    const Placement placement = finished(found);
    add_to_front(work.fronts[i],
                 make_candidate(context_.problem, goes_on(placement) ? placement : found, name));
    incumbent_.offer(placement, name, kRanksPerRound * (first_rank_ + work.index + 1) + i);
  }

  Placement finished(const Placement& found) const {
    if (!budget_.parts.compaction) return found;
    return compact(context_.problem, context_.space, found, context_.stop);
  }

  /// Whether the next round can begin with a compacted placement: rectangles that lie anywhere
  /// hardly move any more once they touch, and a slicing tree has to fit.
  bool goes_on(const Placement& compacted) const {
    return !context_.space.binds() && recover_slicing_tree(context_.problem, compacted).has_value();
  }

  bool may_use(Annealer annealer) const {
    if (annealer == Annealer::rectangles) return budget_.parts.rectangles;
    const bool curves = annealer == Annealer::curves || annealer == Annealer::curves_at_cap;
    return !curves || budget_.parts.curves;
  }

  Slice slice_of(const Round& round, std::size_t tasks) const {
    Slice slice;
    const double share = round.share / whole_share_;
    slice.moves = static_cast<std::uint64_t>(static_cast<double>(budget_.moves) * share /
                                             static_cast<double>(tasks));
    const auto deadline = context_.stop.deadline();
    if (!budget_.by_clock || !deadline) return slice;
    const auto threads = static_cast<std::size_t>(budget_.threads);
    const std::size_t batches = (tasks + threads - 1) / threads;
    const std::chrono::duration<double> whole = (*deadline - begin_) * kForTasks;
    slice.time =
        std::chrono::duration_cast<Clock::duration>(whole * share / static_cast<double>(batches));
    return slice;
  }

  /// More kernels need more moves a degree, so they start cooler.
  Cooling cooling_of(const Round& round) const {
    constexpr double kKernelsAtHottest = 50.0;
    const auto kernels = static_cast<double>(context_.problem.kernel_count());
    Cooling cooling = round.cooling;
    cooling.first *= budget_.heat;
    if (context_.costs.per_adapter() > 0) cooling.first *= kRectanglesCooler;
    cooling.first *= std::min(1.0, kKernelsAtHottest / kernels);
    cooling.first = std::max(cooling.first, cooling.last);
    return cooling;
  }

  AnnealBudget task_budget(const Task& task, const Slice& slice) const {
    AnnealBudget budget;
    budget.stop = context_.stop;
    if (budget_.by_clock) {
      budget.by_clock = true;
      budget.moves = ~std::uint64_t{0};
      const auto left = context_.stop.deadline().value() - Clock::now();
      const auto most = std::chrono::duration_cast<Clock::duration>(left * kForTasks);
      budget.stop = context_.stop.with_time(std::min(most, slice.time));
    } else {
      budget.moves = slice.moves;
      if (task.annealer != Annealer::rectangles) budget.moves /= kCurveMoveCost;
    }
    return budget;
  }

  const SearchContext& context_;
  const PortfolioBudget& budget_;
  std::size_t first_rank_;  ///< rounds before this cycle
  Incumbent& incumbent_;
  Clock::time_point begin_;
  double whole_share_ = 0;  ///< of the rounds of this cycle
};

/// In units of the first cycle's length, how much work there is.
double room_for_cycles(const SearchContext& context, const PortfolioBudget& budget) {
  constexpr double kSecondsOfFirst = 4.0;
  constexpr double kKernels = 100.0;  // more of them need longer
  const auto deadline = context.stop.deadline();
  if (!budget.by_clock || !deadline) {
    return static_cast<double>(budget.moves) / static_cast<double>(budget.moves_of_first_cycle);
  }
  const std::chrono::duration<double> left = *deadline - Clock::now();
  const auto kernels = static_cast<double>(context.problem.kernel_count());
  return left.count() / (kSecondsOfFirst * std::max(1.0, kernels / kKernels));
}

}  // namespace

bool anneal_in_rounds(const SearchContext& context, const std::vector<Candidate>& candidates,
                      const PortfolioBudget& budget, Incumbent& incumbent) {
  constexpr std::size_t kElite = 8;
  const std::vector<Cycle> cycles = plan_cycles(room_for_cycles(context, budget));
  std::vector<Candidate> elite;
  double share_left = 1;
  for (std::size_t index = 0; index < cycles.size(); ++index) {
    const Cycle& cycle = cycles[index];
    PortfolioBudget own = budget;
    own.moves = static_cast<std::uint64_t>(static_cast<double>(budget.moves) * cycle.share);
    SearchContext limited = context;
    if (budget.by_clock) limited.stop = context.stop.with_share_of_rest(cycle.share / share_left);
    share_left -= cycle.share;
    const bool reheats = cycle.reheats && !elite.empty();
    const std::size_t first = reheats ? 1 : 0;  // without the hottest round
    std::vector<Candidate> pool = reheats ? elite : candidates;
    RoundRunner runner(limited, own, index, first, incumbent);
    for (std::size_t round = first; round < std::size(kRounds); ++round) {
      if (pool.empty() || limited.stop.is_cut()) break;
      if (incumbent.best() && incumbent.best()->total == context.least_total) return false;
      RoundRunner::Work work = runner.begin(round, cheapest_first(std::move(pool)));
      parallel_tasks(work.tasks.size(), budget.threads,
                     [&](std::size_t i) { runner.run_task(work, i); });
      pool = runner.end(std::move(work));
    }
    if (context.stop.is_cut()) break;
    elite.insert(elite.end(), pool.begin(), pool.end());
    elite = cheapest_first(std::move(elite));
    if (elite.size() > kElite) elite.resize(kElite);
  }
  return budget.by_clock && !elite.empty();
}

}  // namespace waferloom::placer
