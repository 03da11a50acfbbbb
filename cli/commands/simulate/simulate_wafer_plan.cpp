#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/simulate/simulate_forms.h"
#include "cli/console/failure.h"
#include "cli/console/warnings.h"
#include "cli/files/machine_file.h"
#include "cli/files/report_target.h"
#include "cli/options/search_control.h"
#include "cli/summaries/summary_lines.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "model/hardware.h"
#include "model/text.h"
#include "optimize/wafer_runs.h"

namespace waferloom::cli {
namespace {

std::string pass_summary(const ResidentPlan& plan, const optimize::ResidentRun& run, double clock) {
  const ResidentPass& pass = run.pass;
  const sim::ResidentTimes& times = run.times;
  const double simulated = static_cast<double>(times.pass_cycles) / clock;
  std::string text = fmt::format("{} on {}: {} tokens/s for each of {}{} while it decodes\n",
                                 plan.workload, plan.hardware, significant_text(1 / simulated),
                                 plan.requests, plan.requests == 1 ? " request" : " requests");
  text += bound_line(run.bottleneck);
  text += summary_line("a token", seconds_text(simulated) + " in simulation, " +
                                      seconds_text(plan.tpot_s) + " as planned, " +
                                      percent_text(simulated / plan.tpot_s - 1, 1));
  text +=
      summary_line("regions", fmt::format("{}, passed by {}{} of requests", pass.regions.size(),
                                          pass.groups, pass.groups == 1 ? " group" : " groups"));
  text += summary_line("moves", fmt::format("{} of {} cycles of the first token, between regions",
                                            times.move_cycles, times.first_cycles));
  text += summary_line("links", fmt::format("at most {} words a pass over a link between regions",
                                            times.busiest_link_words));
  if (!run.inside) return text;
  return text +
         summary_line("inside",
                      fmt::format("a layer's widest product on at most 32x32 tiles: {} cycles in "
                                  "closed form, {} moving its words, programs left out",
                                  fixed_text(run.inside->closed_form, 0), run.inside->moved));
}

std::string step_summary(const StreamingPlan& plan, const optimize::StreamingRun& run,
                         double clock) {
  const sim::StreamingTimes& times = run.times;
  const double simulated = times.step_cycles / clock;
  std::string text = plan.workload + (plan.trains ? " trains on " : " runs forward on ") +
                     plan.hardware + ": a step takes " + seconds_text(simulated) + "\n";
  text += bound_line(run.bottleneck);
  text += summary_line("planned", seconds_text(plan.step_s) + ", simulated " +
                                      percent_text(simulated / plan.step_s - 1, 1));
  const std::string backward =
      plan.trains ? ", " + seconds_text(times.backward_layer_cycles / clock) + " backward" : "";
  text += summary_line("a layer", seconds_text(times.forward_layer_cycles / clock) + " forward" +
                                      backward + ", once settled");
  return text +
         summary_line(
             "simulated",
             fmt::format(
                 "{} messages of a few layers, the others repeat them; blocks of {}x{} tiles",
                 times.messages, times.block_side, times.block_side));
}

/// Options of other plans that say nothing here.
void refuse_options(const SimulateRequest& request) {
  for (const char* option : {"routing", "routes", "links", "heatmap", "timeline", "trace", "top",
                             "no-extrapolation", "allow-infeasible", "no-dram"}) {
    if (!request.common.has(option)) continue;
    throw Failure(FailureKind::usage,
                  "--" + std::string(option) + ": not of a plan of a whole wafer");
  }
}

/// Where a placement has the regions of a plan, in their order.
std::vector<Rectangle> placed_regions(const std::string& path, std::int64_t regions,
                                      const Hardware& hardware, const CommonOptions& common,
                                      Warnings& warnings) {
  std::vector<std::string> names;
  for (std::int64_t i = 1; i <= regions; ++i) names.push_back(fmt::format("region{}", i));
  return placed_tiles(path, names, hardware, common, warnings);
}

/// Runs, and blames the plan's file for what does not fit.
template <typename Work>
auto run_of(const AnyPlanFile& file, const Work& work) {
  try {
    return blaming(file.source, work);
  } catch (const InfeasibleError& error) {
    throw InfeasibleError(file.source + ": " + error.what());
  }
}

void write(const ReportTarget& target, const Report& report, const std::string& summary,
           const std::vector<planner::TrustRow>& trust) {
  target.write(report);
  if (!target.on_stdout()) write_stdout(summary + "\nWhat backs it\n" + trust_lines(trust));
}

}  // namespace

int simulate_resident_plan(const SimulateRequest& request, const AnyPlanFile& file,
                           const ResidentPlan& said, const Workload& workload) {
  refuse_options(request);
  ResidentPlan plan = said;
  const ReportTarget target(request.common);
  Progress progress(request.common, true);
  const RunControl control = run_control(request.common, progress);
  const Hardware hardware = planned_hardware(request.hardware, plan.hardware, request.common);
  Warnings warnings(request.common);
  warn_of_others(file.source, plan.made_for, workload, hardware, warnings);
  if (request.placement) {
    plan.places =
        placed_regions(*request.placement, plan.regions, hardware, request.common, warnings);
  }
  const optimize::WaferRunOptions options{request.run.network, request.inside};
  const optimize::ResidentRun run = run_of(file, [&] {
    return optimize::simulate_resident_plan(plan, workload, hardware, options, control);
  });
  progress.finish();
  write(target, optimize::resident_run_report(plan, hardware, options, run),
        pass_summary(plan, run, static_cast<double>(hardware.clock_hz)), run.trust);
  return 0;
}

int simulate_streaming_plan(const SimulateRequest& request, const AnyPlanFile& file,
                            const StreamingPlan& said, const Workload& workload) {
  refuse_options(request);
  StreamingPlan plan = said;
  const ReportTarget target(request.common);
  Progress progress(request.common, true);
  const RunControl control = run_control(request.common, progress);
  const Hardware hardware = planned_hardware(request.hardware, plan.hardware, request.common);
  Warnings warnings(request.common);
  warn_of_others(file.source, plan.made_for, workload, hardware, warnings);
  if (request.placement) {
    plan.place =
        placed_tiles(*request.placement, {"tiles"}, hardware, request.common, warnings).front();
  }
  const optimize::WaferRunOptions options{request.run.network};
  const optimize::StreamingRun run = run_of(file, [&] {
    return optimize::simulate_streaming_plan(plan, workload, hardware, options, control);
  });
  progress.finish();
  write(target, optimize::streaming_run_report(plan, hardware, options, run),
        step_summary(plan, run, static_cast<double>(hardware.clock_hz)), run.trust);
  return 0;
}

}  // namespace waferloom::cli
