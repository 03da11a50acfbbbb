#include "cli/case_search.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "cli/failure.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/judgement.h"
#include "cli/placer_run.h"
#include "cli/simulation_options.h"
#include "planner/symmetry.h"
#include "sim/contest_pipeline.h"
#include "sim/edge_traffic.h"
#include "sim/least_period.h"

namespace waferloom {
namespace {

constexpr std::size_t kMostRounds = 4;
constexpr std::int64_t kScreened = 100;   // samples of a first simulation
constexpr double kShareOfBaseline = 0.3;  // of a time limit
constexpr double kWorthARound = 1.002;    // times faster
constexpr const char* kTurned = "turned";

double per_s(Picoseconds period) {
  return static_cast<double>(kPicosecondsPerSecond) /
         static_cast<double>(std::max<Picoseconds>(1, period));
}

Measured measured_of(const ThroughputReport& found) {
  return {{found.samples_per_s, found.first_sample, found.buffer_bytes},
          bound_name(found.bound),
          found.bound_by,
          found.samples,
          found.steady};
}

void pass_over(Trial& trial, Verdict verdict, const std::string& reason) {
  trial.verdict = verdict;
  trial.reason = reason;
}

PartialPlacement partial(const Placement& placement) {
  PartialPlacement start;
  for (const PlacedKernel& kernel : placement.kernels) start.kernels.emplace_back(kernel);
  return start;
}

}  // namespace

CaseSearch::CaseSearch(const OptimizeJob& job, const Problem& problem, const Hardware& hardware,
                       const SimulateOptions& options, Progress& progress)
    : job_(job),
      common_(job.arguments.common()),
      problem_(problem),
      hardware_(hardware),
      options_(options),
      progress_(progress),
      source_(source_name(job.arguments.text("CASE"))),
      training_(job.arguments.has("training")) {}

void CaseSearch::run() {
  place_baseline();
  std::string end = "effort";
  while (rounds_ < kMostRounds && !is_cut(common_)) {
    const double before = rate(best());
    propose(rounds_++);
    if (rounds_ > 1 && rate(best()) < kWorthARound * before) {
      end = "no gain";
      break;
    }
  }
  ended_by_ = end_of_run(common_, end);
  confirm();
}

OptimizeResult CaseSearch::result() const {
  OptimizeResult result;
  result.subject = problem_.name();
  result.source = source_;
  for (const CaseTrial& one : trials_) result.trials.push_back(one.trial);
  result.best = best();
  result.baseline = 0;
  result.rounds = rounds_;
  result.ended_by = ended_by_;
  explain(result.trials, result.best);
  return result;
}

std::size_t CaseSearch::best() const {
  std::vector<Trial> plain;
  for (const CaseTrial& one : trials_) plain.push_back(one.trial);
  return fastest(plain).value_or(0);
}

PipelineSpec CaseSearch::pipeline(const Placement& placement) const {
  return contest_pipeline(problem_, placement, hardware_, training_);
}

/// What place gives with the same options, besides the time that a limit leaves it.
void CaseSearch::place_baseline() {
  CommonOptions options = common_;
  if (options.time_limit) {
    options.time_limit = std::chrono::duration_cast<std::chrono::microseconds>(kShareOfBaseline *
                                                                               *options.time_limit);
  }
  const PlacerRun run{problem_, source_, job_.strategy, common_.start, {}, nullptr};
  const PlacerOutcome outcome = run_placer(run, options, progress_);
  if (!outcome.best) throw no_placement(problem_, outcome.result, job_.strategy);
  trials_.push_back({{"place", "what place gives with the same options"}, outcome.best->placement});
  promise(trials_.front());
  simulate_all({0});
  if (trials_.front().trial.measured) return;
  const std::string before = " before the first placement was simulated";
  if (interrupted()) throw Failure(FailureKind::interrupted_early, "interrupted" + before);
  throw Failure(FailureKind::time_limit, "the time limit passed" + before);
}

/// How fast it can be at most.
void CaseSearch::promise(CaseTrial& one) const {
  const Utilisation least =
      least_period(pipeline(*one.placement), hardware_, options_.routing).most;
  one.trial.promise = least.name;
  one.trial.promised_per_s = per_s(least.busy_per_sample);
}

/// A round: places, turns, ranks, simulates.
void CaseSearch::propose(std::size_t round) {
  const std::size_t first = trials_.size();
  const std::size_t from = best();
  const std::vector<CaseProposal> proposals =
      case_proposals(loads(trials_[from]), trials_[from].weights, round);
  const Placement start = *trials_[from].placement;
  if (round == 0) {
    trials_.push_back({{kTurned, "what place gives, mirrored or turned"}, start});
  }
  for (std::size_t i = 0; i < proposals.size() && !is_cut(common_); ++i) {
    trials_.push_back(placed(proposals[i], start, proposals.size() - i));
  }
  progress_.update("ranking placements", source_);
  run_parallel(trials_.size() - first, common_, [&](std::size_t i) { turn(trials_[first + i]); });
  simulate_all(promising(first, rate(from)));
}

EdgeLoads CaseSearch::loads(const CaseTrial& of) const {
  EdgeLoads loads;
  for (const Connection& edge : problem_.connections()) {
    loads.bytes.push_back(static_cast<double>(edge.tensor.elements()));
  }
  loads.traffic =
      edge_traffic(problem_, *of.placement, hardware_, options_.routing, of.found.link_bytes);
  return loads;
}

CaseTrial CaseSearch::placed(const CaseProposal& proposal, const Placement& start,
                             std::size_t left) {
  CaseTrial one{{proposal.name, proposal.description}, std::nullopt, proposal.weights};
  try {
    const Problem other = reweighed(problem_, proposal.weights);
    PlacerRun run{other, proposal.name, proposal.strategy, Clock::now(), {}, nullptr};
    if (proposal.from_best) run.first = partial(start);
    CommonOptions options = part_of(common_, proposal.less_effort, left);
    options.seed += proposal.seed_offset;
    const PlacerOutcome outcome = run_placer(run, options, progress_);
    one.trial.reason = "no placement was found under these weights";
    if (outcome.best) one.placement = outcome.best->placement;
  } catch (const std::invalid_argument& error) {
    one.trial.reason = error.what();
  }
  return one;
}

/// Takes the image of a placement that promises most.
void CaseSearch::turn(CaseTrial& one) const {
  if (!one.placement) return;
  std::optional<CaseTrial> most;
  for (const Image& image : images(problem_, *one.placement)) {
    const bool is_itself = image.placement == *one.placement;
    if (is_itself && one.trial.name == kTurned) continue;
    if (!judge(problem_, to_solution(problem_, image.placement)).legal()) continue;
    CaseTrial turned{one.trial, image.placement, one.weights};
    if (!is_itself) turned.trial.description += "; " + image.name;
    promise(turned);
    if (!most || *turned.trial.promised_per_s > *most->trial.promised_per_s) most = turned;
  }
  if (most) {
    one = std::move(*most);
    return;
  }
  one.placement.reset();
  one.trial.reason = "no image of it is legal";
}

/// Those from `first` on that are to be simulated; the others get their verdict.
std::vector<std::size_t> CaseSearch::promising(std::size_t first, double to_beat) {
  std::vector<std::size_t> order(trials_.size() - first);
  std::iota(order.begin(), order.end(), first);
  std::erase_if(order, [&](std::size_t at) { return !trials_[at].placement; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return *trials_[a].trial.promised_per_s > *trials_[b].trial.promised_per_s;
  });
  std::vector<std::size_t> chosen;
  for (const std::size_t at : order) {
    Trial& trial = trials_[at].trial;
    const std::string most =
        "at most " + short_number(*trial.promised_per_s) + " samples/s for the " + trial.promise;
    if (const std::optional<std::size_t> same = repeated(at)) {
      pass_over(trial, Verdict::repeated, "the same placement as " + trials_[*same].trial.name);
    } else if (*trial.promised_per_s <= to_beat) {
      pass_over(trial, Verdict::bounded, most + "; the best so far is as fast");
    } else if (chosen.size() >= job_.top) {
      pass_over(trial, Verdict::outranked,
                most + "; " + std::to_string(job_.top) + " others promise more");
    } else {
      chosen.push_back(at);
    }
  }
  return chosen;
}

std::optional<std::size_t> CaseSearch::repeated(std::size_t at) const {
  for (std::size_t i = 0; i < at; ++i) {
    if (trials_[i].placement == trials_[at].placement) return i;
  }
  return std::nullopt;
}

void CaseSearch::simulate_all(const std::vector<std::size_t>& chosen) {
  SimulateOptions screening = options_;
  screening.samples = std::min(options_.samples, kScreened);
  progress_.update("simulating, " + std::to_string(chosen.size()) + " to do", source_);
  run_parallel(chosen.size(), common_,
               [&](std::size_t i) { simulate_one(trials_[chosen[i]], screening); });
}

void CaseSearch::simulate_one(CaseTrial& one, const SimulateOptions& options) const {
  const ThroughputReport found = simulate(pipeline(*one.placement), hardware_, options);
  if (found.stopped || found.simulated == 0) {
    const bool is_first = !one.trial.measured;
    if (is_first) pass_over(one.trial, Verdict::cut, "its simulation was not over in time");
    return;
  }
  one.found = found;
  one.trial.verdict = Verdict::slower;
  one.trial.measured = measured_of(found);
}

/// Simulates the first placement and the best with all samples where fewer did not show the
/// period; if the best is not the fastest then, the next one too.
void CaseSearch::confirm() {
  simulate_fully(0);
  for (std::size_t at = best(); needs_more(at) && !is_cut(common_); at = best()) simulate_fully(at);
}

bool CaseSearch::needs_more(std::size_t at) const {
  return !trials_[at].found.steady && trials_[at].found.samples < options_.samples;
}

void CaseSearch::simulate_fully(std::size_t at) {
  if (!needs_more(at) || is_cut(common_)) return;
  progress_.update("simulating all samples", trials_[at].trial.name);
  simulate_one(trials_[at], options_);
}

}  // namespace waferloom
