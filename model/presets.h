#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace waferloom {

/// Hardware files that are part of the program: presets/NAME.json.
std::vector<std::string_view> hardware_preset_names();
/// The text of one; nothing if there is none of that name, in any case, with or without - and _.
std::optional<std::string_view> hardware_preset(std::string_view name);

}  // namespace waferloom
