#include "cli/commands/place/place_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/options/search_control.h"
#include "cli/summaries/islands_summary.h"
#include "model/errors.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"
#include "optimize/placer_run.h"
#include "optimize/report_json.h"
#include "optimize/routes.h"
#include "viz/evolution.h"

namespace waferloom::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
// Kept back from a time limit for what comes after the search: twice what it takes on one free core
// of 2.25 GHz.
constexpr milliseconds kReserve{50};
constexpr microseconds kReserveAKernel{200};    // and output
constexpr milliseconds kTimeToDrawAFrame{100};  // of an animation

milliseconds drawing_time(viz::PictureFormat format) {
  switch (format) {
    case viz::PictureFormat::svg:
      return milliseconds{40};
    case viz::PictureFormat::png:
      return milliseconds{400};
    case viz::PictureFormat::pdf:
      break;
  }
  return milliseconds{120};
}

microseconds reserve(const PlaceJob& job) {
  const std::size_t frames = job.outputs.animation ? viz::Evolution::kMostShown : 0;
  const std::size_t outputs = 1 + job.outputs.pictures.size() + frames;
  microseconds sum = kReserve + kReserveAKernel * (outputs * job.problem.kernel_count());
  for (const PictureFile& picture : job.outputs.pictures) sum += drawing_time(picture.format);
  sum += frames * kTimeToDrawAFrame;
  return sum;
}

std::string gap_text(const Problem& problem, const placer::PlaceResult& result) {
  if (result.optimal) return "  (optimal)";
  const std::optional<double> relative = optimize::gap(problem, result);
  if (!relative) return "";
  return "  (gap " + told_apart(100 * *relative, 2, 0) + " %)";
}

/// The words of a tile limit kernels, not the stages of a plan.
std::string wafer_text(const PlaceJob& job) {
  const Wafer& wafer = job.problem.wafer();
  const std::int64_t dead = wafer.width * wafer.height - usable_tiles(wafer);
  return fmt::format("{}x{} tiles{}{}", wafer.width, wafer.height,
                     dead > 0 ? fmt::format(", {} of them dead or cut off", dead) : "",
                     job.text_of ? "" : fmt::format(", {} words each", job.problem.memory_limit()));
}

std::string weights_text(const Problem& problem) {
  const Weights& weights = problem.weights();
  return "time " + to_string(weights.time) + ", distance " + to_string(weights.distance) +
         ", adapter " + to_string(weights.adapter);
}

/// What `--buffers` takes of the memory.
std::string buffer_line(const PlaceJob& job, const optimize::PlacerOutcome& outcome) {
  const Decimal6 samples = job.problem.buffers().samples;
  if (samples == Decimal6{0}) return "";
  const BufferUse use = buffer_use(job.problem, outcome.best->placement);
  return summary_line("buffers",
                      fmt::format("{} words for {} samples an edge; fullest tiles: {} of {}, {}",
                                  use.words, to_string(samples), use.most_of_tile, use.limit,
                                  job.problem.kernels()[use.fullest].name));
}

/// What `--prices` gave up: the total against that of the start, if there is a whole one.
std::string price_lines(const PlaceJob& job, const optimize::PlacerOutcome& outcome) {
  if (!job.priced) return "";
  const CostModel priced(*job.priced);
  std::string text = summary_line(
      "priced", total_text(priced, priced.total(score(*job.priced, outcome.best->placement))) +
                    ", with edges that weigh as their prices");
  const auto start = job.start ? whole_legal_placement(job.problem, *job.start) : std::nullopt;
  if (!start) return text;
  const CostModel costs(job.problem);
  const Int128 before = costs.total(score(job.problem, *start));
  const Int128 more = costs.total(outcome.best->score) - before;
  return text + summary_line("given up", total_text(costs, more) + " of the total, which was " +
                                             total_text(costs, before) + " at the start");
}

/// What found it: the strategy, and of islands which one.
std::string finder_text(const optimize::PlacerOutcome& outcome) {
  if (!outcome.islands) return outcome.result.strategy;
  return outcome.result.strategy + " on " + islands_text(*outcome.islands);
}

std::string summary(const PlaceJob& job, const optimize::PlacerOutcome& outcome,
                    const CommonOptions& options) {
  const placer::PlaceResult& result = outcome.result;
  const ScoreTexts texts = score_texts(job.problem, outcome.best->score);
  char stop[64];
  std::snprintf(stop, sizeof stop, "%s after %.1f s", placer::stop_reason_name(result.stopped_by),
                seconds_since(options.start));
  return case_title(job.problem, job.case_path) + ": placed in " + job.outputs.solution.name() +
         "\n" + summary_line("wafer", wafer_text(job)) +
         summary_line("weights", weights_text(job.problem)) + part_lines(texts) +
         summary_line("total", texts.total) + price_lines(job, outcome) +
         buffer_line(job, outcome) +
         summary_line("bound", total_text(CostModel(job.problem), result.bounds.total) +
                                   gap_text(job.problem, result)) +
         summary_line("found by", fmt::format("{}, seed {}", finder_text(outcome), options.seed)) +
         summary_line("ended by", stop);
}

std::string text_of(const PlaceJob& job, const VerifiedPlacement& found) {
  return job.text_of ? job.text_of(job.problem, found.placement) : found.text;
}

void write_pictures(const PlaceJob& job, const Placement& placement) {
  viz::FloorplanOptions options;
  options.source = file_names({job.case_path});
  options.network = job.network;
  for (const PictureFile& picture : job.outputs.pictures) {
    picture.file.write(viz::draw_floorplan(job.problem, placement, picture.format, options));
  }
}

/// The file of --prices.
struct PriceFile {
  PriceFile(const std::string& path, const CommonOptions& common)
      : name(source_name(path)), text(read_input(path, common)), routes(read_routes(text, name)) {
    const bool has_prices =
        std::any_of(routes.tensors.begin(), routes.tensors.end(),
                    [](const RoutedTensor& tensor) { return tensor.price.has_value(); });
    if (has_prices) return;
    throw InputError(name, kWholeSource, "expected a price of some tensor, as route writes them");
  }
  [[noreturn]] void refuse(const RoutedTensor& tensor, const std::string& wanted) const {
    throw InputError(name, place_in_routes(text, tensor.name, std::nullopt),
                     "expected tensors " + wanted + ", found " + tensor.name);
  }

  std::string name;
  std::string text;
  Routes routes;
};

}  // namespace

void PlaceOutputs::check(const std::vector<std::string>& inputs) const {
  if (solution.on_stdout() && report.on_stdout()) {
    throw Failure(FailureKind::usage, "expected one of -o - and --report - on stdout, found both");
  }
  std::vector<const OutputFile*> files;
  if (solution.file() != nullptr) files.push_back(solution.file());
  for (const PictureFile& picture : pictures) files.push_back(&picture.file);
  if (animation) files.push_back(&*animation);
  if (report.file() != nullptr) files.push_back(report.file());
  check_distinct(files, inputs);
}

Problem read_case_to_place(const ProblemFiles& files, const CommonOptions& options,
                           Warnings& warnings, const Hardware* hardware) {
  try {
    const Problem problem = read_problem(files, options, warnings);
    check_acyclic(problem, source_name(files.graph));
    if (hardware != nullptr) return joined_problem(problem, *hardware);
    Hardware bare;
    bare.wafer = problem.wafer();
    return joined_problem(problem, bare);
  } catch (const Failure& failure) {
    if (failure.kind() != FailureKind::interrupted) throw;
    throw Failure(FailureKind::interrupted_early, "interrupted before a legal placement was found");
  }
}

PartialPlacement read_start(const Problem& problem, const std::string& path,
                            const CommonOptions& options) {
  PartialPlacement start = to_partial_placement(problem, read_solution_file(path, options));
  const auto taken = std::count_if(start.kernels.begin(), start.kernels.end(),
                                   [](const auto& kernel) { return kernel.has_value(); });
  if (taken == 0) {
    throw InputError(source_name(path), kWholeSource,
                     "expected a solution of this case to start from, found no kernel of it with "
                     "parameters within limits and a place");
  }
  if (!options.quiet) {
    Progress(options).note(fmt::format(
        "start: {} of {} kernels from {}{}", taken, problem.kernel_count(), source_name(path),
        whole_legal_placement(problem, start) ? "" : "; the rest is made legal first"));
  }
  return start;
}

Problem read_priced(const Problem& problem, const std::string& path, const CommonOptions& common) {
  const PriceFile file(path, common);
  const std::vector<std::string> known = optimize::priced_names(problem);
  const std::set<std::string> names(known.begin(), known.end());
  for (const RoutedTensor& tensor : file.routes.tensors) {
    if (!names.contains(tensor.name)) file.refuse(tensor, "of this placement's connections");
  }
  return optimize::priced(problem, optimize::edge_prices(problem, file.routes));
}

Problem read_priced_stages(const Problem& wanted, const sim::PlanStages& stages,
                           const std::string& path, const CommonOptions& common) {
  const PriceFile file(path, common);
  std::set<std::string> names;
  for (const std::vector<std::string>& tensors : stages.connection_tensors) {
    names.insert(tensors.begin(), tensors.end());
  }
  const std::vector<RoutedTensor>& routed = file.routes.tensors;
  const bool is_known =
      names.empty() || std::any_of(routed.begin(), routed.end(), [&](const RoutedTensor& tensor) {
        return names.contains(tensor.name);
      });
  if (!is_known) file.refuse(routed.front(), "between stages of this plan");
  return optimize::priced(wanted, optimize::stage_prices(stages, file.routes));
}

int run_place_job(const PlaceJob& job, const CommonOptions& options) {
  Progress progress(options, true);
  std::string written;
  const auto write = [&](const VerifiedPlacement& better) {
    if (better.text == written) return;
    job.outputs.solution.replace(text_of(job, better));
    written = better.text;
  };
  viz::Evolution evolution(job.problem, job.network);
  const Problem& weighed = job.priced ? *job.priced : job.problem;
  optimize::PlacerRun run{weighed, source_name(job.case_path), job.strategy, reserve(job), write};
  if (job.outputs.animation) {
    run.on_each = [&](const placer::PlaceImprovement& better, double wall_s) {
      evolution.add(better.placement, better.score, better.strategy, wall_s);
    };
  }
  run.first = job.start;
  optimize::SearchControl control = search_control(options, progress);
  control.effort_given = control.effort_given || job.islands;
  if (job.islands && job.islands->task) {
    write_stdout(cluster::place_island_task(run, control, *job.islands) + "\n");
    return 0;
  }
  const auto note = [&progress](const std::string& line) { progress.note(line); };
  optimize::PlacerOutcome outcome =
      job.islands ? cluster::place_by_islands(run, control, *job.islands, note)
                  : optimize::run_placer(run, control);
  if (job.priced) outcome = optimize::under_own_weights(job.problem, std::move(outcome));
  if (!outcome.best) throw optimize::no_placement(job.problem, outcome.result, job.strategy);
  write(*outcome.best);
  write_pictures(job, outcome.best->placement);
  if (job.outputs.animation) {
    job.outputs.animation->write(
        evolution.draw(outcome.best->placement, file_names({job.case_path})));
  }
  progress.finish();
  job.outputs.report.write(optimize::place_report({job.problem, source_name(job.case_path)},
                                                  outcome, control, job.warnings.texts()));
  if (job.outputs.solution.on_stdout()) {
    std::string text = summary(job, outcome, options);
    text.pop_back();  // note() ends the line
    progress.note(text);
    job.outputs.solution.finish(text_of(job, *outcome.best));
  } else if (!job.outputs.report.on_stdout()) {
    write_stdout(summary(job, outcome, options));
  }
  if (!interrupted()) return 0;
  progress.note("interrupted: the best placement so far is written");
  return interrupted_exit_code();
}

}  // namespace waferloom::cli
