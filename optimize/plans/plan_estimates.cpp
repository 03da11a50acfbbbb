#include "optimize/plans/plan_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "optimize/plans/plan_routes.h"
#include "optimize/plans/search_budget.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"

// Problem: rank thousands of plans without simulating them.
// Idea: estimate one plan of each degrees. Estimate all variants of the degrees that promise most.
// A bound by computing alone rules out degrees that cannot reach them. Source: ours; the estimate
// is that of optimize/plans/plan_trial.h. Cost: O(degrees + kMostRefined · variants) estimates, on
// all threads.
namespace waferloom::optimize {
namespace {

constexpr double kRounding = 1.001;  // estimates round times to picoseconds
constexpr const char* kNoMemory = "does not fit the memory";
constexpr const char* kNotEstimated = "not estimated: the time limit or a signal came first";

/// A message without its numbers, which differ from plan to plan.
std::string without_numbers(const std::string& message) {
  std::string text;
  for (const char c : message) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && (text.empty() || text.back() != '#')) text += '#';
  }
  return text;
}

/// The promises of the best degrees so far.
class BestPromises {
 public:
  /// The one that every other degrees have to beat; nothing as long as there is room.
  std::optional<double> least() const {
    if (best_.size() < kMostRefined) return std::nullopt;
    return *best_.begin();
  }
  void add(double promise) {
    best_.insert(promise);
    if (best_.size() > kMostRefined) best_.erase(best_.begin());
  }

 private:
  std::multiset<double> best_;
};

}  // namespace

std::string PlanEstimates::kind_of(const Plan& plan) const {
  Plan degrees;
  degrees.tensor = plan.tensor;
  degrees.data = plan.data;
  degrees.pipeline = plan.pipeline;
  degrees.micro_batch = plan.micro_batch;
  degrees.micro_batches = plan.micro_batches;
  return planner::plan_name(degrees);
}

PlanEstimates::PlanEstimates(const PlanGround& ground, const planner::PlanSpace& space,
                             PassedOverCounts& passed_over)
    : ground_(ground), space_(space), passed_over_(passed_over), bound_(ground, space) {}

std::vector<PlanTrial> PlanEstimates::proposed(const SearchControl& control,
                                               const TryFirst& try_first) {
  control.tell({"estimating plans", ground_.workload.name});
  count_what_is_not_enumerated();
  std::vector<PlanTrial> coarse = coarse_estimates(control, try_first);
  std::vector<PlanTrial> fine = estimated(
      best_degrees(coarse),
      [&](const Plan& plan) { return planner::fine_dimensions(plan, space_.routings); },
      control.within(EstimatePhases::kFine), true);
  return fine.empty() ? coarse : fine;
}

std::string PlanEstimates::why_none() const {
  std::string why;
  for (const PassedOver& group : passed_over_.all()) {
    why = group.example;
    if (group.reason == kNoMemory) break;
  }
  return why;
}

/// Whether a part of the run leaves no time for another estimate. As long as no plan was found that
/// can run, all of the run is there to find one.
bool PlanEstimates::is_over(const SearchControl& part, bool is_found) const {
  if (!is_found) return !part.has_time_for(Clock::duration{0});
  return part.is_cut(ground_.steps.of(Step::estimate));
}

/// Those that compute fastest, the fastest first; the rest is passed over.
std::vector<PlanEstimates::RankedDegrees> PlanEstimates::ranked_degrees() {
  std::vector<RankedDegrees> ranked;
  for (Plan& plan : planner::plan_degrees(space_)) {
    const double bound = bound_.samples_per_s(plan);
    ranked.push_back({std::move(plan), bound});
  }
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const RankedDegrees& a, const RankedDegrees& b) { return a.bound > b.bound; });
  for (std::size_t i = kMostEstimated; i < ranked.size(); ++i) {
    passed_over_.add(
        fmt::format("computes slower than {} others, communication left out", kMostEstimated),
        planner::plan_name(ranked[i].plan));
  }
  ranked.resize(std::min(ranked.size(), kMostEstimated));
  return ranked;
}

void PlanEstimates::count_what_is_not_enumerated() {
  const std::int64_t tiles = space_.mesh.width * space_.mesh.height;
  if (tiles > space_.operators) {
    passed_over_.add("fewer operators than stages", fmt::format("PP{}", space_.operators + 1),
                     static_cast<std::size_t>(tiles - space_.operators));
  }
  struct Uneven {
    std::int64_t first = 0;
    std::size_t count = 0;
  };
  std::map<std::int64_t, Uneven> uneven;  // by heads
  for (std::int64_t tensor = 1; tensor <= tiles; ++tensor) {
    const auto heads = planner::undivided_heads(space_, tensor);
    if (!heads) continue;
    const auto [at, is_new] = uneven.try_emplace(*heads, Uneven{tensor});
    ++at->second.count;
  }
  for (const auto& [heads, found] : uneven) {
    passed_over_.add(fmt::format("tensor does not divide the {} heads of a layer", heads),
                     fmt::format("TP{}", found.first), found.count);
  }
}

/// A few variants each of the degrees that may be among the best, the best first.
std::vector<PlanTrial> PlanEstimates::coarse_estimates(const SearchControl& control,
                                                       const TryFirst& try_first) {
  const std::vector<RankedDegrees> ranked = ranked_degrees();
  std::vector<PlanTrial> coarse;
  BestPromises promises;
  const SearchControl phase = control.within(EstimatePhases::kCoarse);
  std::size_t count = kEstimatedAtFirst;
  for (std::size_t begin = 0; begin < ranked.size();) {
    const bool is_beaten = promises.least() && kRounding * ranked[begin].bound < *promises.least();
    const bool is_late = is_over(phase, !coarse.empty());
    if (is_beaten || is_late) {
      was_cut_ = was_cut_ || !is_beaten;
      passed_over_.add(is_beaten ? "computes slower than others are estimated, communication "
                                   "left out"
                                 : kNotEstimated,
                       planner::plan_name(ranked[begin].plan), ranked.size() - begin);
      break;
    }
    std::vector<Plan> some;
    const std::size_t end = std::min(begin + count, ranked.size());
    for (std::size_t i = begin; i < end; ++i) some.push_back(ranked[i].plan);
    begin = end;
    count = std::min(2 * count, kEstimatedAtOnce);
    std::vector<PlanTrial> more =
        estimated(some, planner::coarse_dimensions, phase, !coarse.empty());
    if (coarse.empty() && !more.empty()) try_first(more.front(), false);
    std::set<std::string> seen;
    for (PlanTrial& candidate : more) {
      if (seen.insert(kind_of(candidate.plan)).second)
        promises.add(*candidate.trial.promised_per_s);
      coarse.push_back(std::move(candidate));
    }
  }
  std::stable_sort(coarse.begin(), coarse.end(), promises_more);
  return coarse;
}

/// The degrees that promise most.
std::vector<Plan> PlanEstimates::best_degrees(const std::vector<PlanTrial>& coarse) {
  std::vector<Plan> degrees;
  std::set<std::string> seen;
  for (const PlanTrial& candidate : coarse) {
    if (!seen.insert(kind_of(candidate.plan)).second) continue;
    if (degrees.size() < kMostRefined) {
      degrees.push_back(with_degrees_of(candidate.plan));
    } else {
      passed_over_.add(fmt::format("estimated slower than {} other degrees", kMostRefined),
                       promise_text(candidate));
    }
  }
  return degrees;
}

/// The base with a plan's degrees.
Plan PlanEstimates::with_degrees_of(const Plan& plan) const {
  Plan degrees = space_.base;
  degrees.tensor = plan.tensor;
  degrees.data = plan.data;
  degrees.pipeline = plan.pipeline;
  degrees.micro_batch = plan.micro_batch;
  degrees.micro_batches = plan.micro_batches;
  return degrees;
}

/// All variants that can be laid out and fit, each once, the fastest by estimate first; the others
/// are passed over.
std::vector<PlanTrial> PlanEstimates::estimated(const std::vector<Plan>& degrees,
                                                const Dimensions& dimensions,
                                                const SearchControl& part, bool is_found) {
  std::vector<PlanTrial> all;
  for (const Plan& degree : degrees) {
    std::vector<planner::PlanChoices> each = dimensions(degree);
    each.push_back(ground_.degrees.choices(degree));
    for (Plan& plan : planner::plan_variants(degree, each))
      all.push_back({{}, std::move(plan), {}});
  }
  std::vector<std::optional<std::string>> refused(all.size());
  std::atomic<bool> found = is_found;
  run_parallel(all.size(), part, [&](std::size_t i) {
    try {
      refused[i] = is_over(part, found) ? kNotEstimated : lay_out(ground_, all[i]);
    } catch (const RunCut&) {
      refused[i] = kNotEstimated;
    }
    if (!refused[i] && all[i].complaint.empty()) found = true;
    all[i].trial.name = planner::plan_name(all[i].plan);
    all[i].trial.description = "enumerated";
  });
  std::vector<PlanTrial> kept;
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!names.insert(all[i].trial.name).second) continue;
    if (refused[i]) {
      was_cut_ = was_cut_ || *refused[i] == kNotEstimated;
      passed_over_.add(without_numbers(*refused[i]), all[i].trial.name + ": " + *refused[i]);
    } else if (!all[i].complaint.empty()) {
      passed_over_.add(kNoMemory, all[i].trial.name + ": " + all[i].complaint);
    } else {
      kept.push_back(std::move(all[i]));
    }
  }
  std::stable_sort(kept.begin(), kept.end(), promises_more);
  return kept;
}

}  // namespace waferloom::optimize
