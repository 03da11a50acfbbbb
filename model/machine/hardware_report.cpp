#include "model/hardware_reader.h"
#include "model/json_text.h"
#include "model/machine/hardware_json.h"

namespace waferloom {
namespace {

std::optional<Int128> times(std::int64_t count, const std::optional<std::int64_t>& each) {
  if (!each) return std::nullopt;
  return Int128(count) * *each;
}

/// The sum of a member over all ports; nothing if there is none, or one has no limit.
std::optional<Int128> sum_of(const std::vector<EdgePort>& ports,
                             std::optional<std::int64_t> EdgePort::*member) {
  if (ports.empty()) return std::nullopt;
  Int128 sum = 0;
  for (const EdgePort& port : ports) {
    if (!(port.*member)) return std::nullopt;
    sum += *(port.*member);
  }
  return sum;
}

PortTotals port_totals(const std::vector<EdgePort>& ports) {
  return {ports.size(), sum_of(ports, &EdgePort::bytes_per_s),
          sum_of(ports, &EdgePort::capacity_bytes)};
}

Json total_json(const std::optional<Int128>& total) {
  return total ? json_number(to_string(*total)) : Json(nullptr);
}

Json port_totals_json(const PortTotals& ports) {
  return {{"count", ports.count},
          {"bytes_per_s", total_json(ports.bytes_per_s)},
          {"capacity_bytes", total_json(ports.capacity_bytes)}};
}

Json machine_json(const Hardware& hardware) {
  const HardwareTotals totals = hardware_totals(hardware);
  Json peak = Json::object();
  for (const auto& [type, rate] : totals.peak_flop_per_s) {
    peak[type] = json_number(to_string(rate));
  }
  Json figures = Json::array();
  for (const HardwareFigure& figure : hardware_figures(hardware)) {
    figures.push_back(
        {{"key", figure.key}, {"value", Json::parse(figure.value)}, {"source", figure.source}});
  }
  return {{"name", hardware.name},
          {"topology", topology_name(hardware.topology)},
          {"columns", hardware.wafer.width},
          {"rows", hardware.wafer.height},
          {"tiles", totals.tiles},
          {"dead_tiles", totals.dead_tiles},
          {"sram_bytes", total_json(totals.sram_bytes)},
          {"dram_bytes", total_json(totals.dram_bytes)},
          {"dram_bytes_per_s", total_json(totals.dram_bytes_per_s)},
          {"peak_flop_per_s", peak},
          {"host_ports", port_totals_json(totals.host_ports)},
          {"dram_ports", port_totals_json(totals.dram_ports)},
          {"defaulted", defaulted_keys(hardware)},
          {"figures", figures}};
}

}  // namespace

std::vector<std::string> defaulted_keys(const Hardware& hardware) {
  const bool is_switched = hardware.topology == Topology::switched;
  const std::string_view group = "group_";
  std::vector<std::string> keys;
  for (const HardwareFigure& figure : hardware_figures(hardware)) {
    if (hardware.given.contains(figure.key) || figure.source.starts_with("from ")) continue;
    const bool is_group_link = figure.key.starts_with("group_link.") &&
                               hardware.given.contains(figure.key.substr(group.size()));
    const bool is_node =
        is_switched &&
        (figure.key.starts_with("router.") || figure.key.starts_with("routing.") ||
         figure.key == "group_columns" || figure.key == "group_rows" || figure.key == "dead_links");
    if (!is_group_link && !is_node) keys.push_back(figure.key);
  }
  return keys;
}

HardwareTotals hardware_totals(const Hardware& hardware) {
  HardwareTotals totals;
  totals.tiles = usable_tiles(hardware.wafer);
  totals.dead_tiles = hardware.wafer.width * hardware.wafer.height - totals.tiles;
  totals.sram_bytes = times(totals.tiles, hardware.sram_bytes_per_tile);
  totals.dram_bytes = times(totals.tiles, hardware.dram_bytes_per_tile);
  totals.dram_bytes_per_s = times(totals.tiles, hardware.dram_bytes_per_s_per_tile);
  for (const auto& [type, rate] : hardware.peak_flop_per_s_per_tile) {
    totals.peak_flop_per_s[type] = Int128(totals.tiles) * rate;
  }
  totals.host_ports = port_totals(hardware.host_ports);
  totals.dram_ports = port_totals(hardware.dram_ports);
  std::optional<Int128>& rate = totals.host_ports.bytes_per_s;
  const Rate& most = hardware.host_bytes_per_s;
  if (most && !hardware.host_ports.empty() && (!rate || *rate > *most)) rate = *most;
  return totals;
}

Json machines_json(const std::vector<Hardware>& machines) {
  Json report = new_report("machines");
  report["machines"] = Json::array();
  for (const Hardware& hardware : machines) {
    report["machines"].push_back(machine_json(hardware));
  }
  return report;
}

}  // namespace waferloom
