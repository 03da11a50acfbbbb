#include "cli/files/hardware_file.h"

#include "cli/files/input_file.h"
#include "cli/files/preset_file.h"
#include "model/hardware.h"
#include "sim/simulate.h"

namespace waferloom::cli {

std::string hardware_name(const Arguments& arguments) {
  return arguments.text_or_default("hardware");
}

std::string network_hardware_name(const Arguments& arguments) {
  return arguments.has("hardware") ? arguments.text("hardware")
                                   : std::string(sim::kNetworkHardware);
}

namespace {

Hardware read_named_hardware(const std::string& name, const Arguments& arguments) {
  std::string list;
  for (const std::string_view preset : hardware_preset_names()) list += std::string(preset) + ", ";
  const PresetKind kind{hardware_preset, hardware_preset_names,
                        "--hardware: expected " + list + "or a file"};
  const NamedText found = read_preset_or_file(name, kind, arguments.common());
  Hardware hardware = read_hardware(found.text, found.source);
  if (hardware.name == Hardware{}.name) hardware.name = file_names({found.source});
  return hardware;
}

}  // namespace

Hardware read_hardware_option(const Arguments& arguments) {
  return read_named_hardware(hardware_name(arguments), arguments);
}

Hardware read_network_hardware_option(const Arguments& arguments) {
  return read_named_hardware(network_hardware_name(arguments), arguments);
}

std::vector<std::string> hardware_files(const Arguments& arguments) {
  if (!arguments.has("hardware") || hardware_preset(arguments.text("hardware"))) return {};
  return {arguments.text("hardware")};
}

}  // namespace waferloom::cli
