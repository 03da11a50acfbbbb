#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "planner/wafer_streaming.h"
#include "sim/streaming_report.h"
#include "sim/streaming_run.h"

namespace waferloom::cli {

std::vector<OptionSpec> plan_streaming_options() {
  return with_modes({planner::streaming_batch_option()}, {{{"--way streaming"}, {"sequences"}}});
}

StreamedStep simulated_step(const planner::WaferStreamingJob& job,
                            const planner::WaferStreaming& found, const RunControl& control) {
  control.tell("simulating the streamed step", job.workload.name);
  const StreamingPlan plan = planner::streaming_plan(job, found.best);
  StreamedStep step{found, sim::run_streaming_step(planner::streaming_step(plan, job.hardware),
                                                   sim::NetworkKind::fair, control)};
  if (step.times.stopped) throw RunCut(control.cut_reason());
  return step;
}

Json streamed_json(const planner::WaferStreamingJob& job, const StreamedStep& step) {
  Json report = planner::wafer_streaming_json(job, step.found);
  report["simulated"] = {{"network", "fair"}};
  report["simulated"].update(
      sim::streaming_times_json(step.times, static_cast<double>(job.hardware.clock_hz)));
  return report;
}

int plan_streaming(const Arguments& arguments, const OutputFile* output,
                   const ReportTarget& target) {
  check_plan_files(arguments, {output}, target);
  planner::WaferStreamingJob job;
  job.workload = read_workload_operand(arguments, "WORKLOAD");
  job.hardware = read_network_hardware_option(arguments);
  job.data_type = arguments.text_or_default("data-type");
  job.trains = !arguments.has("inference");
  if (arguments.has("sequences")) job.batch = whole(arguments, "sequences");
  Progress progress(arguments.common(), true);
  const RunControl control = run_control(arguments.common(), progress);
  const StreamedStep step = blaming(job.workload.name, [&] {
    return simulated_step(job, planner::plan_wafer_streaming(job, control), control);
  });
  progress.finish();
  const Json report = streamed_json(job, step);
  if (output != nullptr) output->write(report.dump(2) + "\n");
  target.write(report);
  if (!target.on_stdout()) {
    write_stdout(wafer_streaming_summary(job, step.found, step.seconds(job.hardware)));
  }
  return 0;
}

}  // namespace waferloom::cli
