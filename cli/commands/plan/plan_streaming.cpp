#include <optional>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/search_control.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "optimize/wafer_runs.h"
#include "planner/wafer_streaming.h"

namespace waferloom::cli {

Options<PlanRequest> plan_streaming_options() {
  return in_modes<PlanRequest>({option(&PlanRequest::sequences, planner::streaming_batch_option())},
                               {{{"--way streaming"}, {"sequences"}}});
}

int plan_streaming(const PlanRequest& request, const OutputFile* output,
                   const ReportTarget& target) {
  check_plan_files(request, {output}, target);
  planner::WaferStreamingJob job;
  job.workload = read_workload_named(request.workload, "WORKLOAD", request.common);
  job.hardware = read_fabric(request.hardware, sim::kNetworkHardware, request.common);
  job.data_type = request.cut.data_type;
  job.trains = !request.cut.inference;
  if (request.sequences) job.batch = *request.sequences;
  Progress progress(request.common, true);
  const RunControl control = run_control(request.common, progress);
  const optimize::StreamedStep step = blaming(job.workload.name, [&] {
    return optimize::simulated_step(job, planner::plan_wafer_streaming(job, control), control);
  });
  progress.finish();
  const Report report = optimize::streamed_report(job, step);
  if (output != nullptr) output->write(report_text(report));
  target.write(report);
  if (!target.on_stdout()) {
    write_stdout(wafer_streaming_summary(job, step.found, step.seconds(job.hardware)));
  }
  return 0;
}

}  // namespace waferloom::cli
