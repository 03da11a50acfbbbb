#include "optimize/placer_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "optimize/search/improvement_listener.h"

namespace waferloom::optimize {
namespace {

constexpr std::string_view kAuto = "auto";      // always there
constexpr std::int64_t kLeastShareOfLimit = 2;  // the reserve is at most half of the limit

placer::PlaceOptions place_options(const PlacerRun& run, const SearchControl& control,
                                   std::atomic<bool>& stop, ImprovementListener& listener) {
  placer::PlaceOptions place;
  place.strategy = run.strategy;
  place.seed = control.seed;
  place.effort = control.effort;
  place.threads = control.threads;
  place.effort_limits = control.effort_limits();
  place.start = run.first;
  place.control = control;
  place.control.stop = &stop;
  place.on_improvement = [&](const placer::PlaceImprovement& better) { listener.hear(better); };
  if (auto& limit = place.control.time_limit) {
    *limit -= std::chrono::duration_cast<std::chrono::microseconds>(
        std::min<Clock::duration>(run.reserve, *limit / kLeastShareOfLimit));
  }
  return place;
}

void check_bound(const Problem& problem, const placer::PlaceResult& result) {
  const CostModel costs(problem);
  const Int128 total = costs.total(result.score);
  if (total >= result.bounds.total && result.score.time >= result.bounds.time &&
      result.optimal == (total == result.bounds.total)) {
    return;
  }
  throw std::logic_error("the placer's result contradicts its bound: total " +
                         total_text(costs, total) + ", bound " +
                         total_text(costs, result.bounds.total));
}

}  // namespace

PlacerOutcome run_placer(const PlacerRun& run, const SearchControl& control) {
  control.tell({fmt::format("placing {} kernels", run.problem.kernel_count()), run.label});
  std::atomic<bool> never{false};
  std::atomic<bool>& stop = control.stop != nullptr ? *control.stop : never;
  ImprovementListener listener(run, control, stop);
  PlacerOutcome outcome;
  outcome.result = place(run.problem, place_options(run, control, stop, listener));
  listener.rethrow();
  outcome.improvements = std::move(listener.notes());
  if (outcome.result.placement) {
    outcome.best = verified(run.problem, *outcome.result.placement, outcome.result.score);
    check_bound(run.problem, outcome.result);
    if (!has_buffer_room(run.problem, outcome.best->placement)) {
      throw std::logic_error("the placer's result has no room for its buffers");
    }
  }
  return outcome;
}

SearchEnded no_placement(const Problem& problem, const placer::PlaceResult& result,
                         const std::string& strategy) {
  if (result.infeasible) return {EndReason::infeasible, result.infeasible->message};
  if (result.stopped_by == placer::StopReason::time_limit) {
    return {EndReason::time_limit, "the time limit passed before a legal placement was found"};
  }
  if (result.stopped_by == placer::StopReason::interrupted) {
    return {EndReason::interrupted, "interrupted before a legal placement was found"};
  }
  std::string message = "no legal placement was found, nor a proof that there is none";
  for (std::size_t i = 0; i < result.tried.size(); ++i) {
    message += (i == 0 ? "; tried: " : ", ") + result.tried[i];
  }
  if (strategy != kAuto) {
    message += "; --strategy auto tries more";
    if (!problem.wafer().dead.empty() || !problem.constraints().empty()) {
      message += ", and knows dead tiles, fixed kernels and regions";
    }
  } else {
    message += "; a higher --effort or another --seed may find one";
  }
  return {EndReason::infeasible, message};
}

std::optional<double> gap(const Problem& problem, const placer::PlaceResult& result) {
  if (result.bounds.total == 0) return std::nullopt;
  const Int128 excess = CostModel(problem).total(result.score) - result.bounds.total;
  return static_cast<double>(excess) / static_cast<double>(result.bounds.total);
}

PartialPlacement whole_start(const Placement& placement) {
  return {{placement.kernels.begin(), placement.kernels.end()}};
}

}  // namespace waferloom::optimize
