#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/commands/commands.h"
#include "cli/commands/program.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/commands/sweep/swept_commands.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/console/version.h"
#include "cli/files/input_file.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cluster/space_files.h"
#include "cluster/sweep_folder.h"
#include "model/errors.h"
#include "sweep/manifest.h"
#include "sweep/space.h"

namespace waferloom::cli {
namespace {

struct PlanSweepRequest {
  CommonOptions common;
  std::string space;
  std::string output;
};

/// Parses the command lines of a few points, so that each value of each axis is met once: what does
/// not go together is told before anything runs.
class Trial {
 public:
  explicit Trial(const Command& command) : command_(command) {}

  void ask(const sweep::Point& point, const std::string& source) {
    bool is_new = false;
    for (std::size_t i = 0; i < point.cells.size() && met_.size() < kMostCells; ++i) {
      if (met_.insert({i, point.cells[i]}).second) is_new = true;
    }
    if (!is_new && point.index > 0) return;
    const auto words = 1 + std::count(command_.name.begin(), command_.name.end(), ' ');
    try {
      parse_arguments(command_, {point.arguments.begin() + words, point.arguments.end()}, {});
    } catch (const Failure& failure) {
      std::string line;
      for (const std::string& word : point.arguments) line += " " + word;
      throw Failure(FailureKind::input, fmt::format("{}: point {}, `{}`: {}", source, point.index,
                                                    line.substr(1), failure.what()));
    }
  }

 private:
  static constexpr std::size_t kMostCells = 1000;
  const Command& command_;
  std::set<std::pair<std::size_t, std::string>> met_;
};

std::string summary(const cluster::ResolvedSpace& space, const std::string& run,
                    std::uint64_t points) {
  std::string text = fmt::format("{}: {} points of `{}`\n", run, points, space.points.command);
  for (const sweep::PointAxis& axis : space.points.axes) {
    if (axis.fixed) continue;
    text += "  " + axis.name + ": " + (axis.range ? "drawn" : std::to_string(axis.values.size())) +
            "\n";
  }
  return text;
}

int run_plan(const PlanSweepRequest& request) {
  const CommonOptions& common = request.common;
  cluster::check_new_run(request.output);
  const ReportTarget report(common);
  const std::string text = read_input(request.space, common);
  const std::string source = source_name(request.space);
  const std::string folder = std::filesystem::path(request.space).parent_path().string();
  const cluster::ResolvedSpace space = cluster::resolve_space(
      sweep::read_space(text, source), swept_commands(), folder, run_reader(common));
  Progress progress(common);
  if (!space.repeatable) {
    progress.note("a time limit without an effort: repeats may differ");
  }
  Trial trial(*command_named(space.points.command));
  const auto points = [&](const std::function<void(std::string_view)>& append) {
    return sweep::for_each_point(space.points, [&](const sweep::Point& point) {
      trial.ask(point, source);
      append(sweep::manifest_line(point, space.points.columns));
      return true;
    });
  };
  const sweep::RunFacts facts{.program = program_version(),
                              .command = space.points.command,
                              .columns = space.points.columns};
  const std::uint64_t count = cluster::write_run_folder(
      request.output, {facts, text, space.inputs, points}, until_a_signal(run_control(common)));
  progress.finish();
  report.write(sweep_plan_report(facts, count));
  if (!report.on_stdout()) write_stdout(summary(space, request.output, count));
  return 0;
}

}  // namespace

const Command& sweep_plan_command() {
  static const Command command = command_of<PlanSweepRequest>(
      {.name = "sweep plan",
       .summary = "Write down all points of a design space.",
       .usage = {"sweep plan SPACE -o RUN [options]"},
       .description =
           "Reads which command a sweep runs and what it varies: cases, networks, hardware with "
           "single keys set, plans, seeds, any option; lists, ranges, products, zips, exclusions, "
           "samples (docs/sweeps.md). Makes the folder RUN with a line for each point, and the "
           "files that points read. Never overwrites.",
       .idle = {"seed", "threads", "effort", "time-limit"},
       .examples = {"waferloom sweep plan space.json -o study"}},
      {operand(&PlanSweepRequest::space, {"SPACE", "What varies, a JSON file; - reads stdin."})},
      {option(&PlanSweepRequest::output,
              {"output", 'o', "RUN", "The folder to make.", false, true})},
      run_plan);
  return command;
}

}  // namespace waferloom::cli
