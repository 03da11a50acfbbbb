#include "cli/summaries/hardware_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/summaries/summary_lines.h"
#include "model/mesh.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr std::size_t kLabelColumns = 18;
constexpr std::size_t kKeyColumns = 30;
constexpr double kPicoseconds = 1e-12;

std::string hardware_line(const std::string& label, const std::string& text) {
  return labelled_line(label, kLabelColumns, text);
}

/// "1024x20".
std::string by_text(std::int64_t columns, std::int64_t rows) {
  return fmt::format("{}x{}", columns, rows);
}

std::string rate_or(const std::optional<Int128>& bytes_per_s, const std::string& otherwise) {
  return bytes_per_s ? bytes_text(static_cast<double>(*bytes_per_s)) + "/s" : otherwise;
}

std::string bytes_or(const std::optional<Int128>& bytes, const std::string& otherwise) {
  return bytes ? bytes_text(static_cast<double>(*bytes)) : otherwise;
}

std::string time_text(std::int64_t picoseconds) {
  return seconds_text(static_cast<double>(picoseconds) * kPicoseconds);
}

std::string mesh_lines(const Hardware& hardware, const HardwareTotals& totals) {
  const Wafer& mesh = hardware.wafer;
  std::string text = std::to_string(totals.tiles);
  if (totals.dead_tiles > 0) {
    const std::int64_t passing = totals.passing_tiles;
    const auto dead = static_cast<std::int64_t>(closed_tiles(hardware).size());
    text += " at work";
    if (passing > 0) text += fmt::format(", {} pass traffic alone", passing);
    if (totals.dead_tiles > passing) {
      text += fmt::format(", {} dead in {}", totals.dead_tiles - passing,
                          counted_text(dead, "rectangle"));
    }
  } else {
    text += ", none dead";
  }
  if (totals.cut_off_tiles > 0) {
    text += fmt::format(", {} cut off from the rest", totals.cut_off_tiles);
  }
  const bool has_groups = hardware.group_columns < mesh.width || hardware.group_rows < mesh.height;
  if (hardware.topology != Topology::switched && has_groups) {
    text += ", in groups of " + by_text(hardware.group_columns, hardware.group_rows);
  }
  return hardware_line("tiles", text) +
         hardware_line("clock", prefixed_text(static_cast<double>(hardware.clock_hz), "Hz") + ", " +
                                    counted_text(hardware.cycles_per_time_unit, "cycle") +
                                    " for a unit of a kernel's time");
}

std::string link_line(const std::string& label, const LinkClass& link) {
  return hardware_line(label, rate_or(link.bytes_per_s, "no limit") + " in one direction, " +
                                  time_text(link.latency_ps) + " a hop");
}

std::string link_lines(const Hardware& hardware, const HardwareTotals& totals) {
  const bool is_switched = hardware.topology == Topology::switched;
  std::string lines = link_line(is_switched ? "within nodes" : "links", hardware.link);
  if (hardware.networks == Networks::opposite) {
    lines += hardware_line("networks", "two, one east and north, one west and south");
  }
  if (hardware.column_link) lines += link_line("in columns", *hardware.column_link);
  if (is_switched || hardware.group_link != hardware.link) {
    lines += link_line(is_switched ? "among nodes" : "between groups", hardware.group_link);
  }
  if (totals.bisection_bytes_per_s) {
    lines +=
        hardware_line("bisection", rate_or(totals.bisection_bytes_per_s, "") + " in one direction");
  }
  if (!hardware.dead_links.empty()) {
    lines += hardware_line("dead links", std::to_string(hardware.dead_links.size()));
  }
  return lines;
}

std::string memory_lines(const Hardware& hardware, const HardwareTotals& totals) {
  std::string lines;
  if (totals.sram_bytes) {
    lines += hardware_line("SRAM", bytes_or(hardware.sram_bytes_per_tile, "") + " a tile, " +
                                       bytes_or(totals.sram_bytes, "") + " in all");
  } else {
    lines += hardware_line("SRAM", "not known");
  }
  if (totals.dram_bytes) {
    lines += hardware_line("tile memory",
                           bytes_or(hardware.dram_bytes_per_tile, "") + " a tile, " +
                               bytes_or(totals.dram_bytes, "") + " in all; " +
                               rate_or(hardware.dram_bytes_per_s_per_tile, "no limit of its rate") +
                               (totals.dram_bytes_per_s
                                    ? " a tile, " + rate_or(totals.dram_bytes_per_s, "") + " in all"
                                    : ""));
  }
  return lines;
}

std::string peak_lines(const Hardware& hardware, const HardwareTotals& totals) {
  if (totals.peak_flop_per_s.empty()) return hardware_line("peak", "not known");
  std::string lines;
  for (const auto& [type, all] : totals.peak_flop_per_s) {
    lines += hardware_line(
        "peak " + type,
        prefixed_text(static_cast<double>(hardware.peak_flop_per_s_per_tile.at(type)), "FLOP/s") +
            " a tile, " + prefixed_text(static_cast<double>(all), "FLOP/s") + " in all");
  }
  if (hardware.achievable_percent != Hardware{}.achievable_percent) {
    lines += hardware_line("achievable", to_string(hardware.achievable_percent) + " % of the peak");
  }
  for (const auto& [type, percent] : hardware.achievable_percent_by_type) {
    lines += hardware_line("", to_string(percent) + " % of that of " + type);
  }
  return lines;
}

/// "5 west, 5 east".
std::string sides_text(const std::vector<EdgePort>& ports) {
  std::array<std::int64_t, kDirectionNames.size()> counts{};
  for (const EdgePort& port : ports) ++counts.at(static_cast<std::size_t>(port.side));
  std::string text;
  for (std::size_t side = 0; side < counts.size(); ++side) {
    if (counts[side] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[side], kDirectionNames[side]);
  }
  return text;
}

/// What one link of a port's tile takes.
Rate link_rate(const Hardware& hardware) { return port_bytes_per_s(hardware, EdgePort{}); }

/// Whether a port has a rate that the link of its tile does not take.
bool is_held_by_links(const std::vector<EdgePort>& ports, const Hardware& hardware) {
  return std::any_of(ports.begin(), ports.end(), [&](const EdgePort& port) {
    return port.bytes_per_s && port_bytes_per_s(hardware, port) != port.bytes_per_s;
  });
}

std::string port_lines(const std::string& label, const Hardware& hardware,
                       const std::vector<EdgePort>& ports, const PortTotals& totals) {
  if (ports.empty()) return hardware_line(label, "none");
  const EdgePort& first = ports.front();
  const bool alike = std::all_of(ports.begin(), ports.end(), [&](const EdgePort& port) {
    return port.bytes_per_s == first.bytes_per_s && port.response_ps == first.response_ps;
  });
  std::string text = sides_text(ports) + ": ";
  if (alike && first.bytes_per_s) text += rate_or(first.bytes_per_s, "") + " each, ";
  text += totals.lost == totals.count ? "none can be used"
                                      : rate_or(totals.bytes_per_s, "no limit") + " in all";
  if (alike) text += ", response " + time_text(first.response_ps);
  std::string lines = hardware_line(label, text);
  if (totals.lost > 0) {
    lines += hardware_line(
        "", fmt::format("{} of them on tiles that are dead or cut off: not counted", totals.lost));
  }
  if (is_held_by_links(ports, hardware)) {
    lines += hardware_line(
        "", "a port enters by one link of its tile, " + rate_or(link_rate(hardware), "") +
                (totals.own_bytes_per_s ? ": by themselves " + rate_or(totals.own_bytes_per_s, "")
                                        : ""));
  }
  if (totals.capacity_bytes) {
    lines += hardware_line("", bytes_or(totals.capacity_bytes, "") + " of memory behind them");
  }
  return lines;
}

std::string price_lines(const Hardware& hardware) {
  std::string lines;
  if (hardware.price_usd)
    lines += hardware_line("price", fmt::format("{} USD", *hardware.price_usd));
  if (hardware.power_w) lines += hardware_line("power", fmt::format("{} W", *hardware.power_w));
  return lines;
}

std::string default_lines(const Hardware& hardware) {
  const std::vector<std::string> keys = defaulted_keys(hardware);
  if (keys.empty()) return "\nThe file has every key.\n";
  std::string lines = "\nNot in the file, and so by default:\n";
  for (const HardwareFigure& figure : hardware_figures(hardware)) {
    if (std::find(keys.begin(), keys.end(), figure.key) == keys.end()) continue;
    std::string line = "  " + figure.key;
    line.resize(std::max<std::size_t>(line.size() + 1, kKeyColumns), ' ');
    lines += line + figure.value + "\n";
  }
  return lines;
}

/// The largest peak of all data types; the first of those that are equal.
std::string most_peak(const HardwareTotals& totals) {
  if (totals.peak_flop_per_s.empty()) return "-";
  const auto most =
      std::max_element(totals.peak_flop_per_s.begin(), totals.peak_flop_per_s.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return prefixed_text(static_cast<double>(most->second), "FLOP/s") + " " + most->first;
}

}  // namespace

namespace {

/// "sram 1.5, hbm 0.0065".
std::string balance_line(const Machine& machine) {
  std::string text;
  for (const Balance& balance : machine_balance(machine)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", balance.from,
                        significant_text(balance.bytes_per_flop));
  }
  return text.empty() ? text : hardware_line("bytes a FLOP", text);
}

/// What instructions besides matrix products do, where that is not the peak.
std::string instruction_lines(const Machine& machine) {
  std::string lines;
  for (const InstructionPeak& peak : instruction_peaks(machine)) {
    lines += hardware_line(lines.empty() ? "instructions" : "",
                           fmt::format("{} {}, {}", prefixed_text(peak.flop_per_s, "FLOP/s"),
                                       peak.data_type, peak.instruction));
  }
  return lines;
}

std::string fabric_summary(const Machine& machine) {
  const Hardware& hardware = *machine.fabric;
  const HardwareTotals totals = hardware_totals(hardware);
  const std::int64_t columns = hardware.wafer.width;
  const std::int64_t rows = hardware.wafer.height;
  const std::string mesh =
      hardware.topology == Topology::switched
          ? counted_text(rows, "node") + " of " + counted_text(columns, "tile")
          : fmt::format("{} of {} tiles",
                        kTopologyNames[static_cast<std::size_t>(hardware.topology)],
                        by_text(columns, rows));
  return hardware.name + ": " + mesh + "\n\n" + mesh_lines(hardware, totals) +
         link_lines(hardware, totals) + memory_lines(hardware, totals) +
         peak_lines(hardware, totals) + instruction_lines(machine) +
         port_lines("host ports", hardware, hardware.host_ports, totals.host_ports) +
         port_lines("DRAM ports", hardware, hardware.dram_ports, totals.dram_ports) +
         balance_line(machine) + price_lines(hardware) + default_lines(hardware);
}

std::string fabrics_table(const std::vector<Machine>& machines) {
  TextTable table({"preset", "tiles", "peak", "SRAM", "tile memory", "DRAM ports"});
  for (const Machine& machine : machines) {
    if (!machine.fabric) continue;
    const Hardware& hardware = *machine.fabric;
    const HardwareTotals totals = hardware_totals(hardware);
    const PortTotals& ports = totals.dram_ports;
    table.add({hardware.name, by_text(hardware.wafer.width, hardware.wafer.height),
               most_peak(totals), bytes_or(totals.sram_bytes, "-"),
               bytes_or(totals.dram_bytes, "-"),
               ports.count == 0
                   ? "-"
                   : fmt::format("{}, {}", ports.count, rate_or(ports.bytes_per_s, "no limit"))});
  }
  return table.text() + "\nOf all tiles together; peak: the most of all data types.\n";
}

/// What a chip has.
std::vector<std::string> chip_cells(const System& chips) {
  const Chip& chip = chips.chip;
  std::vector<std::string> cells{prefixed_text(chip.flop_per_s, "FLOP/s"),
                                 bytes_text(chip.sram_bytes), "-"};
  if (!chips.memories.empty()) {
    const MemoryLevel& memory = chips.memories.front();
    cells[2] = bytes_text(memory.bytes) + ", " + bytes_text(memory.bytes_per_s) + "/s";
  }
  return cells;
}

/// "all", "none", or the numbers of those that are.
std::string simulated_text(const Machine& machine) {
  if (machine.fabric) return "all";
  std::string text;
  const std::vector<NetworkDimension>& dimensions = machine.chips.dimensions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].is_simulated()) text += fmt::format("{}{}", text.empty() ? "" : ", ", i);
  }
  return text.empty() ? "none" : text;
}

std::string chips_table(const std::vector<Machine>& machines) {
  TextTable table({"preset", "chips", "simulated", "peak of one", "memory"});
  for (const Machine& machine : machines) {
    const System& chips = machine.chips;
    if (chips.dimensions.empty()) continue;
    const std::vector<std::string> cells = chip_cells(chips);
    table.add({machine.name, network_text(chips), simulated_text(machine), cells[0], cells[2]});
  }
  return table.text() +
         "\nsimulated: dimensions that simulations know; models of chips price all.\n";
}

std::string chips_summary(const Machine& machine) {
  const System& chips = machine.chips;
  const std::vector<std::string> cells = chip_cells(chips);
  std::string text = hardware_line(
      "chips", fmt::format("{}: {}", counted_text(chips.chips(), "chip"), network_text(chips)));
  text += hardware_line("each", cells[0] + ", SRAM " + cells[1]);
  for (const MemoryLevel& memory : chips.memories) {
    text += hardware_line(memory.name, bytes_text(memory.bytes) + " a chip, " +
                                           bytes_text(memory.bytes_per_s) + "/s");
  }
  for (const NetworkDimension& dimension : chips.dimensions) {
    text += hardware_line(
        fmt::format("{} {}", dimension_topology_name(dimension.topology), dimension.size),
        bytes_text(dimension.link_bytes_per_s) + "/s a link, " + seconds_text(dimension.latency_s) +
            " a step" + (dimension.is_simulated() ? "" : "; priced, not simulated"));
  }
  return text;
}

}  // namespace

std::string machine_summary(const Machine& machine) {
  if (!machine.fabric) {
    return machine.name + ": " + counted_text(machine.chips.chips(), "chip") + "\n\n" +
           chips_summary(machine) + instruction_lines(machine) + balance_line(machine) +
           "\nNot simulated: " + machine.why_no_fabric + ".\n";
  }
  const bool follows = machine.chips == chips_of_fabric(*machine.fabric);
  const bool has_more = !machine.chips.dimensions.empty() || !follows;
  return fabric_summary(machine) + (has_more ? "\n" + chips_summary(machine) : "");
}

std::string machines_table(const std::vector<Machine>& machines) {
  return fabrics_table(machines) + "\n" + chips_table(machines);
}

}  // namespace waferloom::cli
