#include "placer/portfolio.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "placer/curve_annealer.h"
#include "placer/parallel.h"
#include "placer/rectangle_annealer.h"
#include "placer/slicing_recovery.h"

namespace waferloom {
namespace {

using Clock = std::chrono::steady_clock;

/// One round of the schedule: its share of the work, and how hot it starts.
struct Round {
  double share;
  Cooling cooling;
};
constexpr Round kRounds[] = {
    {0.30, {0.08, 0.0005}},
    {0.30, {0.03, 0.0003}},
    {0.20, {0.015, 0.0002}},
    {0.20, {0.008, 0.0001}},
};
constexpr std::size_t kCandidatesPerRound = 2;

enum class Annealer { curves, rectangles };
constexpr Annealer kAnnealers[] = {Annealer::curves, Annealer::rectangles};

const char* name_of(Annealer annealer) {
  return annealer == Annealer::curves ? "curve-annealing" : "rectangle-annealing";
}

/// Time caps around a candidate's own, each lowered to what its slowest shape really takes.
std::vector<ShapesAtTime> levels_around(const SearchContext& context, std::int64_t time,
                                        std::size_t& own) {
  constexpr int kBelow = 10;
  constexpr int kAbove = 4;
  constexpr std::int64_t kPerCent = 100;
  std::vector<ShapesAtTime> levels;
  for (int step = -kBelow; step <= kAbove; ++step) {
    const std::int64_t cap = time + time * step / kPerCent;
    if (cap < context.area_bound && step != 0) continue;
    ShapesAtTime shapes = context.library.at(cap);
    if (!shapes.all_exist) continue;
    if (step == 0) own = levels.size();
    levels.push_back(std::move(shapes));
  }
  return levels;
}

std::optional<Placement> run_annealer(const SearchContext& context, Annealer annealer,
                                      const Candidate& from, const AnnealBudget& budget,
                                      const Cooling& cooling, RandomStream& random) {
  const auto tree = recover_slicing_tree(context.problem, from.placement);
  if (!tree) return std::nullopt;
  if (annealer == Annealer::rectangles) {
    return anneal_rectangles(context.library, RectangleAnnealStart{*tree, from.placement}, budget,
                             cooling, random)
        .placement;
  }
  std::size_t own = 0;
  const std::vector<ShapesAtTime> levels = levels_around(context, from.score.time, own);
  const auto result =
      anneal_curves(context.library, levels, CurveAnnealStart{*tree, own}, budget, cooling, random);
  if (!result) return std::nullopt;
  return refit(context.library, result->tree, levels[result->level].time);
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

  /// Anneals every candidate with every annealer; the results and the candidates together.
  std::vector<Candidate> run(std::size_t index, std::vector<Candidate> candidates) {
    const std::size_t kinds = std::size(kAnnealers);
    const std::size_t tasks = candidates.size() * kinds;
    std::vector<std::optional<Candidate>> results(tasks);
    const Clock::duration slice = slice_of(kRounds[index], tasks);
    parallel_tasks(tasks, budget_.threads, [&](std::size_t task) {
      if (context_.stop.raised()) return;
      const Annealer annealer = kAnnealers[task % kinds];
      RandomStream random({budget_.seed, index + 1, task});
      const auto placement =
          run_annealer(context_, annealer, candidates[task / kinds], task_budget(annealer, slice),
                       kRounds[index].cooling, random);
      if (!placement) return;
      results[task] = make_candidate(context_.problem, *placement, name_of(annealer));
      incumbent_.offer(*placement, name_of(annealer), kFirstRank + index * tasks + task);
    });
    for (auto& result : results) {
      if (result) candidates.push_back(std::move(*result));
    }
    return candidates;
  }

 private:
  static constexpr std::uint64_t kFirstRank = 1000;  // after all starts
  static constexpr std::uint64_t kCurveMoveCost = 4;

  Clock::duration slice_of(const Round& round, std::size_t tasks) const {
    if (!budget_.by_clock || !context_.stop.deadline) return {};
    const auto threads = static_cast<std::size_t>(budget_.threads);
    const std::size_t batches = (tasks + threads - 1) / threads;
    const std::chrono::duration<double> whole = *context_.stop.deadline - begin_;
    return std::chrono::duration_cast<Clock::duration>(whole * round.share /
                                                       static_cast<double>(batches));
  }

  AnnealBudget task_budget(Annealer annealer, Clock::duration slice) const {
    AnnealBudget budget;
    budget.stop = context_.stop;
    if (budget_.by_clock) {
      budget.by_clock = true;
      budget.moves = ~std::uint64_t{0};
      budget.stop.deadline = std::min(*context_.stop.deadline, Clock::now() + slice);
    } else {
      budget.moves = budget_.moves_per_task;
      if (annealer == Annealer::curves) budget.moves /= kCurveMoveCost;
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
    candidates = runner.run(round, best_distinct(std::move(candidates), kCandidatesPerRound));
  }
}

}  // namespace waferloom
