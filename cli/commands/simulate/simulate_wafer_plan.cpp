#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/simulate/simulate_forms.h"
#include "cli/console/failure.h"
#include "cli/console/warnings.h"
#include "cli/files/planned_network.h"
#include "cli/files/report_target.h"
#include "cli/files/wafer_stages.h"
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

/// Where a placement has the regions of a plan, in their order, as place, route and draw take them;
/// nothing: no placement is given.
std::optional<std::vector<Rectangle>> placed_regions(const SimulateRequest& request,
                                                     const PlannedNetwork& planned,
                                                     Warnings& warnings) {
  if (!request.placement) return std::nullopt;
  const WaferStages stages = wafer_stages(planned, request.files.constraints, request.common);
  return rectangles(stages.problem,
                    read_wafer_placement(request.placement, {request.files.graph, *request.plan},
                                         stages, request.common, warnings));
}

void write(const ReportTarget& target, const Report& report, const std::string& summary,
           const std::vector<planner::TrustRow>& trust) {
  target.write(report);
  if (!target.on_stdout()) write_stdout(summary + "\nWhat backs it\n" + trust_lines(trust));
}

}  // namespace

int simulate_resident_plan(const SimulateRequest& request, const PlannedNetwork& planned,
                           Warnings& warnings) {
  refuse_options(request);
  ResidentPlan plan = std::get<ResidentPlan>(planned.plan);
  const Hardware& hardware = planned.hardware;
  const ReportTarget target(request.common);
  Progress progress(request.common, true);
  const RunControl control = run_control(request.common, progress);
  if (auto regions = placed_regions(request, planned, warnings)) plan.places = *std::move(regions);
  const optimize::WaferRunOptions options{request.run.pipeline_network(), request.inside};
  const optimize::ResidentRun run = blaming(planned, [&] {
    return optimize::simulate_resident_plan(plan, planned.workload, hardware, options, control);
  });
  progress.finish();
  write(target, optimize::resident_run_report(plan, hardware, options, run),
        pass_summary(plan, run, static_cast<double>(hardware.clock_hz)), run.trust);
  return 0;
}

int simulate_streaming_plan(const SimulateRequest& request, const PlannedNetwork& planned,
                            Warnings& warnings) {
  refuse_options(request);
  StreamingPlan plan = std::get<StreamingPlan>(planned.plan);
  const Hardware& hardware = planned.hardware;
  const ReportTarget target(request.common);
  Progress progress(request.common, true);
  const RunControl control = run_control(request.common, progress);
  if (auto regions = placed_regions(request, planned, warnings)) plan.place = regions->front();
  const optimize::WaferRunOptions options{request.run.pipeline_network()};
  const optimize::StreamingRun run = blaming(planned, [&] {
    return optimize::simulate_streaming_plan(plan, planned.workload, hardware, options, control);
  });
  progress.finish();
  write(target, optimize::streaming_run_report(plan, hardware, options, run),
        step_summary(plan, run, static_cast<double>(hardware.clock_hz)), run.trust);
  return 0;
}

}  // namespace waferloom::cli
