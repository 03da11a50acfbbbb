#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system.h"

namespace waferloom {

/// Reads a system (docs/systems.md, model/schemas/system.schema.json). Throws InputError with
/// source:line:column for unknown or missing keys and numbers out of range.
System read_system(std::string_view text, const std::string& source);

/// Keys of the chip whose values are not the defaults, then "host" and "overlap" where they say
/// something: what a model that does not read them leaves out.
std::vector<std::string> changed_keys(const System& system);

/// The text of model/schemas/system.schema.json, made from the tables of keys.
std::string system_schema();
/// The text of model/schemas/network.schema.json (model/dataflow_graph.h).
std::string network_schema();

/// System files that are part of the program: presets/systems/NAME.json.
std::vector<std::string_view> system_preset_names();
std::optional<std::string_view> system_preset(std::string_view name);

}  // namespace waferloom
