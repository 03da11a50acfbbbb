#include <nlohmann/json.hpp>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/text.h"

namespace waferloom {
namespace {

std::optional<Int128> times(std::int64_t count, const std::optional<std::int64_t>& each) {
  if (!each) return std::nullopt;
  return Int128(count) * *each;
}

/// The sum over ports at such places; nothing if there is none, or one has no limit.
template <typename Figure>
std::optional<Int128> sum_of(const std::vector<std::size_t>& places, const Figure& figure) {
  if (places.empty()) return std::nullopt;
  Int128 sum = 0;
  for (const std::size_t place : places) {
    const std::optional<std::int64_t> value = figure(place);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

PortTotals port_totals(const Hardware& hardware, const std::vector<EdgePort>& ports,
                       const LivePorts& live) {
  const auto link = [&](std::size_t at) { return port_bytes_per_s(hardware, ports[at]); };
  const auto own = [&](std::size_t at) { return ports[at].bytes_per_s; };
  const auto room = [&](std::size_t at) { return ports[at].capacity_bytes; };
  return {ports.size(), live.lost, sum_of(live.places, link), sum_of(live.places, own),
          sum_of(live.places, room)};
}

Json total_json(const std::optional<Int128>& total) {
  return total ? json_number(to_string(*total)) : Json(nullptr);
}

Json port_totals_json(const PortTotals& ports) {
  return {{"count", ports.count},
          {"lost", ports.lost},
          {"bytes_per_s", total_json(ports.bytes_per_s)},
          {"own_bytes_per_s", total_json(ports.own_bytes_per_s)},
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
          {"topology", kTopologyNames[static_cast<std::size_t>(hardware.topology)]},
          {"columns", hardware.wafer.width},
          {"rows", hardware.wafer.height},
          {"tiles", totals.tiles},
          {"dead_tiles", totals.dead_tiles},
          {"cut_off_tiles", totals.cut_off_tiles},
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
  const Living living(hardware);
  totals.cut_off_tiles = living.cut_off_tiles();
  totals.host_ports = port_totals(hardware, hardware.host_ports, living.host_ports());
  totals.dram_ports = port_totals(hardware, hardware.dram_ports, living.dram_ports());
  std::optional<Int128>& rate = totals.host_ports.bytes_per_s;
  const Rate& most = hardware.host_bytes_per_s;
  const bool any = !living.host_ports().places.empty();
  if (most && any && (!rate || *rate > *most)) rate = *most;
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
