#pragma once

#include <string>
#include <vector>

#include "cli/files/machine_file.h"
#include "cli/files/preset_file.h"
#include "cli/options/arguments.h"
#include "interchange/imported_network.h"
#include "model/workload.h"

namespace waferloom::cli {

/// The network that an operand names: a preset if there is one of that name, otherwise a file.
/// Without a name of its own it has the file's. Throws Failure.
/// `operand` is what messages call it.
Network read_network_named(const std::string& name, const std::string& operand,
                           const CommonOptions& common);
/// Its operators.
Workload read_workload_named(const std::string& name, const std::string& operand,
                             const CommonOptions& common);
/// Likewise for planners of chips: a graph of kernels is the operators that these are
/// (planner::kernels_as_operators), whose faults it throws as a Failure.
Workload read_planned_workload(const std::string& name, const std::string& operand,
                               const CommonOptions& common);
/// The network of a text that was read, also of a Hugging Face configuration or an ONNX model,
/// whose import tells its notes on stderr. Throws InputError.
Network read_network_text(const NamedText& found, const CommonOptions& common);

/// Tells on stderr what was assumed and left out of an imported file.
void tell_notes(const interchange::ImportedNetwork& network, const std::string& source,
                const CommonOptions& common);
/// The network whose text was made of a file. Throws InputError where it is none, too large for
/// example.
Network imported_network(const std::string& text, const std::string& source);

/// A command that runs a network's plan: its verb and what stands behind the plan.
struct PlanCommand {
  std::string verb;
  std::string options{};
};

/// Throws Failure::usage if CASE is a network and there is no --plan; the message says what to add,
/// with commands that work.
void refuse_workload_without_plan(const ArgumentValues& values, const PlanCommand& command);
/// Throws Failure::usage if CASE is the preset of a network and no file; `instead` is what to do
/// with networks.
void refuse_workload(const ArgumentValues& values, const PlanCommand& instead);
/// The file that it is read from, if it is one.
std::vector<std::string> workload_files(const std::string& name);
/// The files that a workload, its plan and its hardware are read from.
std::vector<std::string> workload_inputs(const std::string& workload, const std::string& plan,
                                         const MachineChoice& hardware);

}  // namespace waferloom::cli
