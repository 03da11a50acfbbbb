#include "cli/placer_run.h"

#include <algorithm>
#include <exception>

#include "cli/failure.h"
#include "cli/interrupt.h"
#include "model/input_error.h"
#include "model/kernel_graph.h"
#include "model/text_scan.h"

namespace waferloom {
namespace {

constexpr std::chrono::seconds kWriteInterval{1};
constexpr std::string_view kAuto = "auto";      // always there
constexpr std::int64_t kLeastShareOfLimit = 2;  // the reserve is at most half of the limit

/// What happens at the placer's improvements. Exceptions do not pass through the placer: the first
/// one is kept, ends the run and is thrown afterwards.
class ImprovementListener {
 public:
  ImprovementListener(const PlacerRun& run, Progress& progress)
      : run_(run), costs_(run.problem), progress_(progress) {}

  void hear(const PlaceImprovement& better) noexcept {
    if (error_) return;
    try {
      take(better);
    } catch (...) {
      error_ = std::current_exception();
      request_stop();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  std::vector<ImprovementNote>& notes() { return notes_; }

 private:
  void take(const PlaceImprovement& better) {
    const ImprovementNote note{seconds_since(run_.start),
                               total_text(costs_, costs_.total(better.score)), better.strategy};
    notes_.push_back(note);
    if (run_.on_each) run_.on_each(better, note.wall_s);
    progress_.update("total " + note.total + " (" + note.strategy + ")", run_.label);
    if (!run_.on_better) return;
    const auto now = Clock::now();
    if (last_given_ && now < *last_given_ + kWriteInterval) return;
    last_given_ = now;
    run_.on_better(verified(run_.problem, better.placement, better.score));
  }

  const PlacerRun& run_;
  CostModel costs_;
  Progress& progress_;
  std::vector<ImprovementNote> notes_;
  std::optional<Clock::time_point> last_given_;
  std::exception_ptr error_;
};

PlaceOptions place_options(const PlacerRun& run, const CommonOptions& options,
                           ImprovementListener& listener) {
  PlaceOptions place;
  place.strategy = run.strategy;
  place.seed = options.seed;
  place.effort = options.effort;
  place.threads = options.threads;
  place.effort_limits = options.effort_limits();
  place.start = run.first;
  place.interrupted = &stop_flag();
  place.on_improvement = [&](const PlaceImprovement& better) { listener.hear(better); };
  if (const auto end = deadline(options, run.start)) {
    place.deadline = *end - std::min(run.reserve, *options.time_limit / kLeastShareOfLimit);
  }
  return place;
}

void check_bound(const Problem& problem, const PlaceResult& result) {
  const CostModel costs(problem);
  const Int128 total = costs.total(result.score);
  if (total >= result.bounds.total && result.score.time >= result.bounds.time &&
      result.optimal == (total == result.bounds.total)) {
    return;
  }
  throw Failure(FailureKind::internal, "the placer's result contradicts its bound: total " +
                                           total_text(costs, total) + ", bound " +
                                           total_text(costs, result.bounds.total));
}

}  // namespace

PlacerOutcome run_placer(const PlacerRun& run, const CommonOptions& options, Progress& progress) {
  progress.update("placing " + std::to_string(run.problem.kernel_count()) + " kernels", run.label);
  ImprovementListener listener(run, progress);
  PlacerOutcome outcome;
  outcome.result = place(run.problem, place_options(run, options, listener));
  listener.rethrow();
  outcome.improvements = std::move(listener.notes());
  if (outcome.result.placement) {
    outcome.best = verified(run.problem, *outcome.result.placement, outcome.result.score);
    check_bound(run.problem, outcome.result);
  }
  return outcome;
}

Failure no_placement(const Problem& problem, const PlaceResult& result,
                     const std::string& strategy) {
  if (result.infeasible) return {FailureKind::infeasible, result.infeasible->message};
  if (result.stopped_by == StopReason::time_limit) {
    return {FailureKind::time_limit, "the time limit passed before a legal placement was found"};
  }
  if (result.stopped_by == StopReason::interrupted) {
    return {FailureKind::interrupted_early, "interrupted before a legal placement was found"};
  }
  std::string message = "no start of the strategy " + strategy + " found a legal placement";
  if (strategy != kAuto) {
    message += "; --strategy auto has more of them";
    if (!problem.wafer().dead.empty() || !problem.constraints().empty()) {
      message += ", and knows dead tiles, fixed kernels and regions";
    }
  }
  return {FailureKind::infeasible, message};
}

std::optional<double> gap(const Problem& problem, const PlaceResult& result) {
  if (result.bounds.total == 0) return std::nullopt;
  const Int128 excess = CostModel(problem).total(result.score) - result.bounds.total;
  return static_cast<double>(excess) / static_cast<double>(result.bounds.total);
}

void check_acyclic(const Problem& problem, const std::string& source) {
  const std::vector<KernelIndex> cycle = find_cycle(problem);
  if (cycle.empty()) return;
  std::string path;
  for (const KernelIndex index : cycle) path += problem.kernels()[index].name + " -> ";
  path += problem.kernels()[cycle.front()].name;
  throw InputError(source, "expected a graph without cycles, found " + path);
}

void check_strategy(const std::string& strategy) {
  const std::vector<StrategyInfo> known = strategies();
  std::vector<std::string_view> names{kAuto};
  std::string list(kAuto);
  for (const StrategyInfo& info : known) {
    if (info.name == kAuto) continue;
    names.push_back(info.name);
    list += ", " + info.name;
  }
  if (std::find(names.begin(), names.end(), strategy) != names.end()) return;
  throw Failure(FailureKind::usage, "--strategy: unknown strategy " + waferloom::quoted(strategy) +
                                        suggestion(strategy, names) + " (known: " + list + ")");
}

}  // namespace waferloom
