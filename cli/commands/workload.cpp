#include "model/workload.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/report_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct WorkloadRequest {
  CommonOptions common;
  std::optional<std::string> workload;
  OperatorCut cut;
};

/// Elements that every member of all-reduces of a phase takes part with, together.
std::int64_t elements(const std::vector<AllReduce>& sums, AllReduce::Phase phase) {
  std::int64_t total = 0;
  for (const AllReduce& sum : sums) total += sum.phase == phase ? sum.elements : 0;
  return total;
}

/// "12.3 M".
std::string short_text(std::int64_t value) {
  constexpr int kDigits = 3;
  return prefixed_text(static_cast<double>(value), "", kDigits);
}

/// Neighbours that differ in nothing but their names are one row.
std::string operators_table(const Workload& workload, const OperatorCut& cut) {
  TextTable table({"operator", "kind", "FLOP", "parameters", "output", "FD", "BD", "GU"});
  const auto cells = [&](const Operator& op) {
    const OperatorCount counted = count(op.kind);
    const auto sums = all_reduces(op.kind, cut.samples, degrees_of(op.kind, cut));
    const auto all = [&](AllReduce::Phase phase) { return short_text(elements(sums, phase)); };
    return std::vector<std::string>{
        std::string(kind_name(op.kind)), short_text(counted.matrix_flop + counted.element_flop),
        short_text(counted.parameters),  short_text(counted.output),
        all(AllReduce::Phase::forward),  all(AllReduce::Phase::backward),
        all(AllReduce::Phase::update)};
  };
  for (std::size_t first = 0; first < workload.operators.size();) {
    const std::vector<std::string> row = cells(workload.operators[first]);
    std::size_t last = first;
    while (last + 1 < workload.operators.size() && cells(workload.operators[last + 1]) == row)
      ++last;
    std::string name = workload.operators[first].name;
    // "layer.1 .. 40"
    const std::string& end = workload.operators[last].name;
    const std::size_t dot = end.rfind('.');
    const bool is_repeat = dot != std::string::npos && name.rfind(end.substr(0, dot + 1), 0) == 0;
    if (last > first) name += " .. " + (is_repeat ? end.substr(dot + 1) : end);
    std::vector<std::string> whole{name};
    whole.insert(whole.end(), row.begin(), row.end());
    table.add(std::move(whole));
    first = last + 1;
  }
  return table.text();
}

std::string presets_table() {
  TextTable table({"preset", "name", "operators", "FLOP", "parameters"});
  for (const std::string_view name : workload_preset_names()) {
    const Workload workload = read_workload(*workload_preset(name), std::string(name));
    const OperatorCount counted = count(workload);
    table.add({std::string(name), workload.name, std::to_string(workload.operators.size()),
               short_text(counted.matrix_flop + counted.element_flop),
               short_text(counted.parameters)});
  }
  return table.text() + "\nFLOP: forward, of one sample.\n";
}

int run_workload(const WorkloadRequest& request) {
  const ReportTarget target(request.common);
  if (!request.workload) {
    if (target.wanted()) throw Failure(FailureKind::usage, "--report: needs WORKLOAD");
    write_stdout(presets_table());
    return 0;
  }
  if (target.file() != nullptr) {
    check_distinct({target.file()}, workload_files(*request.workload));
  }
  const Workload workload = read_workload_named(*request.workload, "WORKLOAD", request.common);
  const OperatorCount counted = count(workload);
  std::optional<Report> report;
  std::string table;
  try {
    report = operators_report(workload, request.cut);
    table = operators_table(workload, request.cut);
  } catch (const std::overflow_error& error) {
    throw Failure(FailureKind::input, *request.workload + ": " + error.what());
  }
  target.write(*report);
  if (target.on_stdout()) return 0;
  write_stdout(workload.name + ": " + short_text(counted.matrix_flop + counted.element_flop) +
               "FLOP forward, " + short_text(counted.parameters) + " parameters\n\n" + table +
               "\nFLOP: forward, of one sample. output: elements of one sample. FD, BD, GU:\n"
               "elements that every member of the all-reduces of forward, backward and update\n"
               "takes part with.\n");
  return 0;
}

}  // namespace

const Command& workload_command() {
  static const Command command = command_of<WorkloadRequest>(
      {.name = "workload",
       .summary = "Tell what the operators of a network need.",
       .usage = {"workload WORKLOAD [--samples N] [--data N] [--tensor N]", "workload"},
       .description =
           "Lists, of every operator, operations, parameters and output elements of a sample, and "
           "the all-reduces that cutting it makes necessary: --data ways by samples and --tensor "
           "ways by its output. Without WORKLOAD the presets are listed. Operators that are alike "
           "stand in one row; the report has each.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .modes = {{"WORKLOAD",
                  [](const ArgumentValues& values) { return values.contains("WORKLOAD"); }},
                 {"no WORKLOAD", [](const ArgumentValues&) { return true; }}},
       .examples = {"waferloom workload", "waferloom workload T-18B --tensor 8 --data 2",
                    "waferloom workload resnet50 --report -"}},
      {operand(&WorkloadRequest::workload,
               {"WORKLOAD", "A preset or a JSON file; - reads stdin.", false})},
      in_modes(options_inside(&WorkloadRequest::cut, operator_cut_options()),
               {{{"WORKLOAD"}, {"samples", "data", "tensor"}}}),
      run_workload);
  return command;
}

}  // namespace waferloom::cli
