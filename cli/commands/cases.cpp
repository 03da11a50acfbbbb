#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "benchmarks_ispd2020/case_options.h"
#include "benchmarks_ispd2020/case_report.h"
#include "benchmarks_ispd2020/generated_cases.h"
#include "cli/commands/bench_cases.h"
#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/summary_lines.h"
#include "model/errors.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct CasesRequest {
  CommonOptions common;
  std::vector<std::string> names;
  ispd2020::CaseChoice choice;
  std::optional<std::string> output;
};

/// What is listed or written.
struct Selection {
  std::vector<optimize::BenchCase> cases;  ///< each with its problem
  bool named = false;                      ///< whether cases were asked for one by one
};

std::string weights_text(const Problem& problem) {
  const Weights& weights = problem.weights();
  return to_string(weights.time) + "/" + to_string(weights.distance) + "/" +
         to_string(weights.adapter);
}

std::string contest_list(const std::vector<optimize::BenchCase>& cases) {
  TextTable table({"case", "name", "kernels", "edges", "weights", "published"});
  for (const optimize::BenchCase& bench_case : cases) {
    table.add({bench_case.name, bench_case.problem->name(),
               std::to_string(bench_case.problem->kernel_count()),
               std::to_string(bench_case.problem->connections().size()),
               weights_text(*bench_case.problem), distance_text(bench_case.published->half_best)});
  }
  return table.text() + "\nWeights of time/distance/adapter; published: the better total known.\n";
}

std::string generated_list(const std::vector<optimize::BenchCase>& cases) {
  TextTable table({"case", "kernels", "edges", "wafer", "weights", "edge weights"});
  for (const optimize::BenchCase& bench_case : cases) {
    const Wafer& wafer = bench_case.problem->wafer();
    table.add({bench_case.name, std::to_string(bench_case.problem->kernel_count()),
               std::to_string(bench_case.problem->connections().size()),
               fmt::format("{}x{}", wafer.width, wafer.height), weights_text(*bench_case.problem),
               bench_case.problem->has_unit_edges() ? "1" : "drawn"});
  }
  return table.text() + "\nWeights of time/distance/adapter.\n";
}

/// Files to write, one a case: FILE itself for one case, otherwise NAME.kgraph in the folder.
std::vector<OutputFile> output_files(const std::vector<optimize::BenchCase>& cases,
                                     const std::string& output) {
  const bool folder = std::filesystem::is_directory(output) || output.ends_with('/');
  if (cases.size() > 1 && !folder) {
    throw Failure(FailureKind::usage,
                  fmt::format("--output: expected an existing folder for {} cases, found {}",
                              cases.size(), output));
  }
  std::vector<OutputFile> files;
  for (const optimize::BenchCase& bench_case : cases) {
    files.emplace_back(
        folder ? (std::filesystem::path(output) / (bench_case.name + ".kgraph")).string() : output);
  }
  return files;
}

/// The one case that --family and the options beside it describe.
optimize::BenchCase family_case(const CasesRequest& request) {
  ispd2020::GeneratedCase wanted = request.choice.made;
  wanted.seed = request.common.seed;
  const std::vector<std::string> families = ispd2020::family_names();
  if (std::find(families.begin(), families.end(), wanted.family) == families.end()) {
    std::string list;
    for (const std::string& family : families) list += (list.empty() ? "" : ", ") + family;
    throw Failure(FailureKind::usage,
                  "--family: unknown family " + in_quotes(wanted.family) +
                      suggestion(wanted.family, {families.begin(), families.end()}) +
                      " (known: " + list + ")");
  }
  if (!request.choice.fabric.empty()) {
    const Wafer wafer = parse_mesh(request.choice.fabric, "--fabric");
    wanted.wafer = {wafer.width, wafer.height};
  }
  try {
    return {ispd2020::case_title(wanted), ispd2020::make_generated_case(wanted)};
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, std::string("--family: ") + error.what());
  }
}

Selection selection(const CasesRequest& request) {
  const std::vector<std::string>& names = request.names;
  const std::optional<ispd2020::GeneratedTable>& table = request.choice.generated;
  if (!request.choice.made.family.empty()) {
    if (table || !names.empty()) {
      throw Failure(FailureKind::usage, "expected one of --family, --generated and NAME");
    }
    return {{family_case(request)}, true};
  }
  if (!table) return {contest_bench_cases("NAME", names), !names.empty()};
  return {generated_bench_cases(*table, "NAME", names), !names.empty()};
}

/// As the report has them.
std::vector<ispd2020::ListedCase> listed(const std::vector<optimize::BenchCase>& cases) {
  std::vector<ispd2020::ListedCase> list;
  for (const optimize::BenchCase& bench_case : cases) {
    list.push_back({bench_case.name, &*bench_case.problem, {}});
    if (bench_case.published) list.back().half_best = bench_case.published->half_best;
  }
  return list;
}

void note_written(const CasesRequest& request, const std::vector<optimize::BenchCase>& cases,
                  const std::vector<OutputFile>& files) {
  Progress(request.common)
      .note(cases.size() == 1
                ? "case " + cases.front().name + " written to " + files.front().path()
                : fmt::format("{} cases written to {}", cases.size(), *request.output));
}

int run_cases(const CasesRequest& request) {
  const Selection chosen = selection(request);
  const std::vector<optimize::BenchCase>& cases = chosen.cases;
  const ReportTarget target(request.common);
  std::vector<OutputFile> files;
  if (request.output) files = output_files(cases, *request.output);
  if (chosen.named && files.empty() && cases.size() > 1) {
    throw Failure(FailureKind::usage, "expected --output for more than one case");
  }
  std::vector<const OutputFile*> outputs;
  for (const OutputFile& file : files) outputs.push_back(&file);
  if (target.file() != nullptr) outputs.push_back(target.file());
  check_distinct(outputs, {});

  for (std::size_t i = 0; i < files.size(); ++i) files[i].write(write_kgraph(*cases[i].problem));
  target.write(ispd2020::cases_report(listed(cases)));
  if (!files.empty()) note_written(request, cases, files);
  if (target.on_stdout() || !files.empty()) return 0;
  if (chosen.named) {
    write_stdout(write_kgraph(*cases.front().problem));
  } else {
    write_stdout(request.choice.generated ? generated_list(cases) : contest_list(cases));
  }
  return 0;
}

}  // namespace

const Command& cases_command() {
  static const Command command = command_of<CasesRequest>(
      {.name = "cases",
       .summary = "List or write the contest's 20 cases, or generated ones.",
       .usage = {"cases [NAME ...] [-o FILE|FOLDER] [options]",
                 "cases --generated small|full [NAME ...] [-o FOLDER] [options]",
                 "cases --family NAME [--kernels N] [--fabric WxH] [options]"},
       .description =
           "Lists the cases of the ISPD 2020 contest, which are built in, or writes them "
           "as .kgraph files. One NAME without --output goes to stdout. With --generated the same "
           "for the generated cases of bench; with --family one of any size: its network and its "
           "weights are drawn from --seed, so that a legal placement exists.",
       .idle = {"threads", "time-limit", "effort", "verbose"},
       .modes = {{"--family",
                  [](const ArgumentValues& values) { return values.contains("family"); }},
                 {"NAME", [](const ArgumentValues&) { return true; }}},
       .examples = {"waferloom cases", "waferloom cases A -o A.kgraph", "waferloom cases -o .",
                    "waferloom cases --family dag --kernels 60 --seed 7 -o dag.kgraph"}},
      {operand(&CasesRequest::names,
               {"NAME", "A to T, or generated cases; all of them if none is given.", false, true})},
      joined_options<CasesRequest>(
          {{option(&CasesRequest::output, {"output", 'o', "FILE|FOLDER",
                                           "A file for one case, or an existing folder for "
                                           "NAME.kgraph files."})},
           options_inside(&CasesRequest::choice, ispd2020::case_options())}),
      run_cases);
  return command;
}

}  // namespace waferloom::cli
