#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/published.h"
#include "cli/bench_cases.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/text_table.h"
#include "model/kgraph_reader.h"

namespace waferloom {
namespace {

Json case_json(const std::string& name) {
  const Problem problem = make_case(name);
  const Weights& weights = problem.weights();
  Json json;
  json["case"] = name;
  json["name"] = problem.name();
  json["kernels"] = problem.kernel_count();
  json["connections"] = problem.connections().size();
  json["wafer"] = {{"width", problem.wafer().width}, {"height", problem.wafer().height}};
  json["memory_limit_words"] = problem.memory_limit();
  json["weights"] = {{"time", json_number(to_string(weights.time))},
                     {"distance", json_number(to_string(weights.distance))},
                     {"adapter", json_number(to_string(weights.adapter))}};
  json["best_published"] = json_number(distance_text(best_published(name).half_cost));
  return json;
}

TextTable list_table(const std::vector<std::string>& names) {
  TextTable table({"case", "name", "kernels", "edges", "weights", "published"});
  for (const std::string& name : names) {
    const Problem problem = make_case(name);
    const Weights& weights = problem.weights();
    table.add({name, problem.name(), std::to_string(problem.kernel_count()),
               std::to_string(problem.connections().size()),
               to_string(weights.time) + "/" + to_string(weights.distance) + "/" +
                   to_string(weights.adapter),
               distance_text(best_published(name).half_cost)});
  }
  return table;
}

/// Files to write, one a name: FILE itself for one name, otherwise NAME.kgraph in the folder.
std::vector<OutputFile> output_files(const std::vector<std::string>& names,
                                     const std::string& output) {
  const bool folder = std::filesystem::is_directory(output) || output.ends_with('/');
  if (names.size() > 1 && !folder) {
    throw Failure(FailureKind::usage, "--output: expected an existing folder for " +
                                          std::to_string(names.size()) + " cases, found " + output);
  }
  std::vector<OutputFile> files;
  for (const std::string& name : names) {
    files.emplace_back(folder ? (std::filesystem::path(output) / (name + ".kgraph")).string()
                              : output);
  }
  return files;
}

int run(const Arguments& arguments) {
  std::vector<std::string> names = case_names_of("NAME", arguments.list("NAME"), case_names());
  const bool named = !names.empty();
  if (!named) names = case_names();
  const ReportTarget target(arguments.common());
  std::vector<OutputFile> files;
  if (arguments.has("output")) files = output_files(names, arguments.text("output"));
  if (named && files.empty() && names.size() > 1) {
    throw Failure(FailureKind::usage, "expected --output for more than one case");
  }
  std::vector<const OutputFile*> outputs;
  for (const OutputFile& file : files) outputs.push_back(&file);
  if (target.file() != nullptr) outputs.push_back(target.file());
  check_distinct(outputs, {});

  for (std::size_t i = 0; i < files.size(); ++i) files[i].write(write_kgraph(make_case(names[i])));
  Json report = new_report("cases");
  report["cases"] = Json::array();
  for (const std::string& name : names) report["cases"].push_back(case_json(name));
  target.write(report);
  if (!files.empty()) {
    Progress(arguments.common())
        .note(names.size() == 1
                  ? "case " + names.front() + " written to " + files.front().path()
                  : std::to_string(names.size()) + " cases written to " + arguments.text("output"));
  }
  if (target.on_stdout() || !files.empty()) return 0;
  write_stdout(
      named ? write_kgraph(make_case(names.front()))
            : list_table(names).text() +
                  "\nWeights of time/distance/adapter; published: the better total known.\n");
  return 0;
}

}  // namespace

const Command& cases_command() {
  static const Command command{
      .name = "cases",
      .summary = "List or write the contest's 20 cases.",
      .usage = {"cases [NAME ...] [-o FILE|FOLDER] [options]"},
      .description =
          "Lists the cases of the ISPD 2020 contest, which are built in, or writes them "
          "as .kgraph files. One NAME without --output goes to stdout.",
      .operands = {{"NAME", "A to T; all of them if none is given.", false, true}},
      .options = {{"output", 'o', "FILE|FOLDER",
                   "A file for one case, or an existing folder for "
                   "NAME.kgraph files."}},
      .idle = {"seed", "threads", "time-limit", "effort", "verbose"},
      .examples = {"waferloom cases", "waferloom cases A -o A.kgraph",
                   "waferloom cases -o folder/"},
      .run = run};
  return command;
}

}  // namespace waferloom
