#include "optimize/case_islands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "optimize/cases/case_search.h"
#include "optimize/placer_run.h"
#include "optimize/search/island_ring.h"

// Problem: a search for the fastest placement is long, and settles where its baseline leads.
// Idea: islands, as for placements; what is exchanged is the placement that ran fastest, and an
// island goes on with rounds from there instead of placing anew.
// Cost: islands × epochs calls of optimize_case, and one simulation of the winner.
namespace waferloom::optimize {
namespace {

double rate(const Trial& trial) { return trial.measured->metrics.samples_per_s; }

IslandRules<CaseFound> rules_of(const CaseSearchOptions& options) {
  IslandRules<CaseFound> rules{options.strategy, options.start, nullptr, nullptr, nullptr};
  rules.is_better = [](const CaseFound& a, const CaseFound& b) {
    return rate(a.trial) > rate(b.trial);
  };
  rules.start = [](const CaseFound& found) { return whole_start(found.placement); };
  rules.is_done = [](const CaseFound& best) {
    return CaseSearch::kWorthARound * rate(best.trial) > best.roof_per_s;
  };
  return rules;
}

/// One search, and what is to be known of it afterwards; nothing if a signal cut it too early.
std::optional<CaseEnd> end_of(const CaseJob& job, const SearchControl& control,
                              const IslandTask& task) {
  CaseSearchOptions options = job.options;
  options.strategy = task.strategy;
  options.start = task.start;
  SearchControl own = control;
  own.seed = task.seed;
  own.effort_given = true;
  try {
    OptimizedCase found = optimize_case(job.problem, job.hardware, options, job.simulation, own);
    OptimizeResult& result = found.result;
    return CaseEnd{CaseFound{std::move(found.placement), result.trials[result.best],
                             result.trials[*result.baseline], result.roof_per_s.value_or(0)},
                   ""};
  } catch (const SearchEnded& ended) {
    if (ended.reason() != EndReason::infeasible) return std::nullopt;
    return CaseEnd{std::nullopt, ended.what()};
  }
}

/// What islands found as candidates of one search.
class Candidates {
 public:
  void add(const std::vector<IslandTask>& tasks, const CaseEnds& ends) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (!ends[i]) continue;
      if (infeasible_.empty()) infeasible_ = ends[i]->infeasible;
      if (!ends[i]->found) continue;
      const CaseFound& found = *ends[i]->found;
      if (trials_.empty()) add(found.baseline, std::nullopt);
      roof_per_s_ = std::min(roof_per_s_.value_or(found.roof_per_s), found.roof_per_s);
      Trial trial = found.trial;
      trial.description = trial.name + ": " + trial.description;
      trial.name = name(tasks[i]);
      add(std::move(trial), found.placement);
    }
  }

  /// Why there is none, as the first that says so has it.
  const std::string& infeasible() const { return infeasible_; }

  static std::string name(const IslandTurn& turn) {
    return fmt::format("island {} in epoch {}", turn.island + 1, turn.epoch + 1);
  }

  /// The result; the winner's trial with what was measured last.
  OptimizeResult result(const IslandNote& note, const Trial& measured) {
    OptimizeResult result;
    const std::string winner = name({note.epoch, note.island});
    const auto at = std::find_if(trials_.begin(), trials_.end(),
                                 [&](const Trial& trial) { return trial.name == winner; });
    at->measured = measured.measured;
    at->verdict = Verdict::slower;
    result.best = static_cast<std::size_t>(at - trials_.begin());
    result.trials = std::move(trials_);
    result.baseline = 0;
    result.rounds = note.epochs;
    result.roof_per_s = roof_per_s_;
    result.islands = note;
    explain(result.trials, result.best);
    return result;
  }

 private:
  void add(Trial trial, std::optional<Placement> placement) {
    for (std::size_t i = 0; placement && i < placements_.size(); ++i) {
      if (placements_[i] != placement) continue;
      trial.verdict = Verdict::repeated;
      trial.reason = "the same placement as " + trials_[i].name;
      break;
    }
    trials_.push_back(std::move(trial));
    placements_.push_back(std::move(placement));
  }

  std::vector<Trial> trials_;
  std::vector<std::optional<Placement>> placements_;
  std::optional<double> roof_per_s_;
  std::string infeasible_;
};

std::vector<IslandEnd<CaseFound>> ring_ends(CaseEnds found) {
  std::vector<IslandEnd<CaseFound>> ends;
  for (auto& each : found) {
    ends.push_back({!each, each ? std::move(each->found) : std::nullopt});
  }
  return ends;
}

/// The placement as a search of its own: routed and simulated, without a round.
OptimizedCase simulated(const CaseJob& job, const SearchControl& control, const CaseFound& found) {
  CaseSearchOptions options = job.options;
  options.start = whole_start(found.placement);
  options.rounds = 0;
  SearchControl own = control;
  own.effort_given = true;
  return optimize_case(job.problem, job.hardware, options, job.simulation, own);
}

}  // namespace

OptimizedCase optimize_case_islands(const CaseJob& job, const SearchControl& control,
                                    const IslandCounts& counts, const CaseEpochEngine& engine) {
  Candidates candidates;
  const IslandRules<CaseFound> rules = rules_of(job.options);
  const auto [ring, lost] =
      run_ring<CaseFound>(rules, counts, control, [&](const std::vector<IslandTask>& tasks) {
        CaseEnds ends = engine(tasks);
        candidates.add(tasks, ends);
        return ring_ends(std::move(ends));
      });
  const std::optional<IslandNote> note = note_of(ring, counts, lost);
  if (!note) {
    if (control.interrupted()) {
      throw SearchEnded(EndReason::interrupted, "interrupted before any island found a placement");
    }
    throw SearchEnded(EndReason::infeasible, candidates.infeasible());
  }
  const CaseFound& best = ring.at(note->island)->found;
  // What is left is short, and has to be done after a signal, too.
  SearchControl last = control;
  last.stop = nullptr;
  OptimizedCase winner = simulated(job, last, best);
  const Trial measured = winner.result.trials[winner.result.best];
  const std::string end = rules.is_done(best) ? "roof" : "effort";
  winner.result = candidates.result(*note, measured);
  winner.result.subject = job.problem.name();
  winner.result.source = job.options.source;
  winner.result.ended_by = control.ended_by(end);
  return winner;
}

CaseEpochEngine case_engine_here(const CaseJob& job, const SearchControl& control,
                                 const IslandCounts& counts) {
  return [&job, &control, counts](const std::vector<IslandTask>& tasks) {
    tell_epoch(control, tasks, counts, job.options.source);
    const SearchControl part = part_of(control, counts);
    CaseEnds ends(tasks.size());
    run_parallel(tasks.size(), control,
                 [&](std::size_t i) { ends[i] = end_of(job, part, tasks[i]); });
    return ends;
  };
}

std::optional<CaseEnd> case_island_task(const CaseJob& job, const SearchControl& control,
                                        const IslandCounts& counts, const IslandTurn& turn,
                                        const CaseEpochEngine& before) {
  std::optional<CaseEnd> end;
  run_ring<CaseFound>(rules_of(job.options), {counts.islands, turn.epoch + 1}, control,
                      [&](const std::vector<IslandTask>& tasks) {
                        if (tasks.front().epoch < turn.epoch) return ring_ends(before(tasks));
                        end = end_of(job, control, tasks[turn.island]);
                        return std::vector<IslandEnd<CaseFound>>(tasks.size());
                      });
  return end;
}

}  // namespace waferloom::optimize
