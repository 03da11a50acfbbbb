#include "optimize/plans/plan_search.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "model/input_error.h"
#include "optimize/search_ended.h"

namespace waferloom::optimize {
namespace {

constexpr std::size_t kMostEstimated = 4'000;  // degrees, before their variants
constexpr std::size_t kMostRefined = 40;       // degrees whose variants are all estimated
constexpr std::size_t kMostOfOneKind = 3;      // simulated plans of the same degrees
constexpr std::size_t kPlaced = 3;             // plans whose stages are placed

/// A message without its numbers, which differ from plan to plan.
std::string kind_of(const std::string& message) {
  std::string kind;
  for (const char c : message) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) kind += c;
    if (digit && (kind.empty() || kind.back() != '#')) kind += '#';
  }
  return kind;
}

std::string degrees_name(const Plan& plan) {
  Plan degrees;
  degrees.tensor = plan.tensor;
  degrees.data = plan.data;
  degrees.pipeline = plan.pipeline;
  degrees.micro_batch = plan.micro_batch;
  degrees.micro_batches = plan.micro_batches;
  return planner::plan_name(degrees);
}

std::string told(const PlanTrial& one) {
  return one.trial.name + ": " + short_number(*one.trial.promised_per_s) + " samples/s";
}

}  // namespace

PlanSearch::PlanSearch(const PlanGround& ground, const planner::PlanSpace& space,
                       const PlanSearchOptions& job, const RunControl& control)
    : job_(job), control_(control), ground_(ground), space_(space) {}

void PlanSearch::run() {
  if (job_.baseline) add_baseline();
  propose();
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < trials_.size(); ++i) all.push_back(i);
  simulate(all);
  place_best();
  if (!best()) fail_without_any();
  ended_by_ = control_.ended_by("effort");
}

OptimizeResult PlanSearch::result() const {
  OptimizeResult result;
  result.subject = ground_.workload.name;
  result.source = job_.source;
  for (const PlanTrial& one : trials_) result.trials.push_back(one.trial);
  for (const auto& [reason, group] : passed_over_) result.passed_over.push_back(group);
  result.best = *best();
  if (job_.baseline && trials_.front().trial.measured) result.baseline = 0;
  result.ended_by = ended_by_;
  explain(result.trials, result.best);
  return result;
}

std::optional<std::size_t> PlanSearch::best() const {
  std::vector<Trial> plain;
  for (const PlanTrial& one : trials_) plain.push_back(one.trial);
  return fastest(plain);
}

void PlanSearch::add_baseline() {
  PlanTrial one{{planner::plan_name(*job_.baseline), "the plan to beat"}, *job_.baseline, {}};
  if (const auto refused = lay_out(ground_, one)) {
    throw InputError(job_.baseline_source, *refused);
  }
  one.trial.name = planner::plan_name(one.plan);
  trials_.push_back(std::move(one));
}

std::pair<double, double> PlanSearch::work(std::int64_t pipeline) {
  const auto [at, is_new] = work_.try_emplace(pipeline);
  if (!is_new) return at->second;
  Plan plan = space_.base;
  plan.tensor = plan.data = plan.micro_batch = 1;
  plan.pipeline = pipeline;
  for (const sim::StageWork& stage :
       sim::cut_plan(ground_.workload, plan, ground_.hardware).stages) {
    const auto flop = static_cast<double>(stage.forward_flop + stage.backward_flop);
    at->second.first += flop;
    at->second.second = std::max(at->second.second, flop);
  }
  return at->second;
}

/// How fast a plan's tiles compute if nothing else takes time, in samples of the batch by
/// operations of a tile.
double PlanSearch::compute_rate(const Plan& plan) {
  const auto [fill, slowest] = work(plan.pipeline);
  const auto tiles = static_cast<double>(plan.tiles());
  if (!plan.trains()) return tiles / slowest;
  return tiles * static_cast<double>(space_.batch) /
         (static_cast<double>(plan.samples()) *
          planner::pipeline_time(fill, slowest, plan.micro_batches));
}

void PlanSearch::pass_over(const std::string& reason, const std::string& example,
                           std::size_t count) {
  PassedOver& group = passed_over_[reason];
  group.reason = reason;
  group.count += count;
  if (group.example.empty()) group.example = example;
}

/// Those that compute fastest, the fastest first; the rest is passed over.
std::vector<Plan> PlanSearch::best_degrees() {
  std::vector<std::pair<double, Plan>> ranked;
  for (Plan& plan : planner::plan_degrees(space_)) ranked.emplace_back(compute_rate(plan), plan);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Plan> degrees;
  for (const auto& [rate, plan] : ranked) {
    if (degrees.size() < kMostEstimated) {
      degrees.push_back(plan);
    } else {
      pass_over("computes slower than " + std::to_string(kMostEstimated) +
                    " others, communication left out",
                planner::plan_name(plan));
    }
  }
  return degrees;
}

void PlanSearch::count_what_is_not_enumerated() {
  const std::int64_t tiles = space_.mesh.width * space_.mesh.height;
  if (tiles > space_.operators) {
    pass_over("fewer operators than stages", "PP" + std::to_string(space_.operators + 1),
              static_cast<std::size_t>(tiles - space_.operators));
  }
  for (std::int64_t tensor = 1; tensor <= tiles; ++tensor) {
    if (const auto uneven = planner::what_is_uneven(space_, tensor)) {
      pass_over("tensor does not divide " + *uneven, "TP" + std::to_string(tensor));
    }
  }
}

/// Estimates degrees coarsely, the best of them in all variants, and takes the best of those.
void PlanSearch::propose() {
  control_.tell("estimating plans", ground_.workload.name);
  count_what_is_not_enumerated();
  std::vector<PlanTrial> coarse = estimated(best_degrees(), planner::coarse_dimensions);
  std::vector<Plan> degrees;
  std::set<std::string> seen;
  for (const PlanTrial& one : coarse) {
    if (!seen.insert(degrees_name(one.plan)).second) continue;
    if (degrees.size() < kMostRefined) {
      degrees.push_back(with_degrees_of(one.plan));
    } else {
      pass_over("estimated slower than " + std::to_string(kMostRefined) + " other degrees",
                told(one));
    }
  }
  choose(estimated(
      degrees, [&](const Plan& plan) { return planner::fine_dimensions(plan, space_.routings); }));
}

/// The base with a plan's degrees.
Plan PlanSearch::with_degrees_of(const Plan& plan) const {
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
std::vector<PlanTrial> PlanSearch::estimated(const std::vector<Plan>& degrees,
                                             const Dimensions& dimensions) {
  std::vector<PlanTrial> all;
  for (const Plan& one : degrees) {
    for (Plan& plan : planner::plan_variants(one, dimensions(one)))
      all.push_back({{}, std::move(plan), {}});
  }
  std::vector<std::optional<std::string>> refused(all.size());
  run_parallel(all.size(), control_, [&](std::size_t i) {
    refused[i] = control_.is_cut() ? "not estimated: the time limit or a signal came first"
                                   : lay_out(ground_, all[i]);
    all[i].trial.name = planner::plan_name(all[i].plan);
    all[i].trial.description = "enumerated";
  });
  std::vector<PlanTrial> kept;
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!names.insert(all[i].trial.name).second) continue;
    if (refused[i]) {
      pass_over(kind_of(*refused[i]), all[i].trial.name + ": " + *refused[i]);
    } else if (!all[i].complaint.empty()) {
      pass_over("does not fit the memory", all[i].trial.name + ": " + all[i].complaint);
    } else {
      kept.push_back(std::move(all[i]));
    }
  }
  std::stable_sort(kept.begin(), kept.end(), [](const PlanTrial& a, const PlanTrial& b) {
    return *a.trial.promised_per_s > *b.trial.promised_per_s;
  });
  return kept;
}

/// Takes the best by estimate among the trials, of each degrees a few, and passes the others over.
void PlanSearch::choose(std::vector<PlanTrial> estimated) {
  const std::size_t top = job_.top.value_or(kSimulatedPlans);
  const std::size_t end = trials_.size() + top;
  std::map<std::string, std::size_t> taken;  // by degrees
  for (PlanTrial& one : estimated) {
    if (is_repeated(one)) {
      pass_over("runs exactly as one that is simulated", one.trial.name);
    } else if (taken[degrees_name(one.plan)] >= kMostOfOneKind) {
      pass_over("estimated slower than " + std::to_string(kMostOfOneKind) +
                    " that are simulated and differ in schedule, layout and the like alone",
                told(one));
    } else if (trials_.size() == end) {
      pass_over("estimated slower than the " + std::to_string(top) + " that are simulated",
                told(one));
    } else {
      ++taken[degrees_name(one.plan)];
      trials_.push_back(std::move(one));
    }
  }
}

/// Whether a trial has the same degrees, tiles and order of work.
bool PlanSearch::is_repeated(const PlanTrial& one) const {
  return std::any_of(trials_.begin(), trials_.end(), [&](const PlanTrial& other) {
    if (other.tiles != one.tiles) return false;
    Plan same = other.plan;
    same.layout = one.plan.layout;
    if (same.pipeline == 1) same.schedule = one.plan.schedule;
    return planner::plan_name(same) == planner::plan_name(one.plan);
  });
}

void PlanSearch::simulate(const std::vector<std::size_t>& chosen) {
  control_.tell("simulating " + std::to_string(chosen.size()) + " plans", ground_.workload.name);
  run_parallel(chosen.size(), control_,
               [&](std::size_t i) { simulate_trial(ground_, control_, trials_[chosen[i]]); });
}

/// The fastest plans, each degrees once.
std::vector<std::size_t> PlanSearch::plans_to_place() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].trial.verdict == Verdict::slower) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trials_[a].trial.measured->worth.samples_per_s >
           trials_[b].trial.measured->worth.samples_per_s;
  });
  std::vector<std::size_t> chosen;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const std::size_t at : order) {
    const Plan& plan = trials_[at].plan;
    if (chosen.size() == kPlaced) break;
    if (seen.emplace(plan.tensor, plan.data, plan.pipeline).second) chosen.push_back(at);
  }
  return chosen;
}

void PlanSearch::place_best() {
  const std::vector<std::size_t> chosen = plans_to_place();
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < chosen.size() && !control_.is_cut(); ++i) {
    PlanTrial one = placed_trial(ground_, trials_[chosen[i]], job_.strategy,
                                 control_.part(kLessEffort, chosen.size() - i));
    if (!one.tiles.empty()) whole.push_back(trials_.size());
    trials_.push_back(std::move(one));
  }
  simulate(whole);
}

void PlanSearch::fail_without_any() const {
  if (control_.interrupted()) {
    throw SearchEnded(EndReason::interrupted, "interrupted before a plan was simulated");
  }
  if (control_.is_cut()) {
    throw SearchEnded(EndReason::time_limit, "the time limit passed before a plan was simulated");
  }
  std::string why;
  for (const auto& [reason, group] : passed_over_) why = group.example;
  for (const PlanTrial& one : trials_) why = one.trial.name + ": " + one.trial.reason;
  throw SearchEnded(EndReason::infeasible, "no plan for a batch of " +
                                               std::to_string(space_.batch) + " can be run" +
                                               (why.empty() ? "" : "; " + why));
}

OptimizedPlan optimize_plan(const PlanGround& ground, const planner::PlanSpace& space,
                            const PlanSearchOptions& options, const RunControl& control) {
  PlanSearch search(ground, space, options, control);
  search.run();
  return {search.result(), search.winner()};
}

}  // namespace waferloom::optimize
