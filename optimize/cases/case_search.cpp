#include "optimize/cases/case_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/errors.h"
#include "model/placement.h"
#include "model/text.h"
#include "optimize/cases/symmetry.h"
#include "optimize/placer_run.h"
#include "optimize/routes.h"
#include "placer/place.h"
#include "router/route.h"
#include "sim/contest_pipeline.h"
#include "sim/pipeline_spec.h"

// Problem: find the placement of a case that runs fastest in simulation. The contest's cost is only
// a proxy for that.
// Idea: place the case as `place` does, route and simulate it. Then place it under other weights:
// for time alone, by the prices of its routes, by lanes, mirrored, turned. Rank these by the bound
// without routes, route the best, simulate the best of those. Repeat while a round gains and the
// roof is not reached.
// Source: ours (docs/optimize.md).
// Cost: some placements, routings and simulations a round, at most four rounds. The bound ranks a
// placement in some 40 ms, without routes.
namespace waferloom::optimize {
namespace {

constexpr std::int64_t kScreened = 100;  // samples of a first simulation
// Of a time limit: until when what is begun, or ends.
constexpr double kShareOfBaseline = 0.3;        // the first placement
constexpr double kShareOfRoutedBaseline = 0.2;  // likewise on planned routes, which take time, too
constexpr double kShareOfRounds = 0.65;         // placements that are routed
constexpr double kShareOfRoutes = 0.8;          // their routes
constexpr double kShareOfAllRoutes = 0.92;      // the best one's, with all attempts
constexpr std::size_t kRoutedForOne = 2;        // placements routed for one that is simulated
constexpr const char* kTurned = "turned";

/// Samples a second of all replicas, if each is through with one in every period.
double per_s(const Problem& problem, sim::Picoseconds period) {
  return static_cast<double>(problem.replicas()) * static_cast<double>(sim::kPicosecondsPerSecond) /
         static_cast<double>(std::max<sim::Picoseconds>(1, period));
}

Measured measured_of(const Problem& problem, const sim::ThroughputReport& found) {
  return {{found.samples_per_s * static_cast<double>(problem.replicas()), found.first_sample,
           found.buffer_bytes},
          sim::bound_name(found.bound),
          found.bound_by,
          found.samples * problem.replicas(),
          found.rate_of,
          {},
          found.bottleneck_of_each(problem.replicas())};
}

constexpr const char* kLateRoutes = "it was not routed in time";

void pass_over(Trial& trial, Verdict verdict, const std::string& reason) {
  trial.verdict = verdict;
  trial.reason = reason;
}

std::string promise_text(const Trial& trial) {
  return "at most " + significant_text(*trial.promised_per_s, 6) + " samples/s for the " +
         trial.promise;
}

void outrank(Trial& trial, std::size_t by) {
  pass_over(trial, Verdict::outranked,
            fmt::format("{}; {} others promise more", promise_text(trial), by));
}

/// "mirrored, 3 of 9 in round 1 of at most 4, about 20 s to go in it"
std::string label_of(const std::string& name, std::size_t at, std::size_t of,
                     const std::string& round, Clock::time_point round_began) {
  std::string label = fmt::format("{}, {} of {} in {}", name, at + 1, of, round);
  if (at == 0) return label;
  const std::chrono::duration<double> spent = Clock::now() - round_began;
  const double left = spent.count() / static_cast<double>(at) * static_cast<double>(of - at);
  return fmt::format("{}, about {} s to go in it", label, std::llround(std::ceil(left)));
}

/// While placements are compared. Under a time limit: routes near those that all attempts find, in
/// about a tenth of the time.
router::RouteOptions first_routes(const SearchControl& control) {
  router::RouteOptions options;
  if (!control.time_limit) return options;
  options.rounds = 8;
  options.passes = 2;
  options.attempts = 1;
  return options;
}

}  // namespace

CaseSearch::CaseSearch(const Problem& problem, const Hardware& hardware,
                       const CaseSearchOptions& job, const sim::SimulateOptions& options,
                       const SearchControl& control)
    : job_(job),
      control_(control),
      rounds_control_(control.within(options.routing == Routing::planned ? kShareOfRounds : 1)),
      problem_(problem),
      hardware_(hardware),
      options_(options) {}

void CaseSearch::run() {
  begin();
  std::string end = "effort";
  while (rounds_ < job_.rounds && !rounds_control_.is_cut()) {
    if (is_at_roof()) simulate_fully(best());  // what it is worth for sure
    if (is_at_roof() && !needs_more(best())) {
      end = "roof";
      break;
    }
    const double before = rate(best());
    propose(rounds_++);
    if (rounds_ > 1 && rate(best()) < kWorthARound * before) {
      end = "no gain";
      break;
    }
  }
  ended_by_ = rounds_control_.ended_by(end);
  confirm();
}

OptimizeResult CaseSearch::result() const {
  OptimizeResult result;
  result.subject = problem_.name();
  result.source = job_.source;
  for (const CaseTrial& case_trial : trials_) result.trials.push_back(case_trial.trial);
  result.best = best();
  result.baseline = 0;
  result.rounds = rounds_;
  result.roof_per_s = roof_per_s_;
  result.ended_by = ended_by_;
  explain(result.trials, result.best);
  return result;
}

std::size_t CaseSearch::best() const {
  std::vector<Trial> plain;
  for (const CaseTrial& case_trial : trials_) plain.push_back(case_trial.trial);
  return fastest(plain).value_or(0);
}

/// What place gives with the same options, besides the time that a limit leaves it.
CaseTrial CaseSearch::placed_baseline() {
  Placement placement = placed_from(std::nullopt);
  return {{"place", "what place gives with the same options"}, std::move(placement)};
}

Placement CaseSearch::placed_from(const std::optional<PartialPlacement>& first) {
  const SearchControl control =
      control_.within(is_planned() ? kShareOfRoutedBaseline : kShareOfBaseline);
  PlacerRun run{problem_, job_.source, job_.strategy, {}, nullptr};
  run.first = first;
  const PlacerOutcome outcome = run_placer(run, control);
  if (!outcome.best) throw no_placement(problem_, outcome.result, job_.strategy);
  least_time_ = outcome.result.bounds.time;
  return outcome.best->placement;
}

/// The start as it is; what place makes of it where it is not whole or not legal.
CaseTrial CaseSearch::given_start() {
  if (const auto whole = whole_legal_placement(problem_, *job_.start)) {
    const auto bounds = placer::lower_bounds(problem_);
    least_time_ = bounds ? bounds->time : 0;
    return {{"start", "the placement to begin with"}, *whole};
  }
  Placement placement = placed_from(job_.start);
  return {{"start", "the placement to begin with, made whole and legal"}, std::move(placement)};
}

/// The first candidate, simulated, and the roof.
void CaseSearch::begin() {
  trials_.push_back(job_.start ? given_start() : placed_baseline());
  control_.tell({"routing", job_.source});
  const sim::Picoseconds forward =
      sim::service_time({least_time_, problem_.time_denominator()}, hardware_);
  roof_per_s_ =
      per_s(problem_, job_.training ? 3 * forward : forward);  // backward takes twice as long
  CaseTrial& baseline = trials_.front();
  const bool runs =
      promise(baseline) && (!is_planned() || route(baseline, first_routes(control_), control_));
  if (runs) {
    simulate_all({0});
  } else if (baseline.trial.verdict != Verdict::cut) {
    throw SearchEnded(EndReason::infeasible, baseline.trial.reason);
  }
  if (trials_.front().trial.measured) return;
  const std::string before = " before the first placement was simulated";
  if (control_.interrupted()) throw SearchEnded(EndReason::interrupted, "interrupted" + before);
  throw SearchEnded(EndReason::time_limit, "the time limit passed" + before);
}

/// How fast it can be at most; planned: on any routes. False if it cannot be routed.
bool CaseSearch::promise(CaseTrial& case_trial) const {
  case_trial.trial.contest_cost = contest_cost(*case_trial.placement);
  if (is_planned()) return promise_routed(case_trial);
  case_trial.pipeline =
      case_pipeline(problem_, *case_trial.placement, hardware_, job_.training, options_.routing);
  tell_least_period(case_trial);
  return true;
}

bool CaseSearch::promise_routed(CaseTrial& case_trial) const {
  const CasePromise found = case_promise(problem_, *case_trial.placement, hardware_, job_.training);
  if (!found.infeasible.empty()) {
    case_trial.trial.reason = found.infeasible;
    return false;
  }
  case_trial.trial.promise = found.by;
  case_trial.trial.promised_per_s = per_s(problem_, std::llround(found.period_ps));
  case_trial.lanes_ps = found.lanes_ps;
  return true;
}

/// Plans its routes, and tells how fast it can be at most on these. False if there are none.
bool CaseSearch::route(CaseTrial& case_trial, router::RouteOptions options,
                       const SearchControl& control) const {
  options.control = static_cast<const RunControl&>(control);
  CasePipeline pipeline = case_pipeline(problem_, *case_trial.placement, hardware_, job_.training,
                                        options_.routing, options);
  if (!pipeline.unrouted.empty()) {
    if (pipeline.is_cut) {
      pass_over(case_trial.trial, Verdict::cut, kLateRoutes);
    } else {
      pass_over(case_trial.trial, Verdict::refused, pipeline.unrouted);
    }
    return false;
  }
  case_trial.pipeline = std::move(pipeline);
  tell_least_period(case_trial);
  return true;
}

void CaseSearch::tell_least_period(CaseTrial& case_trial) const {
  const sim::Utilisation least =
      sim::least_period(case_trial.pipeline->spec, hardware_, options_.routing).most;
  case_trial.trial.promise = least.name;
  case_trial.trial.promised_per_s = per_s(problem_, least.busy_per_sample);
}

double CaseSearch::contest_cost(const Placement& placement) const {
  const CostModel costs(problem_);
  return static_cast<double>(costs.total(score(problem_, placement))) /
         static_cast<double>(costs.scale());
}

/// A round: places, turns, ranks, simulates.
void CaseSearch::propose(std::size_t round) {
  const std::size_t first = trials_.size();
  const std::size_t from = best();
  const std::vector<CaseProposal> proposals = proposals_of(from, round);
  const Placement start = *trials_[from].placement;
  if (round == 0 && tries_images()) {
    trials_.push_back({{kTurned, "what place gives, mirrored or turned"}, start});
  }
  const Clock::time_point began = Clock::now();
  for (std::size_t i = 0; i < proposals.size() && !rounds_control_.is_cut(); ++i) {
    const std::string label =
        label_of(proposals[i].name, i, proposals.size(),
                 fmt::format("round {} of at most {}", round + 1, job_.rounds), began);
    trials_.push_back(placed(proposals[i], start, proposals.size() - i, label));
  }
  control_.tell({"ranking placements", job_.source});
  run_parallel(trials_.size() - first, control_, [&](std::size_t i) { turn(trials_[first + i]); });
  const std::vector<std::size_t> chosen = promising(first, from);
  simulate_all(is_planned() ? routed(chosen, rate(from)) : chosen);
}

/// Other weights with as much room for buffers as the best has, then other room where that may
/// help: of a time limit the last ones get the most.
std::vector<CaseProposal> CaseSearch::proposals_of(std::size_t from, std::size_t round) const {
  const CaseTrial& best = trials_[from];
  const BufferState buffers = buffer_state(from);
  std::vector<CaseProposal> proposals =
      (is_planned() ? routed_proposals : case_proposals)(loads(best), best.weights, round);
  for (CaseProposal& proposal : proposals) {
    if (round > 0) proposal.buffers = buffers.samples;
  }
  for (CaseProposal& proposal : buffer_proposals(buffers, best.weights, round)) {
    proposals.push_back(std::move(proposal));
  }
  return proposals;
}

/// The memory of tiles decides what edges hold, unless the hardware's file or, of training, the
/// schedule does.
BufferState CaseSearch::buffer_state(std::size_t at) const {
  const CaseTrial& trial = trials_[at];
  const bool may_lack = hardware_.sram_bytes_per_tile && !hardware_.buffer_samples &&
                        !job_.training && trial.pipeline;
  return {trial.trial.buffers, may_lack && trial.pipeline->lacks_room};
}

/// The case with room for buffers in what programs leave of a tile's memory.
Problem CaseSearch::with_room(Decimal6 samples) const {
  if (samples == Decimal6{0}) return problem_;
  const std::int64_t bytes = *hardware_.sram_bytes_per_tile - hardware_.program_bytes_per_tile;
  return with_buffers(problem_,
                      {samples, std::max<std::int64_t>(0, bytes) / hardware_.element_bytes});
}

EdgeLoads CaseSearch::loads(const CaseTrial& of) const {
  EdgeLoads loads;
  for (const Connection& edge : problem_.connections()) {
    loads.bytes.push_back(static_cast<double>(edge.tensor.elements()));
  }
  loads.traffic = sim::edge_traffic(problem_, of.pipeline->spec, hardware_, options_.routing,
                                    of.found.link_bytes);
  if (!is_planned()) return loads;
  loads.prices = edge_prices(problem_, of.pipeline->routes);
  // What was long once comes again where nothing holds it: the most of all placements so far.
  loads.lanes = of.lanes_ps;
  for (const CaseTrial& trial : trials_) {
    for (std::size_t i = 0; i < trial.lanes_ps.size(); ++i) {
      loads.lanes[i] = std::max(loads.lanes[i], trial.lanes_ps[i]);
    }
  }
  return loads;
}

/// Plans the routes of those that promise most. Answers those that still promise more than the
/// best so far; the others get their verdict.
std::vector<std::size_t> CaseSearch::routed(const std::vector<std::size_t>& chosen,
                                            double to_beat) {
  control_.tell({fmt::format("routing, {} to do", chosen.size()), job_.source});
  const SearchControl control = control_.within(kShareOfRoutes);
  std::vector<char> is_better(chosen.size(), 0);
  run_parallel(chosen.size(), control_, [&](std::size_t i) {
    CaseTrial& case_trial = trials_[chosen[i]];
    if (control.is_cut()) {
      return pass_over(case_trial.trial, Verdict::cut, kLateRoutes);
    }
    if (!route(case_trial, first_routes(control), control)) return;
    if (*case_trial.trial.promised_per_s > to_beat) {
      is_better[i] = 1;
      return;
    }
    pass_over(case_trial.trial, Verdict::bounded,
              "on its routes " + promise_text(case_trial.trial) + "; the best so far is as fast");
  });
  std::vector<std::size_t> better;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (is_better[i] != 0) better.push_back(chosen[i]);
  }
  // Now buffers count, too: those that the tiles' memories hold.
  std::stable_sort(better.begin(), better.end(), [&](std::size_t a, std::size_t b) {
    return *trials_[a].trial.promised_per_s > *trials_[b].trial.promised_per_s;
  });
  for (; better.size() > job_.top; better.pop_back()) {
    outrank(trials_[better.back()].trial, job_.top);
  }
  return better;
}

CaseTrial CaseSearch::placed(const CaseProposal& proposal, const Placement& start, std::size_t left,
                             const std::string& label) {
  CaseTrial case_trial{
      {proposal.name, proposal.description}, std::nullopt, std::nullopt, proposal.weights};
  try {
    case_trial.trial.buffers = proposal.buffers;
    const Problem other = reweighed(with_room(proposal.buffers), proposal.weights);
    PlacerRun run{other, label, proposal.strategy, {}, nullptr};
    if (proposal.from_best) run.first = whole_start(start);
    SearchControl control = rounds_control_.part(proposal.less_effort, left);
    control.seed += proposal.seed_offset;
    const PlacerOutcome outcome = run_placer(run, control);
    case_trial.trial.reason = "no placement was found under these weights";
    if (outcome.result.infeasible) case_trial.trial.reason = outcome.result.infeasible->message;
    if (outcome.best) case_trial.placement = outcome.best->placement;
  } catch (const RequestError& error) {
    case_trial.trial.reason = error.what();
  } catch (const InfeasibleError& error) {
    case_trial.trial.reason = error.what();
  }
  return case_trial;
}

/// Takes the image of a placement that promises most. Planned routes are worth the same in a
/// mirror: there the placement stays.
void CaseSearch::turn(CaseTrial& case_trial) const {
  if (!case_trial.placement) return;
  if (!tries_images()) {
    if (!promise(case_trial)) case_trial.placement.reset();
    return;
  }
  std::optional<CaseTrial> most;
  for (const Image& image : images(problem_, *case_trial.placement)) {
    const bool is_itself = image.placement == *case_trial.placement;
    if (is_itself && case_trial.trial.name == kTurned) continue;
    if (!judge(problem_, to_solution(problem_, image.placement)).legal()) continue;
    CaseTrial turned{case_trial.trial, image.placement, std::nullopt, case_trial.weights};
    if (!is_itself) turned.trial.description += "; " + image.name;
    if (!promise(turned)) continue;
    if (!most || *turned.trial.promised_per_s > *most->trial.promised_per_s) {
      most = std::move(turned);
    }
  }
  if (most) {
    case_trial = std::move(*most);
    return;
  }
  case_trial.placement.reset();
  case_trial.trial.reason = "no image of it is legal";
}

/// Those from `first` on that are to be simulated, where trials_[from] is the best so far; the
/// others get their verdict. Promises know no buffers yet: where the best lacks room for them, what
/// has room comes first.
std::vector<std::size_t> CaseSearch::promising(std::size_t first, std::size_t from) {
  const double to_beat = rate(from);
  const std::size_t most_chosen = (is_planned() ? kRoutedForOne : 1) * job_.top;
  std::vector<std::size_t> order(trials_.size() - first);
  std::iota(order.begin(), order.end(), first);
  std::erase_if(order, [&](std::size_t at) { return !trials_[at].placement; });
  const bool lacks_room = buffer_state(from).lacks_room;
  const auto rank = [&](std::size_t at) {
    const Trial& trial = trials_[at].trial;
    return std::make_pair(lacks_room && trial.buffers > Decimal6{0}, *trial.promised_per_s);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
  std::vector<std::size_t> chosen;
  for (const std::size_t at : order) {
    Trial& trial = trials_[at].trial;
    if (const std::optional<std::size_t> same = repeated(at)) {
      pass_over(trial, Verdict::repeated, "the same placement as " + trials_[*same].trial.name);
    } else if (*trial.promised_per_s <= to_beat) {
      pass_over(trial, Verdict::bounded, promise_text(trial) + "; the best so far is as fast");
    } else if (chosen.size() >= most_chosen) {
      outrank(trial, most_chosen);
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
  sim::SimulateOptions screening = options_;
  screening.samples = std::min(options_.samples, kScreened);
  control_.tell({fmt::format("simulating, {} to do", chosen.size()), job_.source});
  run_parallel(chosen.size(), control_,
               [&](std::size_t i) { simulate_one(trials_[chosen[i]], screening); });
}

void CaseSearch::simulate_one(CaseTrial& case_trial, const sim::SimulateOptions& options) const {
  const sim::ThroughputReport found = simulate(case_trial.pipeline->spec, hardware_, options);
  if (found.stopped || found.simulated == 0) {
    const bool is_first = !case_trial.trial.measured;
    if (is_first) pass_over(case_trial.trial, Verdict::cut, "its simulation was not over in time");
    return;
  }
  case_trial.found = found;
  case_trial.trial.verdict = Verdict::slower;
  case_trial.trial.measured = measured_of(problem_, found);
}

/// Simulates the first placement with all samples where fewer did not show the period, and then
/// each that is the best or may be: of a run that was never steady the rate counts its filling,
/// which all samples share.
void CaseSearch::confirm() {
  if (is_planned() && control_.time_limit) {
    route_fully(best());
    if (best() != 0) route_fully(0);  // so that it is held against what place and simulate give
  }
  simulate_fully(0);
  for (auto at = next_to_confirm(); at && !control_.is_cut(); at = next_to_confirm())
    simulate_fully(*at);
}

/// The most promising that needs more samples, if without its filling it is as fast as the best.
std::optional<std::size_t> CaseSearch::next_to_confirm() const {
  std::optional<std::size_t> next;
  double most = rate(best());
  for (std::size_t at = 0; at < trials_.size(); ++at) {
    if (!trials_[at].trial.measured || !needs_more(at)) continue;
    const double full = rate_when_full(at);
    if (full < most || (next && full == most)) continue;
    most = full;
    next = at;
  }
  return next;
}

/// Samples a second behind the first.
double CaseSearch::rate_when_full(std::size_t at) const {
  const sim::ThroughputReport& found = trials_[at].found;
  const sim::Picoseconds time = found.makespan - found.first_sample;
  if (found.samples < 2 || time <= 0) return rate(at);
  return per_s(problem_, 1) * static_cast<double>(found.samples - 1) / static_cast<double>(time);
}

/// Spends all attempts on the best one's routes, and keeps them where it then runs faster.
void CaseSearch::route_fully(std::size_t at) {
  if (control_.is_cut()) return;
  control_.tell({"routing with all attempts", trials_[at].trial.name});
  CaseTrial again = trials_[at];
  if (!route(again, {}, control_.within(kShareOfAllRoutes))) return;
  if (again.pipeline->routes == trials_[at].pipeline->routes) return;
  simulate_one(again, options_);
  if (control_.is_cut()) return;
  const double rate_again = again.trial.measured->metrics.samples_per_s;
  if (rate_again > rate(at)) trials_[at] = std::move(again);
}

bool CaseSearch::needs_more(std::size_t at) const {
  return !trials_[at].found.steady && trials_[at].found.samples < options_.samples;
}

void CaseSearch::simulate_fully(std::size_t at) {
  if (!needs_more(at) || control_.is_cut()) return;
  control_.tell({"simulating all samples", trials_[at].trial.name});
  simulate_one(trials_[at], options_);
}

OptimizedCase optimize_case(const Problem& problem, const Hardware& hardware,
                            const CaseSearchOptions& options,
                            const sim::SimulateOptions& simulation, const SearchControl& control) {
  CaseSearch search(problem, hardware, options, simulation, control);
  search.run();
  const CaseTrial& winner = search.winner();
  return {search.result(), *winner.placement, winner.pipeline->routes, winner.found};
}

}  // namespace waferloom::optimize
