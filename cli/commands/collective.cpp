#include <fmt/format.h>

#include "cli/commands/collective_job.h"
#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/files/machine_file.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cli/summaries/simulation_summary.h"
#include "cli/summaries/summary_lines.h"
#include "model/errors.h"
#include "model/report.h"
#include "sim/simulate.h"

namespace waferloom::cli {
namespace {

std::string collective_summary(const sim::CollectiveJob& job, const sim::CollectiveResult& found) {
  TextTable table({"part", "steps", "analytic", "macro"});
  for (const sim::CollectivePart& part : found.parts) {
    table.add({part.name, std::to_string(part.steps), duration_text(part.analytic),
               duration_text(part.macro)});
  }
  std::size_t tiles = 0;
  for (const sim::TileGroup& group : job.groups) tiles += group.size();
  std::string text =
      fmt::format("{} bytes, {}, {} tiles in {}{} of {}\n\n{}\n", job.bytes,
                  algorithm_name(job.algorithm), tiles, job.groups.size(),
                  job.groups.size() == 1 ? " group" : " groups", job.hardware.name, table.text());
  text += summary_line("analytic", duration_text(found.analytic) + ", nothing shared");
  text += summary_line("macro", duration_text(found.macro) + ", links shared step by step");
  text += bound_line(found.bottleneck);
  if (!found.streamed.empty()) {
    text += summary_line("streamed", duration_text(found.streamed.front().time) +
                                         ", the best way (" + found.streamed.front().name +
                                         ") of words that stream over the fabric");
    TextTable ways({"streamed", "time"});
    for (const sim::StreamedWay& way : found.streamed) {
      ways.add({way.name, duration_text(way.time)});
    }
    text += "\n" + ways.text();
  }
  if (!found.stepped) return text;
  return text + summary_line("stepwise", fmt::format("{}, {} transfers on the network {}",
                                                     duration_text(found.stepped->makespan),
                                                     found.stepped->transfers,
                                                     sim::network_name(job.run.network)));
}

int run_collective(const CollectiveRequest& request) {
  const CommonOptions& common = request.common;
  const ReportTarget target(common);
  if (target.file() != nullptr) check_distinct({target.file()}, machine_inputs(request.hardware));
  sim::CollectiveJob job = collective_job(request);
  job.run.control = run_control(common);
  Progress progress(common);
  progress.update("simulating", job.kinds.front());
  sim::CollectiveResult found;
  try {
    found = sim::run_collective_job(job);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input,
                  request.hardware.name_or(sim::kCaseHardware) + ": " + error.what());
  }
  progress.finish();
  throw_if_interrupted();
  throw_if_late(common);
  target.write(sim::collective_report(job, found));
  if (!target.on_stdout()) write_stdout(collective_summary(job, found));
  return 0;
}

}  // namespace

const Command& collective_command() {
  static const Command command = command_of<CollectiveRequest>(
      {.name = "collective",
       .summary = "Tell how long groups of tiles take to exchange data.",
       .usage = {"collective KIND ... --tiles X,Y,WxH [--algorithm A] [options]",
                 "collective transfer --tiles X,Y,WxH --to X,Y,WxH [options]"},
       .description =
           "KIND is all-reduce, reduce-scatter, all-gather, all-to-all, broadcast, reduce, or read "
           "or write, in which every tile reads from the nearest DRAM port or writes to it. "
           "Several kinds, and several groups, go on at once. Told are the time without contention "
           "(analytic), the time when the flows of a step share links (macro) and, with "
           "--stepwise, when the last of all transfers arrives on a network: "
           "docs/collectives.md.\n\n"
           "With transfer a sum over one group comes to another. Strategy 1: all-reduce, parts "
           "from K tiles to K adapters, broadcast. Strategy 2: reduce onto K tiles, everything to "
           "K adapters, all-reduce among them, broadcast.",
       .idle = {"seed", "threads", "effort", "verbose"},
       .examples =
           {"waferloom collective all-reduce --tiles 0,0,4x4 --hardware palm_wafer",
            "waferloom collective all-reduce all-to-all read --tiles 0,0,4x4 --stepwise \\\n"
            "      --hardware palm_wafer --count 2",
            "waferloom collective all-reduce --tiles 0,0,64x1 --bytes 1024 --hardware wse3",
            "waferloom collective transfer --tiles 0,0,4x3 --to 4,0,4x3 --strategy 2 \\\n"
            "      --adapters 3 --hardware grayskull"}},
      {operand(&CollectiveRequest::kinds,
               {"KIND", "What the groups do; several at once.", true, true})},
      joined_options<CollectiveRequest>(
          {{
               option(&CollectiveRequest::tiles,
                      {"tiles", '\0', "X,Y,WxH",
                       "A group of tiles; rectangles joined by + are one. May be given again.",
                       true, true}),
           },
           machine_rows(&CollectiveRequest::hardware, sim::hardware_option()),
           options_inside(&CollectiveRequest::choice, sim::collective_options()),
           {option(&CollectiveRequest::to,
                   {"to", '\0', "X,Y,WxH", "Of transfer: the destination."})},
           options_inside(&CollectiveRequest::transfer, sim::transfer_options())}),
      run_collective);
  return command;
}

}  // namespace waferloom::cli
