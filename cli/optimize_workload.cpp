#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "cli/failure.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/optimize_job.h"
#include "cli/placer_run.h"
#include "cli/simulation_options.h"
#include "cli/workload_operand.h"
#include "model/plan_writer.h"
#include "model/stage_placement.h"
#include "planner/plan_space.h"
#include "sim/least_period.h"
#include "sim/plan_problem.h"
#include "sim/plan_run.h"
#include "sim/stage_layout.h"
#include "viz/floorplan.h"
#include "viz/link_heat_map.h"

namespace waferloom {
namespace {

constexpr std::int64_t kBatch = 64;            // samples, where nothing says another number
constexpr std::size_t kTop = 40;               // plans to simulate
constexpr std::size_t kMostEstimated = 2'000;  // degrees, before their variants
constexpr std::size_t kPlaced = 3;             // plans whose stages are placed
constexpr int kLessEffort = 2;                 // of placing them
constexpr std::uint64_t kMostBatch = 1'000'000;

/// A plan, where its stages lie, and what became of it.
struct PlanTrial {
  Trial trial;
  Plan plan;
  std::vector<Rectangle> tiles;
  std::vector<std::int64_t> link_bytes{};
};

double picoseconds_to_rate(double samples, double time) {
  return samples * static_cast<double>(kPicosecondsPerSecond) / std::max(1.0, time);
}

/// The search for the plan of a network that runs fastest.
class PlanSearch {
 public:
  PlanSearch(const OptimizeJob& job, const Workload& workload, const Hardware& hardware,
             const std::optional<Plan>& baseline, const PlanSpace& space, Progress& progress)
      : job_(job),
        common_(job.arguments.common()),
        workload_(workload),
        hardware_(hardware),
        baseline_(baseline),
        space_(space),
        progress_(progress),
        options_(simulate_options(job.arguments)),
        meeting_(options_.network == NetworkKind::analytic ? Meeting::ignored
                                                           : Meeting::shares_links) {}

  void run() {
    if (baseline_) add_baseline();
    propose();
    simulate_from(0);
    place_best();
    if (!best()) fail_without_any();
    ended_by_ = end_of_run(common_, "effort");
  }

  OptimizeResult result() const {
    OptimizeResult result;
    result.subject = workload_.name;
    result.source = source_name(job_.arguments.text("CASE"));
    for (const PlanTrial& one : trials_) result.trials.push_back(one.trial);
    for (const auto& [reason, group] : passed_over_) result.passed_over.push_back(group);
    result.best = *best();
    if (baseline_ && trials_.front().trial.measured) result.baseline = 0;
    result.ended_by = ended_by_;
    explain(result.trials, result.best);
    return result;
  }
  const PlanTrial& winner() const { return trials_[*best()]; }
  const SimulateOptions& options() const { return options_; }

 private:
  std::optional<std::size_t> best() const {
    std::vector<Trial> plain;
    for (const PlanTrial& one : trials_) plain.push_back(one.trial);
    return fastest(plain);
  }

  void add_baseline() {
    PlanTrial one{{plan_name(*baseline_), "the plan to beat"}, *baseline_, {}};
    if (const auto refused = lay_out(one)) {
      throw Failure(FailureKind::input, source_name(job_.arguments.text("plan")) + ": " + *refused);
    }
    trials_.push_back(std::move(one));
  }

  /// Lays the stages out and estimates; what is wrong if that cannot be.
  std::optional<std::string> lay_out(PlanTrial& one) const {
    try {
      one.tiles = lay_out_stages(one.plan, hardware_.wafer,
                                 {hardware_.group_columns, hardware_.group_rows});
      estimate(one);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return std::nullopt;
  }

  PlannedPipeline pipeline(const PlanTrial& one) const {
    return plan_pipeline(workload_, one.plan, hardware_, one.tiles, meeting_);
  }

  void estimate(PlanTrial& one) const {
    const PlannedPipeline planned = pipeline(one);
    double fill = 0;
    Picoseconds update = 0;
    for (const StageSpec& stage : planned.spec.stages) {
      fill += static_cast<double>(stage.forward + stage.backward);
    }
    for (const Picoseconds time : planned.updates) update = std::max(update, time);
    const Utilisation least = least_period(planned.spec, hardware_, options_.routing);
    const auto slowest = static_cast<double>(least.busy_per_sample);
    one.trial.promise = least.name;
    const auto samples = static_cast<double>(one.plan.samples());
    one.trial.promised_per_s =
        one.plan.trains()
            ? picoseconds_to_rate(samples * static_cast<double>(one.plan.micro_batches),
                                  pipeline_time(fill, slowest, one.plan.micro_batches) +
                                      static_cast<double>(update))
            : picoseconds_to_rate(samples, slowest);
  }

  /// How long a batch computes if nothing else took time, by pipeline depth: the sum over the
  /// stages and the slowest, in operations of one sample.
  std::pair<double, double> work(std::int64_t pipeline) {
    const auto [at, is_new] = work_.try_emplace(pipeline);
    if (is_new) {
      Plan plan = space_.base;
      plan.tensor = plan.data = plan.micro_batch = 1;
      plan.pipeline = pipeline;
      for (const StageWork& stage : cut_plan(workload_, plan, hardware_).stages) {
        const auto flop = static_cast<double>(stage.forward_flop + stage.backward_flop);
        at->second.first += flop;
        at->second.second = std::max(at->second.second, flop);
      }
    }
    return at->second;
  }

  /// What a plan's tiles compute at most, relative: samples by operations' time.
  double compute_rate(const Plan& plan) {
    const auto [fill, slowest] = work(plan.pipeline);
    const auto tiles = static_cast<double>(plan.tiles());
    const auto samples = static_cast<double>(plan.samples());
    if (!plan.trains()) return tiles / slowest;
    return tiles * static_cast<double>(space_.batch) /
           (samples * pipeline_time(fill, slowest, plan.micro_batches));
  }

  void pass_over(const std::string& reason, const std::string& example, std::size_t count = 1) {
    PassedOver& group = passed_over_[reason];
    group.reason = reason;
    group.count += count;
    if (group.example.empty()) group.example = example;
  }

  /// Degrees, those first that compute fastest; the rest is passed over.
  std::vector<Plan> best_degrees() {
    std::vector<std::pair<double, Plan>> ranked;
    for (Plan& plan : plan_degrees(space_)) ranked.emplace_back(compute_rate(plan), plan);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Plan> degrees;
    for (const auto& [rate, plan] : ranked) {
      if (degrees.size() < kMostEstimated) {
        degrees.push_back(plan);
      } else {
        pass_over("computes slower than " + std::to_string(kMostEstimated) +
                      " others, communication left out",
                  plan_name(plan));
      }
    }
    return degrees;
  }

  void propose() {
    progress_.update("estimating plans", workload_.name);
    const auto dimensions = plan_dimensions(space_);
    std::vector<PlanTrial> proposed;
    for (const Plan& degrees : best_degrees()) {
      for (const Plan& plan : plan_variants(degrees, dimensions)) {
        proposed.push_back({{plan_name(plan), "enumerated"}, plan, {}});
      }
    }
    const std::int64_t tiles = space_.mesh.width * space_.mesh.height;
    if (tiles > space_.operators) {
      pass_over("fewer operators than stages", "PP" + std::to_string(space_.operators + 1),
                static_cast<std::size_t>(tiles - space_.operators));
    }
    std::vector<std::optional<std::string>> refused(proposed.size());
    run_parallel(proposed.size(), common_, [&](std::size_t i) {
      if (is_cut(common_)) {
        refused[i] = "not estimated: the time limit or a signal came first";
      } else {
        refused[i] = lay_out(proposed[i]);
      }
    });
    rank(proposed, refused);
  }

  /// Takes the best by estimate among the trials and passes the others over.
  void rank(std::vector<PlanTrial>& proposed,
            const std::vector<std::optional<std::string>>& refused) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < proposed.size(); ++i) {
      if (refused[i]) {
        pass_over(kind_of(*refused[i]), proposed[i].trial.name + ": " + *refused[i]);
      } else {
        order.push_back(i);
      }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return *proposed[a].trial.promised_per_s > *proposed[b].trial.promised_per_s;
    });
    const std::size_t top = job_.arguments.has("top") ? job_.top : kTop;
    std::size_t taken = 0;
    for (const std::size_t at : order) {
      PlanTrial& one = proposed[at];
      if (baseline_ && one.trial.name == plan_name(*baseline_)) {
        pass_over("is the plan to beat", one.trial.name);
      } else if (taken < top) {
        ++taken;
        trials_.push_back(std::move(one));
      } else {
        pass_over("estimated slower than the " + std::to_string(top) + " that were simulated",
                  one.trial.name + ": " + short_number(*one.trial.promised_per_s) + " samples/s");
      }
    }
  }

  /// A message without its numbers, which differ from plan to plan.
  static std::string kind_of(const std::string& message) {
    std::string kind;
    for (const char c : message) {
      const bool digit = c >= '0' && c <= '9';
      if (!digit) kind += c;
      if (digit && (kind.empty() || kind.back() != '#')) kind += '#';
    }
    return kind;
  }

  void simulate_from(std::size_t first) {
    progress_.update("simulating " + std::to_string(trials_.size() - first) + " plans",
                     workload_.name);
    run_parallel(trials_.size() - first, common_,
                 [&](std::size_t i) { simulate_one(trials_[first + i]); });
  }

  void simulate_one(PlanTrial& one) const {
    one.trial.verdict = Verdict::cut;
    one.trial.reason = "its simulation was cut by the time limit or a signal";
    if (is_cut(common_)) return;
    try {
      const PlanReport found = simulate_plan(pipeline(one), one.plan, hardware_, options_);
      if (found.run.stopped || found.run.simulated == 0) return;
      one.trial.measured = Measured{{found.samples_per_s, found.run.first_sample, std::nullopt},
                                    bound_name(found.run.bound),
                                    found.run.bound_by,
                                    found.run.samples,
                                    found.run.steady};
      one.link_bytes = found.run.link_bytes;
      one.trial.verdict = Verdict::slower;
    } catch (const std::invalid_argument& error) {
      one.trial.verdict = Verdict::refused;
      one.trial.reason = error.what();
    }
  }

  /// The fastest plans, each degrees once.
  std::vector<std::size_t> plans_to_place() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (trials_[i].trial.measured) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return trials_[a].trial.measured->worth.samples_per_s >
             trials_[b].trial.measured->worth.samples_per_s;
    });
    std::vector<std::size_t> chosen;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
    for (const std::size_t at : order) {
      const Plan& plan = trials_[at].plan;
      const bool is_new = seen.emplace(plan.tensor, plan.data, plan.pipeline).second;
      if (is_new && chosen.size() < kPlaced) chosen.push_back(at);
    }
    return chosen;
  }

  void place_best() {
    const std::size_t first = trials_.size();
    const std::vector<std::size_t> chosen = plans_to_place();
    for (std::size_t i = 0; i < chosen.size() && !is_cut(common_); ++i) {
      trials_.push_back(placed(trials_[chosen[i]], chosen.size() - i));
    }
    std::vector<std::size_t> whole;
    for (std::size_t i = first; i < trials_.size(); ++i) {
      if (!trials_[i].tiles.empty()) whole.push_back(i);
    }
    run_parallel(whole.size(), common_, [&](std::size_t i) { simulate_one(trials_[whole[i]]); });
  }

  PlanTrial placed(const PlanTrial& from, std::size_t left) {
    PlanTrial one{
        {from.trial.name + ", placed", "its stages where place lays them"}, from.plan, {}};
    CommonOptions options = common_;
    options.effort = std::max(1, options.effort - kLessEffort);
    if (const auto end = deadline(common_, common_.start)) {
      const auto rest = std::max(*end - Clock::now(), Clock::duration{1});
      options.time_limit =
          std::max(std::chrono::duration_cast<std::chrono::microseconds>(rest / (2 * left)),
                   std::chrono::microseconds{1});
    }
    try {
      const Problem problem = plan_problem(workload_, one.plan, hardware_);
      const PlacerRun run{problem, one.trial.name, job_.strategy, Clock::now(), {}, nullptr};
      const PlacerOutcome outcome = run_placer(run, options, progress_);
      one.trial.reason =
          outcome.result.infeasible ? outcome.result.infeasible->message : "no placement was found";
      if (outcome.best) {
        one.tiles = rectangles(problem, outcome.best->placement);
        estimate(one);
      }
    } catch (const std::invalid_argument& error) {
      one.trial.reason = error.what();
      one.tiles.clear();
    }
    return one;
  }

  [[noreturn]] void fail_without_any() const {
    if (interrupted()) {
      throw Failure(FailureKind::interrupted_early, "interrupted before a plan was simulated");
    }
    if (is_cut(common_)) {
      throw Failure(FailureKind::time_limit, "the time limit passed before a plan was simulated");
    }
    std::string why;
    for (const auto& [reason, group] : passed_over_) why = group.example;
    for (const PlanTrial& one : trials_) why = one.trial.name + ": " + one.trial.reason;
    throw Failure(FailureKind::infeasible, "no plan for a batch of " +
                                               std::to_string(space_.batch) + " can be run" +
                                               (why.empty() ? "" : "; " + why));
  }

  const OptimizeJob& job_;
  const CommonOptions& common_;
  const Workload& workload_;
  const Hardware& hardware_;
  const std::optional<Plan>& baseline_;
  const PlanSpace& space_;
  Progress& progress_;
  SimulateOptions options_;
  Meeting meeting_;
  std::vector<PlanTrial> trials_;                  // the first one is the baseline, if there is one
  std::map<std::string, PassedOver> passed_over_;  // by reason
  std::map<std::int64_t, std::pair<double, double>> work_;
  std::string ended_by_;
};

/// The plan to beat, and what all plans have in common with it.
std::optional<Plan> read_baseline(const Arguments& arguments) {
  if (!arguments.has("plan")) return std::nullopt;
  const std::string& path = arguments.text("plan");
  return read_plan(read_input(path, arguments.common()), source_name(path));
}

PlanSpace space_of(const Arguments& arguments, const Workload& workload, const Hardware& hardware,
                   const std::optional<Plan>& baseline) {
  PlanSpace space;
  space.mesh = hardware.wafer;
  space.batch = kBatch;
  if (baseline) {
    space.base = *baseline;
    space.batch = baseline->samples() * baseline->micro_batches;
  }
  if (arguments.has("inference")) space.base.schedule = Schedule::inference;
  if (arguments.has("batch")) {
    const auto batch =
        static_cast<std::int64_t>(parse_whole(arguments.text("batch"), "--batch", {1, kMostBatch}));
    if (baseline && batch != space.batch) {
      throw Failure(FailureKind::usage,
                    "--batch: the plan to beat has a batch of " + std::to_string(space.batch));
    }
    space.batch = batch;
  }
  if (baseline && baseline->trains() != space.base.trains()) {
    throw Failure(FailureKind::usage, "--inference: the plan to beat trains");
  }
  const auto operators = static_cast<std::int64_t>(workload.operators.size());
  space.operators =
      std::max<std::int64_t>(1, operators - static_cast<std::int64_t>(space.base.leave_out.size()));
  return space;
}

/// The stages as a problem of fixed shapes, for a picture.
Problem drawn_problem(const Workload& workload, const Hardware& hardware, const PlanTrial& winner) {
  const PlannedPipeline planned =
      plan_pipeline(workload, winner.plan, hardware, winner.tiles, Meeting::ignored);
  ProblemData data;
  data.name = "stages";
  data.wafer = hardware.wafer;
  for (std::size_t i = 0; i < winner.tiles.size(); ++i) {
    const StageSpec& stage = planned.spec.stages[i];
    auto options = std::make_shared<std::vector<ShapeOption>>();
    options->push_back({winner.tiles[i].width, winner.tiles[i].height,
                        std::clamp<Picoseconds>(stage.forward + stage.backward, 1, kMaxOptionTime),
                        0, kNoSignature});
    data.kernels.push_back({static_cast<std::int64_t>(i) + 1, stage.name,
                            make_kernel(ShapesFormal{std::move(options)})});
  }
  for (const StageEdge& edge : planned.cut.edges) data.connections.push_back({edge.from, edge.to, {}});
  return Problem(std::move(data));
}

std::vector<OutputFolder::File> files_of(const Workload& workload, const Hardware& hardware,
                                         const PlanTrial& winner) {
  const Problem problem = drawn_problem(workload, hardware, winner);
  Placement placement;
  std::vector<PlacedStage> stages;
  for (std::size_t i = 0; i < winner.tiles.size(); ++i) {
    const Rectangle& tiles = winner.tiles[i];
    placement.kernels.push_back({option_execution(1), tiles.x, tiles.y, false});
    stages.push_back({problem.kernels()[i].name, tiles, false});
  }
  FloorplanOptions options;
  options.source = workload.name;
  LinkHeatMap map;
  map.mesh = hardware.wafer;
  map.link_bytes = winner.link_bytes;
  map.stages = winner.tiles;
  map.title = workload.name + ", " + winner.trial.name;
  return {{"plan.json", plan_text(winner.plan)},
          {"placement.json", stage_placement_text(stages)},
          {"floorplan.svg", draw_floorplan(problem, placement, PictureFormat::svg, options)},
          {"links.svg", draw_link_heat_map(map, PictureFormat::svg)}};
}

}  // namespace

int optimize_workload(const OptimizeJob& job) {
  const Arguments& arguments = job.arguments;
  const CommonOptions& common = arguments.common();
  const Workload workload = read_workload_operand(arguments, "CASE");
  const Hardware hardware = read_hardware_option(arguments);
  const std::optional<Plan> baseline = read_baseline(arguments);
  const PlanSpace space = space_of(arguments, workload, hardware, baseline);
  const Warnings warnings(common);
  Progress progress(common, true);
  PlanSearch search(job, workload, hardware, baseline, space, progress);
  try {
    search.run();
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, hardware_name(arguments) + ": " + error.what());
  }
  const OptimizeResult result = search.result();
  const Json report = optimize_json(result, hardware, search.options(), common, warnings);
  return finish_optimize(job, result, report, files_of(workload, hardware, search.winner()),
                         progress);
}

}  // namespace waferloom
