#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/failure.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/optimize_job.h"
#include "cli/place_job.h"
#include "cli/placer_run.h"
#include "cli/simulation_options.h"
#include "cli/simulation_report.h"
#include "planner/case_proposals.h"
#include "planner/symmetry.h"
#include "sim/contest_pipeline.h"
#include "sim/edge_traffic.h"
#include "sim/least_period.h"
#include "viz/floorplan.h"
#include "viz/link_heat_map.h"

namespace waferloom {
namespace {

constexpr std::size_t kMostRounds = 4;
constexpr std::int64_t kScreened = 100;   // samples of a first simulation
constexpr double kShareOfBaseline = 0.3;  // of a time limit
constexpr double kWorthARound = 1.002;    // times faster

/// What a round of placing gives, before and after it is simulated.
struct CaseTrial {
  Trial trial;
  std::optional<Placement> placement;
  ThroughputReport found{};
};

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

/// The search for the placement of a case that runs fastest.
class CaseSearch {
 public:
  CaseSearch(const OptimizeJob& job, const Problem& problem, const Hardware& hardware,
             Progress& progress)
      : job_(job),
        common_(job.arguments.common()),
        problem_(problem),
        hardware_(hardware),
        progress_(progress),
        options_(simulate_options(job.arguments)),
        training_(job.arguments.has("training")) {}

  void run() {
    place_baseline();
    std::size_t round = 0;
    for (bool gained = true; gained && round < kMostRounds && !is_over(); ++round) {
      const double before = rate(best());
      propose(round);
      gained = rate(best()) > kWorthARound * before || round == 0;
    }
    rounds_ = round;
    ended_by_ = end_of_run(common_, round < kMostRounds ? "no gain" : "effort");
    confirm();
  }

  OptimizeResult result() const {
    OptimizeResult result;
    result.subject = problem_.name();
    result.source = source_name(job_.arguments.text("CASE"));
    for (const CaseTrial& one : trials_) result.trials.push_back(one.trial);
    result.best = best();
    result.baseline = 0;
    result.rounds = rounds_;
    result.ended_by = ended_by_;
    explain(result.trials, result.best);
    return result;
  }
  const Placement& placement() const { return *trials_[best()].placement; }
  const ThroughputReport& found() const { return trials_[best()].found; }
  const SimulateOptions& options() const { return options_; }

 private:
  double rate(std::size_t at) const { return trials_[at].trial.measured->worth.samples_per_s; }
  bool is_over() const { return is_cut(common_); }

  std::size_t best() const {
    std::vector<Trial> plain;
    for (const CaseTrial& one : trials_) plain.push_back(one.trial);
    return fastest(plain).value_or(0);
  }

  PipelineSpec pipeline(const Placement& placement) const {
    return contest_pipeline(problem_, placement, hardware_, training_);
  }

  /// What place gives with the same options.
  void place_baseline() {
    CommonOptions options = common_;
    if (options.time_limit) {
      options.time_limit = std::chrono::duration_cast<std::chrono::microseconds>(
          kShareOfBaseline * *options.time_limit);
    }
    PlacerRun run{
        problem_, source_name(job_.arguments.text("CASE")), job_.strategy, common_.start, {},
        nullptr};
    const PlacerOutcome outcome = run_placer(run, options, progress_);
    if (!outcome.best) throw no_placement(problem_, outcome.result, job_.strategy);
    trials_.push_back(
        {{"place", "what place gives with the same options"}, outcome.best->placement});
    promise(trials_[0]);
    simulate_all({0});
    if (!trials_[0].trial.measured) {
      throw_if_interrupted_early();
      throw Failure(FailureKind::time_limit,
                    "the time limit passed before the first placement was simulated");
    }
  }

  static void throw_if_interrupted_early() {
    if (!interrupted()) return;
    throw Failure(FailureKind::interrupted_early,
                  "interrupted before the first placement was simulated");
  }

  /// How fast it can be at most.
  void promise(CaseTrial& one) const {
    const Utilisation least = least_period(pipeline(*one.placement), hardware_, options_.routing);
    one.trial.promise = least.name;
    one.trial.promised_per_s = per_s(least.busy_per_sample);
  }

  /// A round: places, turns, ranks, simulates.
  void propose(std::size_t round) {
    const std::size_t first = trials_.size();
    const std::size_t from = best();
    const std::vector<CaseProposal> proposals = case_proposals(loads(from), round);
    if (round == 0) {
      trials_.push_back(
          {{"turned", "the first placement, mirrored or turned"}, trials_[0].placement});
    }
    const Placement start = *trials_[from].placement;
    for (std::size_t i = 0; i < proposals.size() && !is_over(); ++i) {
      place_proposal(proposals[i], start, proposals.size() - i);
    }
    turn(first);
    simulate_all(promising(first, rate(from)));
  }

  EdgeLoads loads(std::size_t at) const {
    EdgeLoads loads;
    for (const Connection& edge : problem_.connections()) {
      loads.bytes.push_back(static_cast<double>(edge.tensor.elements()));
    }
    loads.traffic = edge_traffic(problem_, *trials_[at].placement, hardware_, options_.routing,
                                 trials_[at].found.link_bytes);
    return loads;
  }

  void place_proposal(const CaseProposal& proposal, const Placement& start, std::size_t left) {
    CaseTrial one{{proposal.name, proposal.description}, std::nullopt};
    try {
      const Problem other = reweighed(problem_, proposal.weights);
      PlacerRun run{other, proposal.name, proposal.strategy, Clock::now(), {}, nullptr};
      if (proposal.from_best) run.first = partial(start);
      CommonOptions options = part_of(common_, left);
      options.seed += proposal.seed_offset;
      const PlacerOutcome outcome = run_placer(run, options, progress_);
      one.trial.reason = "no placement was found under these weights";
      if (outcome.best) one.placement = outcome.best->placement;
    } catch (const std::invalid_argument& error) {
      one.trial.reason = error.what();
    }
    trials_.push_back(std::move(one));
  }

  static PartialPlacement partial(const Placement& placement) {
    PartialPlacement start;
    for (const PlacedKernel& kernel : placement.kernels) start.kernels.emplace_back(kernel);
    return start;
  }

  /// Of every placement from `first` on takes the image that promises most.
  void turn(std::size_t first) {
    run_parallel(trials_.size() - first, common_, [&](std::size_t i) {
      CaseTrial& one = trials_[first + i];
      if (!one.placement) return;
      std::optional<CaseTrial> best;
      for (const Image& image : images(problem_, *one.placement)) {
        const bool is_itself = one.trial.name == "turned" && image.placement == *one.placement;
        if (is_itself || !judge(problem_, to_solution(problem_, image.placement)).legal()) continue;
        CaseTrial turned{one.trial, image.placement};
        if (image.name != "as it is") turned.trial.description += "; " + image.name;
        promise(turned);
        if (!best || *turned.trial.promised_per_s > *best->trial.promised_per_s) best = turned;
      }
      if (best) {
        one = std::move(*best);
      } else {
        one.placement.reset();
        one.trial.reason = "no other image of it is legal";
      }
    });
  }

  /// Those from `first` on to simulate; the others get their verdict.
  std::vector<std::size_t> promising(std::size_t first, double to_beat) {
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
          "at most " + short_number(*trial.promised_per_s) + " samples/s, " + trial.promise;
      if (const std::optional<std::size_t> same = repeated(at)) {
        pass_over(trial, Verdict::repeated, "the same placement as " + trials_[*same].trial.name);
      } else if (*trial.promised_per_s <= to_beat) {
        pass_over(trial, Verdict::bounded, most + "; the best so far is faster");
      } else if (chosen.size() >= job_.top) {
        pass_over(trial, Verdict::outranked,
                  most + "; " + std::to_string(job_.top) + " others promised more");
      } else {
        chosen.push_back(at);
      }
    }
    return chosen;
  }

  static void pass_over(Trial& trial, Verdict verdict, const std::string& reason) {
    trial.verdict = verdict;
    trial.reason = reason;
  }

  std::optional<std::size_t> repeated(std::size_t at) const {
    for (std::size_t i = 0; i < at; ++i) {
      if (trials_[i].placement == trials_[at].placement) return i;
    }
    return std::nullopt;
  }

  void simulate_all(const std::vector<std::size_t>& chosen) {
    SimulateOptions screening = options_;
    screening.samples = std::min(options_.samples, kScreened);
    progress_.update("simulating " + std::to_string(chosen.size()) + " placements",
                     source_name(job_.arguments.text("CASE")));
    run_parallel(chosen.size(), common_,
                 [&](std::size_t i) { simulate_one(trials_[chosen[i]], screening); });
  }

  void simulate_one(CaseTrial& one, const SimulateOptions& options) const {
    const ThroughputReport found = simulate(pipeline(*one.placement), hardware_, options);
    if (found.stopped || found.simulated == 0) {
      if (!one.trial.measured) {
        pass_over(one.trial, Verdict::cut, "its simulation was cut by the time limit or a signal");
      }
      return;
    }
    one.found = found;
    one.trial.verdict = Verdict::slower;
    one.trial.measured = measured_of(found);
  }

  /// Simulates the best and the first placement with all samples, where fewer did not show the
  /// period; if the best is not the fastest then, the next one too.
  void confirm() {
    simulate_fully(0);
    for (std::size_t at = best(); needs_more(at) && !is_over(); at = best()) simulate_fully(at);
  }
  bool needs_more(std::size_t at) const {
    return !trials_[at].found.steady && trials_[at].found.samples < options_.samples;
  }
  void simulate_fully(std::size_t at) {
    if (!needs_more(at) || is_over()) return;
    progress_.update("simulating all samples", trials_[at].trial.name);
    simulate_one(trials_[at], options_);
  }

  const OptimizeJob& job_;
  const CommonOptions& common_;
  const Problem& problem_;
  const Hardware& hardware_;
  Progress& progress_;
  SimulateOptions options_;
  bool training_;
  std::vector<CaseTrial> trials_;  // the first one is the baseline
  std::size_t rounds_ = 0;
  std::string ended_by_;
};

std::vector<std::string> input_files(const Arguments& arguments) {
  std::vector<std::string> inputs = hardware_files(arguments);
  for (const std::string& path : problem_files(arguments).paths()) inputs.push_back(path);
  return inputs;
}

std::vector<OutputFolder::File> files_of(const CaseSearch& search, const Problem& problem,
                                         const Hardware& hardware, const std::string& title) {
  const Placement& placement = search.placement();
  FloorplanOptions options;
  options.source = title;
  LinkHeatMap map;
  map.mesh = hardware.wafer;
  map.link_bytes = search.found().link_bytes;
  map.stages = rectangles(problem, placement);
  map.title = title;
  return {{"solution.sol", verified(problem, placement, score(problem, placement)).text},
          {"floorplan.svg", draw_floorplan(problem, placement, PictureFormat::svg, options)},
          {"links.svg", draw_link_heat_map(map, PictureFormat::svg)}};
}

}  // namespace

int optimize_case(const OptimizeJob& job) {
  const Arguments& arguments = job.arguments;
  const CommonOptions& common = arguments.common();
  check_one_stdin(input_files(arguments));
  Hardware hardware = read_hardware_option(arguments);
  Warnings warnings(common);
  const Problem problem = read_case_to_place(problem_files(arguments), common, warnings);
  add_dead_tiles(hardware, problem.wafer().dead);
  Progress progress(common, true);
  CaseSearch search(job, problem, hardware, progress);
  try {
    search.run();
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, hardware_name(arguments) + ": " + error.what());
  }
  const OptimizeResult result = search.result();
  Json report = optimize_json(result, hardware, search.options(), common, warnings);
  return finish_optimize(job, result, report,
                         files_of(search, problem, hardware, file_names({arguments.text("CASE")})),
                         progress);
}

}  // namespace waferloom
