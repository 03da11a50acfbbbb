#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "optimize/wafer_runs.h"
#include "planner/wafer_streaming.h"

namespace waferloom::cli {

std::vector<OptionSpec> plan_streaming_options() {
  return with_modes({planner::streaming_batch_option()}, {{{"--way streaming"}, {"sequences"}}});
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
  const optimize::StreamedStep step = blaming(job.workload.name, [&] {
    return optimize::simulated_step(job, planner::plan_wafer_streaming(job, control), control);
  });
  progress.finish();
  const Json report = optimize::streamed_json(job, step);
  if (output != nullptr) output->write(report.dump(2) + "\n");
  target.write(report);
  if (!target.on_stdout()) {
    write_stdout(wafer_streaming_summary(job, step.found, step.seconds(job.hardware)));
  }
  return 0;
}

}  // namespace waferloom::cli
