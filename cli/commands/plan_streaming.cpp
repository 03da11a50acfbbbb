#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/input_file.h"
#include "cli/options/option_values.h"
#include "cli/options/simulation_options.h"
#include "cli/options/workload_operand.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "planner/wafer_streaming.h"
#include "sim/streaming_report.h"
#include "sim/streaming_run.h"

namespace waferloom::cli {

bool plans_streaming(const ArgumentValues& values) {
  const auto way = values.find("way");
  return way != values.end() && way->second.front() == "streaming";
}

std::vector<OptionSpec> plan_streaming_options() {
  return with_modes({planner::streaming_batch_option()}, {{{"--way streaming"}, {"sequences"}}});
}

int plan_streaming(const Arguments& arguments, const OutputFile* output,
                   const ReportTarget& target) {
  std::vector<const OutputFile*> outputs;
  if (output != nullptr) outputs.push_back(output);
  if (target.file() != nullptr) outputs.push_back(target.file());
  std::vector<std::string> inputs = workload_files(arguments.text("WORKLOAD"));
  for (const std::string& file : hardware_files(arguments)) inputs.push_back(file);
  check_one_stdin(inputs);
  check_distinct(outputs, inputs);
  planner::WaferStreamingJob job;
  job.workload = read_workload_operand(arguments, "WORKLOAD");
  job.hardware = read_network_hardware_option(arguments);
  job.data_type = arguments.text_or_default("data-type");
  job.trains = !arguments.has("inference");
  if (arguments.has("sequences")) job.batch = whole(arguments, "sequences");
  planner::WaferStreaming found;
  sim::StreamingTimes times;
  try {
    found = planner::plan_wafer_streaming(job);
    const StreamingPlan plan = planner::streaming_plan(job, found.best);
    times = sim::run_streaming_step(planner::streaming_step(plan, job.hardware),
                                    sim::NetworkKind::fair, interrupted);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, job.workload.name + ": " + error.what());
  }
  throw_if_interrupted();
  Json report = planner::wafer_streaming_json(job, found);
  const auto clock = static_cast<double>(job.hardware.clock_hz);
  report["simulated"] = {{"network", "fair"}};
  report["simulated"].update(sim::streaming_times_json(times, clock));
  if (output != nullptr) output->write(report.dump(2) + "\n");
  target.write(report);
  if (!target.on_stdout()) {
    write_stdout(wafer_streaming_summary(job, found, times.step_cycles / clock));
  }
  return 0;
}

}  // namespace waferloom::cli
