#include "cli/workload_operand.h"

#include <filesystem>

#include "cli/failure.h"
#include "cli/input_file.h"
#include "cli/simulation_options.h"
#include "model/text_scan.h"
#include "model/workload_file.h"

namespace waferloom {

Workload read_workload_operand(const Arguments& arguments, const std::string& operand) {
  const std::string& name = arguments.text(operand);
  if (const auto preset = workload_preset(name)) return read_workload(*preset, name);
  const bool is_path = name == "-" || name.find_first_of("./") != std::string::npos;
  if (!is_path && !std::filesystem::exists(name)) {
    throw Failure(FailureKind::usage, operand + ": expected a preset or a file, found " +
                                          waferloom::quoted(name) +
                                          suggestion(name, workload_preset_names()) +
                                          "; `waferloom workload` lists the presets");
  }
  return read_workload(read_input(name, arguments.common()), source_name(name));
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

}  // namespace waferloom
