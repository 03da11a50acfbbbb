#include "cli/files/workload_file.h"

#include <filesystem>

#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "interchange/huggingface.h"
#include "interchange/onnx.h"
#include "model/workload.h"
#include "planner/system_plan.h"

namespace waferloom::cli {
namespace {

/// The operand CASE; empty without one.
std::string case_named(const ArgumentValues& values) {
  const auto operand = values.find("CASE");
  return operand == values.end() ? std::string() : operand->second.front();
}

/// "`waferloom plan T-18B -o plan.json`, then `waferloom simulate T-18B --plan plan.json`".
std::string commands_for(const std::string& network, const PlanCommand& command) {
  return "`waferloom plan " + network + " -o plan.json`, then `waferloom " + command.verb + " " +
         network + " --plan plan.json" + command.options + "`";
}

}  // namespace

Network read_network_named(const std::string& name, const std::string& operand,
                           const CommonOptions& common) {
  const PresetKind kind{workload_preset, workload_preset_names,
                        operand + ": expected a preset or a file",
                        "; `waferloom workload` lists the presets", kMaxModelBytes};
  const NamedText found = read_preset_or_file(name, kind, common);
  Network network = read_network_text(found, common);
  if (network.name.empty()) network.name = file_names({found.source});
  return network;
}

Workload read_workload_named(const std::string& name, const std::string& operand,
                             const CommonOptions& common) {
  return expand(read_network_named(name, operand, common));
}

Workload read_planned_workload(const std::string& name, const std::string& operand,
                               const CommonOptions& common) {
  const Network network = read_network_named(name, operand, common);
  if (!network.graph) return expand(network);
  try {
    Workload workload = planner::kernels_as_operators(expand_graph(network));
    workload.name = network.name;
    return workload;
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(network.source, error));
  }
}

Network read_network_text(const NamedText& found, const CommonOptions& common) {
  const bool is_onnx = interchange::is_onnx(found.text, found.source);
  if (!is_onnx) check_input_size(found.source, found.text.size());
  if (!is_onnx && !interchange::is_config(found.text, found.source)) {
    return read_network(found.text, found.source);
  }
  const interchange::ImportedNetwork network =
      is_onnx ? interchange::import_onnx_network(found.text, found.source)
              : interchange::import_config(found.text, found.source);
  tell_notes(network, found.source, common);
  return imported_network(network_text(network.file), found.source);
}

void tell_notes(const interchange::ImportedNetwork& network, const std::string& source,
                const CommonOptions& common) {
  Progress progress(common);
  for (const std::string& note : network.notes) progress.note(source + ": " + note);
}

Network imported_network(const std::string& text, const std::string& source) {
  try {
    Network network = read_network(text, source);
    expand(network);
    return network;
  } catch (const InputError& error) {  // its place is of a text that nobody sees
    throw InputError(source, kWholeSource,
                     "describes a network that cannot be: " + error.problems().front().message);
  }
}

void refuse_workload_without_plan(const ArgumentValues& values, const PlanCommand& command) {
  const std::string name = case_named(values);
  if (values.contains("plan") || !names_workload(name)) return;
  throw Failure(FailureKind::usage, name + " is a network: add --plan FILE; for example " +
                                        commands_for(name, command));
}

void refuse_workload(const ArgumentValues& values, const PlanCommand& instead) {
  const std::string name = case_named(values);
  if (!workload_preset(name) || std::filesystem::exists(name)) return;
  throw Failure(FailureKind::usage, name +
                                        " is a network, expected a case (.kgraph); of a network " +
                                        commands_for(name, instead));
}

std::vector<std::string> workload_files(const std::string& name) {
  if (workload_preset(name)) return {};
  return {name};
}

std::vector<std::string> workload_inputs(const std::string& workload, const std::string& plan,
                                         const MachineChoice& hardware) {
  std::vector<std::string> inputs = workload_files(workload);
  inputs.push_back(plan);
  for (const std::string& file : machine_inputs(hardware)) inputs.push_back(file);
  return inputs;
}

}  // namespace waferloom::cli
