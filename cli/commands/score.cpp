#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/input_file.h"
#include "cli/files/report_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/summary_lines.h"
#include "model/hardware.h"
#include "model/placement.h"
#include "model/report.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct ScoreRequest {
  CommonOptions common;
  ProblemFiles problem;
  std::string solution;
};

constexpr std::size_t kListedViolations = 50;

std::string violation_lines(const Judgement& judgement, std::size_t listed) {
  std::string text;
  for (std::size_t i = 0; i < judgement.violations.size() && i < listed; ++i) {
    const Violation& violation = judgement.violations[i];
    text += "  " + std::string(kind_name(violation.kind)) + ": " + violation.message;
    if (violation.position.line > 0) {
      text += fmt::format(" (line {})", violation.position.line);
    }
    text += "\n";
  }
  if (judgement.violations.size() > listed) {
    text += fmt::format("  and {} more: --verbose or --report lists them all\n",
                        judgement.violations.size() - listed);
  }
  return text;
}

std::string summary(const Problem& problem, const Judgement& judgement, const std::string& name,
                    std::size_t listed) {
  const std::size_t count = judgement.violations.size();
  std::string text = name + ": ";
  text += judgement.legal()
              ? "legal\n"
              : fmt::format("illegal, {} violation{}", count, count == 1 ? "\n" : "s\n");
  text += violation_lines(judgement, listed);
  if (!judgement.score) return text;
  const ScoreTexts texts = judgement.legal() ? score_texts(problem, *judgement.score)
                                             : part_texts(problem, *judgement.score);
  text += part_lines(texts);
  if (judgement.legal()) text += summary_line("total", texts.total);
  return text;
}

int run_score(const ScoreRequest& request) {
  const CommonOptions& common = request.common;
  std::vector<std::string> inputs = request.problem.paths();
  inputs.push_back(request.solution);
  check_one_stdin(inputs);
  const ReportTarget target(common);
  if (target.file() != nullptr) check_distinct({target.file()}, inputs);
  Warnings warnings(common);
  const Problem problem = read_problem(request.problem, common, warnings);
  const Solution solution = read_solution_file(request.solution, common);
  const Judgement judgement = judge(problem, solution);
  throw_if_interrupted();
  throw_if_late(common);
  if (judgement.legal()) {
    Hardware bare;
    bare.name = "the wafer";
    bare.wafer = problem.wafer();
    demand_living(problem, rectangles(problem, *judgement.placement), bare);
  }
  target.write(score_report(problem, judgement, warnings.texts()));
  if (!target.on_stdout()) {
    const std::size_t listed = common.verbose ? judgement.violations.size() : kListedViolations;
    write_stdout(summary(problem, judgement, source_name(request.solution), listed));
  }
  if (judgement.only_needs_dead_tiles()) return kExitInfeasible;
  return judgement.legal() ? 0 : kExitCheckFailed;
}

}  // namespace

const Command& score_command() {
  static const Command command = command_of<ScoreRequest>(
      {.name = "score",
       .summary = "Judge a placement: legal or not, and its exact score.",
       .usage = {"score CASE SOL [--wafer FILE] [--constraints FILE] [options]"},
       .description =
           "Checks a solution of a contest case against every rule, whoever made it, "
           "and prints its exact score. Exits with 4 if it is illegal; with 3 if all that is "
           "wrong is that it needs tiles that are dead or cut off.",
       .idle = {"seed", "threads", "effort"},
       .refuse = [](const ArgumentValues& values) { refuse_workload(values, {"simulate"}); },
       .examples = {"waferloom score A.kgraph A.sol",
                    "waferloom score A.kgraph A.sol --report - | python3 -m json.tool"}},
      {operand_inside(
           &ScoreRequest::problem,
           operand(&ProblemFiles::graph, {"CASE", "The case, a .kgraph file; - reads stdin."})),
       operand(&ScoreRequest::solution, {"SOL", "The solution file; - reads stdin."})},
      options_inside(&ScoreRequest::problem, problem_file_options()), run_score);
  return command;
}

}  // namespace waferloom::cli
