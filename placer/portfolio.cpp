#include "placer/portfolio.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "placer/compaction.h"
#include "placer/curve_annealer.h"
#include "placer/free_annealer.h"
#include "placer/free_squeeze.h"
#include "placer/parallel.h"
#include "placer/rectangle_annealer.h"
#include "placer/slicing_recovery.h"
#include "placer/time_steps.h"

namespace waferloom {
namespace {

using Clock = std::chrono::steady_clock;

/// One round of the schedule, a step of successive halving: few survive, and get more work each.
struct Round {
  double share;           ///< of the whole work
  Cooling cooling;        ///< before cooling_of
  std::size_t survivors;  ///< candidates that are worked on, unless first_runs chooses
  bool polishes;          ///< the last rounds: all annealers, at several caps
};
constexpr Round kRounds[] = {
    {0.40, {0.10, 0.003}, 4, false},
    {0.25, {0.06, 0.003}, 4, false},
    {0.20, {0.03, 0.002}, 2, true},
    {0.15, {0.015, 0.001}, 2, true},
};
constexpr double kHotter = 4;

enum class Annealer { curves_at_cap, curves, rectangles, free, squeeze };

const char* name_of(Annealer annealer) {
  if (annealer == Annealer::free) return "free-annealing";
  if (annealer == Annealer::squeeze) return "free-squeeze";
  return annealer == Annealer::rectangles ? "rectangle-annealing" : "curve-annealing";
}

/// One annealing run of a round.
struct Task {
  Annealer annealer;
  std::size_t candidate;
  std::int64_t time = 0;  ///< of curves_at_cap
  double heat = 1;        ///< on the round's first temperature; of squeeze the weight of wire
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
  return refit(context.library, result->tree, levels[result->level].time, context.stop);
}

/// Runs a task from a candidate and emits what it finds.
void run_task(const SearchContext& context, const Task& task, const Candidate& from,
              const AnnealBudget& budget, const Cooling& round_cooling, RandomStream& random,
              const EmitPlacement& emit) {
  const Cooling cooling{task.heat * round_cooling.first, round_cooling.last};
  const auto emit_if_any = [&](const std::optional<Placement>& placement) {
    if (placement) emit(*placement);
  };
  if (task.annealer == Annealer::squeeze) {
    squeeze_free(context.library, context.space, from.placement, task.heat, budget, random, emit);
    return;
  }
  if (task.annealer == Annealer::free) {
    emit_if_any(
        anneal_free(context.library, context.space, from.placement, budget, cooling, random));
    return;
  }
  const SlicingTree tree = nearest_slicing_tree(context.problem, from.placement);
  if (task.annealer == Annealer::rectangles) {
    const auto result = anneal_rectangles(
        context.library, RectangleAnnealStart{tree, from.placement}, budget, cooling, random);
    if (result) emit(result->placement);
    return;
  }
  std::vector<std::int64_t> caps{task.time};
  if (task.annealer == Annealer::curves) caps = caps_around(context, from.score.time);
  const auto own = std::find(caps.begin(), caps.end(), from.score.time);
  const std::size_t level =
      task.annealer == Annealer::curves ? static_cast<std::size_t>(own - caps.begin()) : 0;
  emit_if_any(anneal_on_curves(context, caps, tree, level, budget, cooling, random));
}

/// Whether a candidate costs so much more than the best that annealing from it is no use.
bool far_off(const Candidate& candidate, const Candidate& best) {
  constexpr int kPerCent = 8;
  return (candidate.total - best.total) * 100 > best.total * kPerCent;
}

/// The cheapest candidate that keeps a time cap and is not of strategy `but`.
std::optional<std::size_t> best_within(const std::vector<Candidate>& candidates, std::int64_t cap,
                                       const std::string& but) {
  const auto found =
      std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
        return candidate.score.time <= cap && candidate.strategy != but;
      });
  if (found == candidates.end()) return std::nullopt;
  return static_cast<std::size_t>(found - candidates.begin());
}

/// Up to `most` candidates to begin with: the best of each strategy, for their structures differ
/// and annealing mostly keeps them, then others.
std::vector<std::size_t> best_of_each(const std::vector<Candidate>& candidates, std::size_t most) {
  std::vector<std::size_t> firsts;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (far_off(candidates[i], candidates.front())) break;
    const bool seen = std::any_of(firsts.begin(), firsts.end(), [&](std::size_t first) {
      return candidates[first].strategy == candidates[i].strategy;
    });
    (seen ? others : firsts).push_back(i);
  }
  firsts.insert(firsts.end(), others.begin(), others.end());
  if (firsts.size() > most) firsts.resize(most);
  return firsts;
}

/// The first round without adapters: the best of each start, then the steps of time next below the
/// best one's, each from two starts, or where none is as fast, from the best one, which overflows
/// at first.
std::vector<Task> first_runs(const SearchContext& context, const std::vector<Candidate>& candidates,
                             std::size_t starts) {
  constexpr std::size_t kCaps = 4;
  constexpr std::size_t kMostOverfull = 2;  // tasks that begin with an overflow
  std::vector<Task> tasks;
  std::size_t overfull = 0;
  const auto add = [&](std::size_t candidate, std::int64_t cap) {
    const auto same = [&](const Task& task) {
      return task.candidate == candidate && task.time == cap;
    };
    if (std::none_of(tasks.begin(), tasks.end(), same)) {
      tasks.push_back(Task{Annealer::curves_at_cap, candidate, cap});
    }
  };
  for (const std::size_t i : best_of_each(candidates, starts)) add(i, candidates[i].score.time);
  std::vector<std::int64_t> caps = caps_around(context, candidates.front().score.time);
  std::erase_if(caps, [&](std::int64_t cap) { return cap >= candidates.front().score.time; });
  while (caps.size() > kCaps) caps.erase(caps.begin());
  for (std::size_t i = caps.size(); i-- > 0;) {
    const auto best = best_within(candidates, caps[i], "");
    if (!best) {
      if (overfull++ < kMostOverfull) add(0, caps[i]);
      continue;
    }
    add(*best, caps[i]);
    const auto other = best_within(candidates, caps[i], candidates[*best].strategy);
    if (other) add(*other, caps[i]);
  }
  return tasks;
}

/// What a round does where constraints bind: annealing, and where time is most of the cost, in the
/// even rounds squeezes, which bring lower caps.
std::vector<Task> free_runs(const SearchContext& context, std::size_t round,
                            const std::vector<Candidate>& candidates) {
  constexpr std::size_t kFirst = 4;  // candidates of the first round
  constexpr std::size_t kLater = 2;
  const Candidate& best = candidates.front();
  const bool by_time = Int128{2} * best.score.time * context.costs.per_time() > best.total;
  const bool squeezes = by_time && round % 2 == 0;
  // A tile of wire weighs as it does against what shrinking all kernels by a row costs in time.
  const Wafer& wafer = context.problem.wafer();
  const double row_of_time = static_cast<double>(best.score.time * context.costs.per_time()) /
                             static_cast<double>(std::min(wafer.width, wafer.height));
  const double tile_of_wire = 2.0 * static_cast<double>(context.costs.per_half_distance());
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < std::min(candidates.size(), round < 2 ? kFirst : kLater); ++i) {
    if (squeezes) {
      for (const double factor : {5.0, 1.5}) {
        tasks.push_back(Task{Annealer::squeeze, i, 0, factor * tile_of_wire / row_of_time});
      }
    } else {
      for (const double heat : {1.0, kHotter}) tasks.push_back(Task{Annealer::free, i, 0, heat});
    }
  }
  return tasks;
}

/// What a round does with its candidates, cheapest first. Where adapters cost something: rigid
/// rectangles, which see them, as hot as the round says and hotter. Elsewhere curves, each
/// candidate at its own cap at first; in the last rounds also at other caps, and rectangles.
std::vector<Task> tasks_of(const SearchContext& context, std::size_t index,
                           const std::vector<Candidate>& candidates) {
  const Round& round = kRounds[index];
  if (context.space.binds()) return free_runs(context, index, candidates);
  const bool adapters_cost = context.costs.per_adapter() > 0;
  if (index == 0 && !adapters_cost) return first_runs(context, candidates, round.survivors);
  std::vector<std::size_t> survivors(std::min(candidates.size(), round.survivors));
  std::iota(survivors.begin(), survivors.end(), std::size_t{0});
  if (index == 0) survivors = best_of_each(candidates, round.survivors);
  std::vector<Task> tasks;
  for (const std::size_t i : survivors) {
    if (adapters_cost) {
      tasks.push_back(Task{Annealer::rectangles, i});
      tasks.push_back(Task{Annealer::rectangles, i, 0, kHotter});
    } else if (round.polishes) {
      tasks.push_back(Task{Annealer::curves, i});
      tasks.push_back(Task{Annealer::rectangles, i});
      tasks.push_back(Task{Annealer::rectangles, i, 0, kHotter});
    } else {
      tasks.push_back(Task{Annealer::curves_at_cap, i, candidates[i].score.time});
    }
  }
  return tasks;
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

  /// Runs the tasks of a round; their results and the candidates together.
  std::vector<Candidate> run(std::size_t index, std::vector<Candidate> candidates) {
    std::vector<Task> tasks = tasks_of(context_, index, candidates);
    std::erase_if(tasks, [&](const Task& task) { return !may_use(task.annealer); });
    std::vector<std::vector<Candidate>> fronts(tasks.size());
    const Slice slice = slice_of(kRounds[index], std::max<std::size_t>(1, tasks.size()));
    parallel_tasks(tasks.size(), budget_.threads, [&](std::size_t i) {
      if (context_.stop.raised()) return;
      const Task& task = tasks[i];
      RandomStream random({budget_.seed, first_rank_ + index + 1, i});
      const auto emit = [&](const Placement& found) {
        const Placement placement = finished(found);
        // Rectangles that lie anywhere hardly move any more once they touch.
        add_to_front(fronts[i],
                     make_candidate(context_.problem, context_.space.binds() ? found : placement,
                                    name_of(task.annealer)));
        incumbent_.offer(placement, name_of(task.annealer),
                         kRanksPerRound * (first_rank_ + index + 1) + i);
      };
      run_task(context_, task, candidates[task.candidate], task_budget(task, slice),
               cooling_of(kRounds[index]), random, emit);
    });
    // What broke constraints was worth a start, no more.
    std::erase_if(candidates, [&](const Candidate& candidate) {
      return !keeps_constraints(context_.problem, candidate.placement);
    });
    for (auto& front : fronts) {
      for (Candidate& candidate : front) candidates.push_back(std::move(candidate));
    }
    return candidates;
  }

 private:
  static constexpr std::uint64_t kRanksPerRound = 1000;  // starts come before all rounds
  static constexpr std::uint64_t kCurveMoveCost = 4;
  static constexpr double kRectanglesCooler = 0.5;

  Placement finished(const Placement& found) const {
    if (!budget_.parts.compaction) return found;
    return compact(context_.problem, context_.space, found, context_.stop);
  }

  bool may_use(Annealer annealer) const {
    if (annealer == Annealer::rectangles) return budget_.parts.rectangles;
    const bool curves = annealer == Annealer::curves || annealer == Annealer::curves_at_cap;
    return !curves || budget_.parts.curves;
  }

  /// What one task of a round may use.
  struct Slice {
    Clock::duration time{};
    std::uint64_t moves = 0;
  };

  Slice slice_of(const Round& round, std::size_t tasks) const {
    Slice slice;
    const double share = round.share / whole_share_;
    slice.moves = static_cast<std::uint64_t>(static_cast<double>(budget_.moves) * share /
                                             static_cast<double>(tasks));
    if (!budget_.by_clock || !context_.stop.deadline) return slice;
    const auto threads = static_cast<std::size_t>(budget_.threads);
    const std::size_t batches = (tasks + threads - 1) / threads;
    const std::chrono::duration<double> whole = *context_.stop.deadline - begin_;
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
      budget.stop.deadline = std::min(*context_.stop.deadline, Clock::now() + slice.time);
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

/// One pass through the rounds.
struct Cycle {
  double share = 1;             ///< of the whole work
  std::size_t first_round = 0;  ///< cycles that reheat what was found leave out the hottest one
};

/// A long run is worth more as several annealings than as a slow one. Half of it begins with the
/// starts, every time twice as long as the time before: early ones are soon over, late ones reach
/// what takes long. The other half reheats the best of all.
std::vector<Cycle> cycles_within(const SearchContext& context, const PortfolioBudget& budget) {
  constexpr double kSecondsOfFirst = 4.0;
  constexpr double kKernels = 100.0;  // more of them need longer
  constexpr double kReheat = 2.0;     // length in those of the first cycle
  double room =
      static_cast<double>(budget.moves) / static_cast<double>(budget.moves_of_first_cycle);
  if (budget.by_clock && context.stop.deadline) {
    const std::chrono::duration<double> left = *context.stop.deadline - Clock::now();
    const auto kernels = static_cast<double>(context.problem.kernel_count());
    room = left.count() / (kSecondsOfFirst * std::max(1.0, kernels / kKernels));
  }
  std::vector<Cycle> cycles;
  double length = 1;
  double whole = 0;
  const auto add = [&](const Cycle& cycle) {
    cycles.push_back(cycle);
    whole += cycle.share;
  };
  for (; cycles.empty() || whole + length <= room / 2; length *= 2) add({length, 0});
  while (whole + kReheat <= room) add({kReheat, 1});
  for (Cycle& cycle : cycles) cycle.share /= whole;
  return cycles;
}

}  // namespace

void anneal_in_rounds(const SearchContext& context, const std::vector<Candidate>& candidates,
                      const PortfolioBudget& budget, Incumbent& incumbent) {
  constexpr std::size_t kElite = 8;
  const std::vector<Cycle> cycles = cycles_within(context, budget);
  std::vector<Candidate> elite;
  double share_left = 1;
  for (std::size_t index = 0; index < cycles.size(); ++index) {
    const Cycle& cycle = cycles[index];
    PortfolioBudget own = budget;
    own.moves = static_cast<std::uint64_t>(static_cast<double>(budget.moves) * cycle.share);
    SearchContext limited = context;
    if (budget.by_clock) limited.stop = within_share(context.stop, cycle.share / share_left);
    share_left -= cycle.share;
    std::vector<Candidate> pool = elite;
    if (cycle.first_round == 0) pool.insert(pool.end(), candidates.begin(), candidates.end());
    RoundRunner runner(limited, own, index, cycle.first_round, incumbent);
    for (std::size_t round = cycle.first_round; round < std::size(kRounds); ++round) {
      if (pool.empty() || limited.stop.raised()) break;
      if (incumbent.best() && incumbent.best()->total == context.least_total) return;
      pool = runner.run(round, cheapest_first(std::move(pool)));
    }
    if (context.stop.raised()) return;
    elite = cheapest_first(std::move(pool));
    if (elite.size() > kElite) elite.resize(kElite);
  }
}

}  // namespace waferloom
