#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/console/warnings.h"
#include "cli/options/options.h"
#include "model/hardware.h"
#include "model/option_spec.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// --hardware of a command that takes stages of a network, on a mesh.
OptionSpec stages_hardware_option();
/// --hardware of a command that takes cases and networks.
OptionSpec any_hardware_option();

/// The rows of --hardware, --set and --chips.
template <typename Request>
Options<Request> machine_rows(MachineChoice Request::*member, const OptionSpec& hardware) {
  return options_inside(member, machine_options(hardware));
}

/// A machine that a preset or a file describes; "-" is stdin. `what` names the option or operand in
/// messages: "--hardware". Throws Failure.
Machine read_machine_named(const std::string& name, const MachineChanges& changes,
                           const std::string& what, const CommonOptions& common);

/// The machine that --hardware, --set and --chips ask for. Throws Failure.
Machine read_machine_asked(const MachineChoice& choice, std::string_view by_default,
                           const CommonOptions& common);
/// What simulations and wafer plans know of it.
Hardware read_fabric(const MachineChoice& choice, std::string_view by_default,
                     const CommonOptions& common);
/// What models of chips know of it.
System read_chips(const MachineChoice& choice, const CommonOptions& common);

/// The file that it is read from, if it is one.
std::vector<std::string> machine_inputs(const MachineChoice& choice);

/// Warns of keys of a machine's file that a command does not read, in one line. A preset serves all
/// commands, so nothing is said of it.
void warn_of_unread_keys(const MachineChoice& choice, const System& system,
                         const std::vector<std::string_view>& read, Warnings& warnings);

}  // namespace waferloom::cli
