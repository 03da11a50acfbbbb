#include "optimize/bench.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <map>

#include "benchmarks_ispd2020/case_options.h"
#include "cli/commands/bench_cases.h"
#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cli/summaries/bench_summary.h"
#include "model/report.h"
#include "optimize/placer_run.h"

namespace waferloom::cli {
namespace {

constexpr std::chrono::milliseconds kReserve{20};

/// What the command line asks for.
struct BenchRequest {
  CommonOptions common;
  std::vector<std::string> names;
  std::vector<std::string> cases;
  std::optional<std::string> from;
  std::optional<ispd2020::GeneratedTable> generated;
  optimize::BenchRuns runs;
  std::optional<std::string> csv;
  std::optional<std::string> solutions;
};

/// What is run, and where results go.
struct BenchPlan {
  std::vector<optimize::BenchCase> cases;
  std::vector<std::uint64_t> seeds;
  std::string strategy;
  std::optional<OutputFile> csv;
  std::map<std::string, OutputFile> solutions;  ///< by solution_name
  ReportTarget report;
};

std::string solution_name(const std::string& name, std::uint64_t seed, bool several) {
  return several ? fmt::format("{}.seed{}.sol", name, seed) : name + ".sol";
}

std::vector<std::uint64_t> seeds(std::uint64_t first, std::uint64_t count) {
  if (first > std::numeric_limits<std::uint64_t>::max() - (count - 1)) {
    throw Failure(FailureKind::usage, "--seed: too large for so many seeds");
  }
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

/// Everything that can be wrong is found here, before the first run.
BenchPlan make_plan(const BenchRequest& request, Warnings& warnings) {
  const CommonOptions& common = request.common;
  BenchPlan plan{{},
                 seeds(common.seed, request.runs.seeds),
                 request.runs.strategy,
                 {},
                 {},
                 ReportTarget(common)};
  if (request.csv) plan.csv.emplace(*request.csv);
  std::vector<std::string> names = request.cases;
  names.insert(names.end(), request.names.begin(), request.names.end());
  if (request.from && request.generated) {
    throw Failure(FailureKind::usage, "expected one of --from and --generated, found both");
  }
  if (request.from) {
    plan.cases = folder_bench_cases(*request.from, names, common, warnings);
  } else if (request.generated) {
    plan.cases = generated_bench_cases(*request.generated, "--cases", names);
  } else {
    plan.cases = contest_bench_cases("--cases", names);
  }
  std::vector<const OutputFile*> files;
  if (plan.csv) files.push_back(&*plan.csv);
  if (plan.report.file() != nullptr) files.push_back(plan.report.file());
  if (request.solutions) {
    const std::filesystem::path folder(*request.solutions);
    for (const optimize::BenchCase& bench : plan.cases) {
      for (const std::uint64_t seed : plan.seeds) {
        const std::string name = solution_name(bench.name, seed, plan.seeds.size() > 1);
        plan.solutions.emplace(name, (folder / name).string());
      }
    }
  }
  for (const auto& [name, file] : plan.solutions) files.push_back(&file);
  check_distinct(files, {});
  return plan;
}

optimize::BenchRow run_case(const BenchPlan& plan, const optimize::BenchCase& bench,
                            const CommonOptions& options, Progress& progress) {
  optimize::SearchControl control = search_control(options, progress);
  control.start = optimize::Clock::now();
  const optimize::PlacerRun run{*bench.problem, bench.name, plan.strategy, kReserve, {}};
  const optimize::PlacerOutcome outcome = optimize::run_placer(run, control);
  optimize::BenchRow row = optimize::bench_row(bench, options.seed, outcome, plan.strategy);
  row.wall_s = rounded_to_ms(seconds_since(control.start));
  const auto file =
      plan.solutions.find(solution_name(bench.name, options.seed, plan.seeds.size() > 1));
  if (outcome.best && file != plan.solutions.end()) file->second.write(outcome.best->text);
  progress.detail(fmt::format("{}, seed {}: {}", bench.name, options.seed,
                              row.failure.empty() ? row.score.total : row.failure));
  return row;
}

/// Rows of all cases and seeds; without the run that a signal cut.
std::vector<optimize::BenchRow> run_all(const BenchPlan& plan, const CommonOptions& common) {
  Progress progress(common);
  std::vector<optimize::BenchRow> rows;
  for (const optimize::BenchCase& bench : plan.cases) {
    if (!bench.problem) {
      rows.push_back(optimize::fault_row(bench, plan.seeds.front()));
      continue;
    }
    for (const std::uint64_t seed : plan.seeds) {
      CommonOptions options = common;
      options.seed = seed;
      optimize::BenchRow row = run_case(plan, bench, options, progress);
      const bool cut = row.stopped_by == placer::stop_reason_name(placer::StopReason::interrupted);
      if (!cut) rows.push_back(std::move(row));
      if (interrupted()) return rows;
    }
  }
  return rows;
}

int run_bench(const BenchRequest& request) {
  const CommonOptions& common = request.common;
  Warnings warnings(common);
  const BenchPlan plan = make_plan(request, warnings);
  const std::vector<optimize::BenchRow> rows = run_all(plan, common);
  if (rows.empty()) throw_if_interrupted();
  if (plan.csv) plan.csv->write(optimize::bench_csv(rows));
  plan.report.write(optimize::bench_report({rows, plan.strategy, plan.seeds, peak_memory_bytes()},
                                           search_control(common), warnings.texts()));
  if (!plan.report.on_stdout()) {
    const std::int64_t megabytes = peak_memory_bytes() / 1'000'000;
    write_stdout(fmt::format("{}Peak memory {} MB\n", bench_summary(rows), megabytes));
  }
  if (interrupted()) return interrupted_exit_code();
  for (const optimize::BenchRow& row : rows) {
    if (!row.failure.empty()) return kExitCheckFailed;
  }
  return 0;
}

}  // namespace

const Command& bench_command() {
  static const Command command = command_of<BenchRequest>(
      {.name = "bench",
       .summary = "Place many cases and compare with published results.",
       .usage = {"bench [NAME ...] [--from FOLDER] [--seeds N] [options]",
                 "bench --generated small|full [NAME ...] [--seeds N] [options]"},
       .description =
           "Places the contest's 20 cases, which are built in, the .kgraph files of a folder, or "
           "generated cases, one after the other, verifies every result, and prints a table with "
           "the geometric means against the published totals. A file that is wrong is told and "
           "passed over. Common options such as --time-limit and --effort hold for each case. "
           "Exits with 4 if a case got no placement.",
       .examples = {"waferloom bench --time-limit 2",
                    "waferloom bench --generated small --time-limit 2",
                    "waferloom bench A K --seeds 3 --effort 3 --csv bench.csv"}},
      {operand(&BenchRequest::names, {"NAME",
                                      "Only these cases, A to T, files of the folder or generated "
                                      "ones; all if none is given.",
                                      false, true})},
      joined_options<BenchRequest>(
          {{option(&BenchRequest::cases, {"cases", '\0', "A,K", "The same."}),
            option(&BenchRequest::from, {"from", '\0', "FOLDER", "Place FOLDER/*.kgraph instead."}),
            option(&BenchRequest::generated,
                   with_help(ispd2020::generated_option(),
                             "Place generated cases instead: networks beyond the contest, of 10 to "
                             "40 kernels or of 10 to 2,000, on wafers up to 2500x2500."))},
           options_inside(&BenchRequest::runs, optimize::bench_options()),
           {option(&BenchRequest::csv, {"csv", '\0', "FILE", "Write all runs as CSV."}),
            option(&BenchRequest::solutions,
                   {"solutions", '\0', "FOLDER", "Write each solution to FOLDER/NAME.sol."})}}),
      run_bench);
  return command;
}

}  // namespace waferloom::cli
