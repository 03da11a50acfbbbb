#include "cli/options/workload_operand.h"

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/options/preset_file.h"
#include "cli/options/simulation_options.h"
#include "model/workload_file.h"

namespace waferloom::cli {

Workload read_workload_operand(const Arguments& arguments, const std::string& operand) {
  const PresetKind kind{workload_preset, workload_preset_names,
                        operand + ": expected a preset or a file",
                        "; `waferloom workload` lists the presets"};
  const NamedText found = read_preset_or_file(arguments.text(operand), kind, arguments.common());
  Workload workload = read_workload(found.text, found.source);
  if (workload.name.empty()) workload.name = file_names({found.source});
  return workload;
}

bool names_workload(const std::string& operand) {
  return workload_preset(operand).has_value() || operand.ends_with(".json");
}

void refuse_workload(const std::string& operand) {
  if (!names_workload(operand)) return;
  throw Failure(FailureKind::usage,
                operand +
                    " is a network: add --plan FILE, which `waferloom plan` and `waferloom "
                    "optimize` write");
}

std::vector<std::string> workload_files(const std::string& name) {
  if (workload_preset(name)) return {};
  return {name};
}

std::vector<std::string> workload_inputs(const Arguments& arguments) {
  std::vector<std::string> inputs = workload_files(arguments.text("CASE"));
  inputs.push_back(arguments.text("plan"));
  for (const std::string& file : hardware_files(arguments)) inputs.push_back(file);
  return inputs;
}

}  // namespace waferloom::cli
