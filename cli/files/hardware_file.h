#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "model/hardware.h"
#include "model/option_spec.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// What --hardware names, or the default of cases or of networks.
struct HardwareRequest {
  std::optional<std::string> name;
  std::string of_case() const { return name.value_or(std::string(sim::kCaseHardware)); }
  std::string of_network() const { return name.value_or(std::string(sim::kNetworkHardware)); }
  /// The file that it is read from, if it is one.
  std::vector<std::string> files() const;
};

/// The row of --hardware.
template <typename Request>
Option<Request> hardware_row(HardwareRequest Request::*member, const OptionSpec& spec) {
  return option_inside(member, option(&HardwareRequest::name, spec));
}
/// --hardware of a command that takes stages of a network, on a mesh.
OptionSpec stages_hardware_option();
/// --hardware of a command that takes cases and networks.
OptionSpec any_hardware_option();

/// The hardware of a preset of that name if there is one, otherwise of a file. Throws Failure.
Hardware read_hardware_named(const std::string& name, const CommonOptions& common);
/// The file that it is read from, if it is one.
std::vector<std::string> hardware_inputs(const std::string& name);

}  // namespace waferloom::cli
