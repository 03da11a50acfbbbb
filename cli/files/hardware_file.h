#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "model/hardware.h"
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

/// The hardware of a preset of that name if there is one, otherwise of a file. Throws Failure.
Hardware read_hardware_named(const std::string& name, const CommonOptions& common);
/// The file that it is read from, if it is one.
std::vector<std::string> hardware_inputs(const std::string& name);

}  // namespace waferloom::cli
