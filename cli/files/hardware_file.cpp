#include "cli/files/hardware_file.h"

#include "cli/files/input_file.h"
#include "cli/files/preset_file.h"
#include "model/hardware.h"

namespace waferloom::cli {

OptionSpec stages_hardware_option() {
  return with_help(sim::hardware_option(),
                   sim::hardware_help({{sim::kNetworkHardware, "default"}}, true));
}

OptionSpec any_hardware_option() {
  return with_help(sim::hardware_option(),
                   sim::hardware_help({{sim::kCaseHardware, "default of a case"},
                                       {sim::kNetworkHardware, "default of a network"}}));
}

Hardware read_hardware_named(const std::string& name, const CommonOptions& common) {
  std::string list;
  for (const std::string_view preset : hardware_preset_names()) list += std::string(preset) + ", ";
  const PresetKind kind{hardware_preset, hardware_preset_names,
                        "--hardware: expected " + list + "or a file"};
  const NamedText found = read_preset_or_file(name, kind, common);
  Hardware hardware = read_hardware(found.text, found.source);
  if (hardware.name == Hardware{}.name) hardware.name = file_names({found.source});
  return hardware;
}

std::vector<std::string> HardwareRequest::files() const {
  return name ? hardware_inputs(*name) : std::vector<std::string>{};
}

std::vector<std::string> hardware_inputs(const std::string& name) {
  if (hardware_preset(name)) return {};
  return {name};
}

}  // namespace waferloom::cli
