#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/report.h"

namespace waferloom {

/// Reads a hardware file (JSON, format in docs/formats.md). Keys that are not there keep the
/// defaults of Hardware; columns and rows have to be. Throws InputError with source:line:column.
Hardware read_hardware(std::string_view text, const std::string& source);

/// The whole file of a hardware, every key of its topology named: read_hardware gives the same
/// hardware back. Ports that are alike and evenly apart are one entry.
std::string hardware_text(const Hardware& hardware);

/// Hardware files that are part of the program: presets/NAME.json.
std::vector<std::string_view> hardware_preset_names();
/// Those of them that are meshes.
std::vector<std::string_view> mesh_preset_names();
/// The text of one; nothing if there is none of that name, in any case, with or without - and _.
std::optional<std::string_view> hardware_preset(std::string_view name);

/// A figure that is in force, for a report.
struct HardwareFigure {
  std::string key;    ///< "link.latency_ps"
  std::string value;  ///< as JSON
  /// As in the file; "given" for what a file says without a source, "default" for what none says.
  std::string source;
};

/// Every figure of a hardware, in the order of the keys in a file. Ports and dead tiles are
/// counted, not listed.
std::vector<HardwareFigure> hardware_figures(const Hardware& hardware);

/// Keys of hardware_figures that no file gave, so that they are as read_hardware has them by
/// default; those of group_link where link was not given either, and only what its topology has.
std::vector<std::string> defaulted_keys(const Hardware& hardware);

/// What the ports of a kind have together, those on joined tiles (model/living.h).
struct PortTotals {
  std::size_t count = 0;  ///< in the file
  std::size_t lost = 0;   ///< of these, on tiles that are dead or cut off
  /// In one direction, each at most what its tile's link takes; nothing: no limit, or no port.
  std::optional<Int128> bytes_per_s;
  std::optional<Int128> own_bytes_per_s;  ///< the same by their own rates, whatever links take
  std::optional<Int128> capacity_bytes;  ///< of the memory behind; nothing: not limited, or no port
};

/// What the tiles of a hardware that are not dead, and its ports, have together.
struct HardwareTotals {
  std::int64_t tiles = 0;  ///< that are not dead
  std::int64_t dead_tiles = 0;
  std::int64_t cut_off_tiles = 0;  ///< live, but no way leads to the largest part
  std::optional<Int128> sram_bytes;
  std::optional<Int128> dram_bytes;               ///< of memories that are a tile's own
  std::optional<Int128> dram_bytes_per_s;         ///< of these
  std::map<std::string, Int128> peak_flop_per_s;  ///< by data type
  PortTotals host_ports;                          ///< rate: at most Hardware::host_bytes_per_s
  PortTotals dram_ports;
};

HardwareTotals hardware_totals(const Hardware& hardware);

/// A report of schema waferloom/machines/1.
Json machines_json(const std::vector<Hardware>& machines);

/// The JSON Schema (draft 7) of hardware files.
std::string hardware_schema();

}  // namespace waferloom
