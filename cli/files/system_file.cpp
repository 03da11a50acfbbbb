#include "cli/files/system_file.h"

#include <algorithm>

#include "cli/files/input_file.h"
#include "cli/files/preset_file.h"
#include "model/hardware.h"
#include "model/text.h"

namespace waferloom::cli {

System read_system_named(const std::string& name, const std::string& option,
                         const CommonOptions& common) {
  const std::vector<std::string_view> names = system_preset_names();
  const PresetKind kind{system_preset, system_preset_names,
                        "--" + option + ": expected " + alternatives(names) + " or a file"};
  const NamedText found = read_preset_or_file(name, kind, common);
  System system = read_system(found.text, found.source);
  if (system.name == System{}.name) system.name = file_names({found.source});
  return system;
}

std::vector<std::string> system_inputs(const std::string& name) {
  if (system_preset(name)) return {};
  return {name};
}

void warn_of_unread_keys(const std::string& name, const System& system,
                         const std::vector<std::string_view>& read, Warnings& warnings) {
  if (system_inputs(name).empty()) return;
  std::string unread;
  for (const std::string& key : changed_keys(system)) {
    if (std::find(read.begin(), read.end(), key) != read.end()) continue;
    unread += (unread.empty() ? "" : ", ") + key;
  }
  if (unread.empty()) return;
  warnings.add(source_name(name) + ": no effect here of " + unread);
}

}  // namespace waferloom::cli
