#include "cli/files/machine_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/preset_file.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

/// A base is a preset, or a file beside the one that names it.
FindBase bases_of(const CommonOptions& common) {
  return [common](const std::string& base, const std::string& from) -> std::optional<MachineText> {
    if (auto preset = find_preset_base(base, from)) return preset;
    const fs::path beside = (fs::path(from).parent_path() / base).lexically_normal();
    std::error_code ignored;
    if (!fs::is_regular_file(beside, ignored)) return std::nullopt;
    return MachineText{read_input(beside.string(), common), beside.string()};
  };
}

}  // namespace

OptionSpec stages_hardware_option() {
  return with_help(sim::hardware_option(),
                   sim::hardware_help({{sim::kNetworkHardware, "default"}}, true));
}

OptionSpec any_hardware_option() {
  return with_help(sim::hardware_option(),
                   sim::hardware_help({{sim::kCaseHardware, "default of a case"},
                                       {sim::kNetworkHardware, "default of a network"}}));
}

Machine read_machine_named(const std::string& name, const MachineChanges& changes,
                           const std::string& what, const CommonOptions& common) {
  const PresetKind kind{machine_preset, machine_preset_names,
                        what + ": expected a preset or a file",
                        "; `waferloom hardware` lists the presets"};
  const NamedText found = read_preset_or_file(name, kind, common);
  MachineChanges all = changes;
  all.find_base = bases_of(common);
  Machine machine = read_machine({found.text, found.source}, all);
  if (machine.name == Machine{}.name) {
    machine.name = machine.chips.name = file_names({found.source});
    if (machine.fabric) machine.fabric->name = machine.name;
  }
  return machine;
}

Machine read_machine_asked(const MachineChoice& choice, std::string_view by_default,
                           const CommonOptions& common) {
  return read_machine_named(choice.name_or(by_default), changes_of(choice), "--hardware", common);
}

Hardware read_fabric(const MachineChoice& choice, std::string_view by_default,
                     const CommonOptions& common) {
  return fabric_of(read_machine_asked(choice, by_default, common));
}

System read_chips(const MachineChoice& choice, const CommonOptions& common) {
  MachineChanges changes = changes_of(choice);
  changes.otherwise = MachineForm::chips;
  return chips_of(read_machine_named(choice.name.value(), changes, "--hardware", common));
}

std::vector<std::string> machine_inputs(const MachineChoice& choice) {
  if (!choice.name || machine_preset(*choice.name)) return {};
  return {*choice.name};
}

void warn_of_unread_keys(const MachineChoice& choice, const System& system,
                         const std::vector<std::string_view>& read, Warnings& warnings) {
  if (machine_inputs(choice).empty()) return;
  std::string unread;
  for (const std::string& key : changed_keys(system)) {
    if (std::find(read.begin(), read.end(), key) != read.end()) continue;
    unread += (unread.empty() ? "" : ", ") + key;
  }
  if (unread.empty()) return;
  warnings.add(source_name(*choice.name) + ": no effect here of " + unread);
}

}  // namespace waferloom::cli
