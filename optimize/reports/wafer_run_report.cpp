#include <nlohmann/json.hpp>
#include <string>

#include "optimize/wafer_runs.h"

namespace waferloom::optimize {
namespace {

/// In seconds at that clock.
Json streaming_times_json(const sim::StreamingTimes& times, double clock_hz) {
  return {{"step_s", times.step_cycles / clock_hz},
          {"shown_s", static_cast<double>(times.shown_cycles) / clock_hz},
          {"forward_layer_s", times.forward_layer_cycles / clock_hz},
          {"backward_layer_s", times.backward_layer_cycles / clock_hz},
          {"block_side", times.block_side},
          {"messages", times.messages},
          {"events", times.events}};
}

}  // namespace

Json resident_run_json(const ResidentPlan& plan, const Hardware& hardware,
                       const WaferRunOptions& options, const ResidentRun& run) {
  const sim::ResidentTimes& times = run.times;
  Json report = new_report("wafer_run");
  report["way"] = "resident";
  report["workload"] = plan.workload;
  report["hardware"] = hardware.name;
  report["network"] = sim::network_name(options.network);
  report["requests"] = plan.requests;
  report["bottleneck"] = bottleneck_json(run.bottleneck);
  report["planned"] = {{"tpot_s", plan.tpot_s}};
  report["simulated"] = {
      {"tpot_s", static_cast<double>(times.pass_cycles) / static_cast<double>(hardware.clock_hz)},
      {"pass_cycles", times.pass_cycles},
      {"first_cycles", times.first_cycles},
      {"move_cycles", times.move_cycles},
      {"busiest_link_words", times.busiest_link_words},
      {"events", times.events}};
  if (run.inside) {
    report["inside"] = {{"closed_form", run.inside->closed_form}, {"moved", run.inside->moved}};
  }
  report["trust"] = planner::trust_json(run.trust);
  return report;
}

Json streaming_run_json(const StreamingPlan& plan, const Hardware& hardware,
                        const WaferRunOptions& options, const StreamingRun& run) {
  Json report = new_report("wafer_run");
  report["way"] = "streaming";
  report["trains"] = plan.trains;
  report["workload"] = plan.workload;
  report["hardware"] = hardware.name;
  report["network"] = sim::network_name(options.network);
  report["bottleneck"] = bottleneck_json(run.bottleneck);
  report["planned"] = {{"step_s", plan.step_s}};
  report["simulated"] = streaming_times_json(run.times, static_cast<double>(hardware.clock_hz));
  report["trust"] = planner::trust_json(run.trust);
  return report;
}

Json streamed_json(const planner::WaferStreamingJob& job, const StreamedStep& step) {
  Json report = planner::wafer_streaming_json(job, step.found);
  report["simulated"] = {{"network", sim::network_name(sim::NetworkKind::fair)}};
  report["simulated"].update(
      streaming_times_json(step.times, static_cast<double>(job.hardware.clock_hz)));
  return report;
}

}  // namespace waferloom::optimize
