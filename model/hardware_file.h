#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"

namespace waferloom {

/// Reads a hardware file (JSON, format in docs/formats.md). Keys that are not there keep the
/// defaults of Hardware; columns and rows have to be. Throws InputError with source:line:column.
Hardware read_hardware(std::string_view text, const std::string& source);

/// Hardware files that are part of the program: presets/NAME.json.
std::vector<std::string_view> hardware_preset_names();
/// The text of one; nothing if there is none of that name, in any case, with or without - and _.
std::optional<std::string_view> hardware_preset(std::string_view name);

/// A figure that is in force, for a report.
struct HardwareFigure {
  std::string key;     ///< "link.latency_ps"
  std::string value;   ///< as JSON
  std::string source;  ///< as in the file, "default" for what no source is given for
};

/// Every figure of a hardware, in the order of the keys in a file. Ports and dead tiles are
/// counted, not listed.
std::vector<HardwareFigure> hardware_figures(const Hardware& hardware);

/// The JSON Schema (draft 7) of hardware files.
std::string hardware_schema();

}  // namespace waferloom
