#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/options/option_values.h"
#include "cli/options/simulation_options.h"
#include "cli/options/workload_operand.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "planner/wafer_serving.h"

namespace waferloom::cli {

bool plans_serving(const ArgumentValues& values) { return values.contains("serve"); }

std::vector<OptionSpec> plan_serving_options() {
  return joined(
      {{{.name = "serve",
         .help = "Serve a language model whose weights stay on the wafer: on hardware "
                 "with tile_cycles, such as wse2 and wse3."}},
       with_modes(joined({planner::wafer_serving_options(),
                          {{"csv", '\0', "FILE", "Write latency against throughput as CSV."}}}),
                  {{{"--serve"}, {"prompt", "output", "requests", "csv"}}})});
}

int plan_serving(const Arguments& arguments, const OutputFile* output, const ReportTarget& target) {
  std::optional<OutputFile> csv;
  std::vector<const OutputFile*> outputs;
  if (output != nullptr) outputs.push_back(output);
  if (arguments.has("csv")) outputs.push_back(&csv.emplace(arguments.text("csv")));
  if (target.file() != nullptr) outputs.push_back(target.file());
  std::vector<std::string> inputs = workload_files(arguments.text("WORKLOAD"));
  for (const std::string& file : hardware_files(arguments)) inputs.push_back(file);
  check_distinct(outputs, inputs);
  planner::WaferServingJob job;
  job.workload = read_workload_operand(arguments, "WORKLOAD");
  job.hardware = read_network_hardware_option(arguments);
  job.data_type = arguments.text_or_default("data-type");
  job.prompt = whole(arguments, "prompt");
  job.output = whole(arguments, "output");
  job.requests = whole(arguments, "requests");
  planner::WaferServing found;
  try {
    found = planner::plan_wafer_serving(job);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, job.workload.name + ": " + error.what());
  }
  if (output != nullptr) output->write(planner::resident_plan_text(job, found));
  if (csv) csv->write(planner::serving_levels_table(found).csv());
  target.write(planner::wafer_serving_json(job, found));
  if (!target.on_stdout()) write_stdout(wafer_serving_summary(job, found));
  return 0;
}

}  // namespace waferloom::cli
