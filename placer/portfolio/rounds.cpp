#include "placer/portfolio/rounds.h"

#include <algorithm>
#include <optional>
#include <string>

#include "placer/annealing/time_steps.h"

namespace waferloom::placer {
namespace {

constexpr double kHotter = 4;

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

constexpr int kFarOff = 80;  // per mille: from what costs so much more annealing is no use

/// Up to `most` candidates that are not far off: first the best of each kind that costs at most so
/// many per mille more than the best, then the others. `kind` tells what is like what.
template <typename Kind>
std::vector<std::size_t> best_of_each(const std::vector<Candidate>& candidates, std::size_t most,
                                      int per_mille, const Kind& kind) {
  std::vector<std::size_t> firsts;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Int128 more = candidates[i].total - candidates.front().total;
    if (more * 1000 > candidates.front().total * kFarOff) break;
    const bool near = more * 1000 <= candidates.front().total * per_mille;
    const bool seen = std::any_of(firsts.begin(), firsts.end(), [&](std::size_t first) {
      return kind(candidates[first]) == kind(candidates[i]);
    });
    (near && !seen ? firsts : others).push_back(i);
  }
  firsts.insert(firsts.end(), others.begin(), others.end());
  if (firsts.size() > most) firsts.resize(most);
  return firsts;
}

/// Candidates to begin with: of each strategy, for their structures differ and annealing mostly
/// keeps them.
std::vector<std::size_t> starters(const std::vector<Candidate>& candidates, std::size_t most) {
  return best_of_each(candidates, most, kFarOff,
                      [](const Candidate& candidate) { return candidate.strategy; });
}

/// Candidates to go on with: of each time, for those of one time mostly come from one another.
std::vector<std::size_t> survivors(const std::vector<Candidate>& candidates, std::size_t most) {
  constexpr int kPerMille = 5;
  return best_of_each(candidates, most, kPerMille,
                      [](const Candidate& candidate) { return candidate.score.time; });
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
  for (const std::size_t i : starters(candidates, starts)) add(i, candidates[i].score.time);
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

}  // namespace

const char* name_of(Annealer annealer) {
  if (annealer == Annealer::free) return "free-annealing";
  if (annealer == Annealer::squeeze) return "free-squeeze";
  return annealer == Annealer::rectangles ? "rectangle-annealing" : "curve-annealing";
}

std::vector<Cycle> plan_cycles(double room) {
  constexpr double kReheat = 2.0;  // length in those of the first cycle, the last may be shorter
  std::vector<Cycle> cycles;
  double whole = 0;
  const auto add = [&](double length, bool reheats) {
    cycles.push_back(Cycle{length, reheats});
    whole += length;
  };
  for (double length = 1; cycles.empty() || whole + length <= room / 2; length *= 2) {
    add(length, false);
  }
  while (whole + 1 <= room) add(std::min(kReheat, room - whole), true);
  for (Cycle& cycle : cycles) cycle.share /= whole;
  return cycles;
}

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

std::vector<Task> tasks_of(const SearchContext& context, std::size_t index,
                           const std::vector<Candidate>& candidates) {
  const Round& round = kRounds[index];
  if (context.space.binds()) return free_runs(context, index, candidates);
  const bool adapters_cost = context.costs.per_adapter() > 0;
  if (index == 0 && !adapters_cost) return first_runs(context, candidates, round.survivors);
  const std::vector<std::size_t> chosen =
      index == 0 ? starters(candidates, round.survivors) : survivors(candidates, round.survivors);
  std::vector<Task> tasks;
  for (const std::size_t i : chosen) {
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

}  // namespace waferloom::placer
