#include <cmath>

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

/// Of the live links that lead from the first half of the columns, or of the rows, to the second.
std::optional<Int128> bisection(const Hardware& hardware) {
  const bool is_limited = hardware.link.bytes_per_s && hardware.group_link.bytes_per_s &&
                          hardware.column_link.value_or(hardware.link).bytes_per_s;
  if (hardware.topology == Topology::switched || !is_limited) return std::nullopt;
  const Mesh mesh(hardware);
  std::optional<Int128> least;
  for (const bool along_x : {true, false}) {
    const std::uint32_t side = along_x ? mesh.columns() : mesh.rows();
    const std::uint32_t lines = along_x ? mesh.rows() : mesh.columns();
    if (side < 2) continue;
    const auto tile = [&](std::uint32_t place, std::uint32_t line) {
      return along_x ? mesh.node(place, line) : mesh.node(line, place);
    };
    Int128 sum = 0;
    const auto add = [&](LinkIndex link) {
      if (mesh.is_dead_link(link)) return;
      constexpr double kPicoseconds = 1e12;
      sum += std::llround(mesh.bytes_per_ps(link) * kPicoseconds);
    };
    const Direction up = along_x ? Direction::east : Direction::north;
    for (std::uint32_t line = 0; line < lines; ++line) {
      add(Mesh::link(tile(side / 2 - 1, line), up));
      if (mesh.wraps()) add(Mesh::link(tile(0, line), opposite(up)));
    }
    if (!least || sum < *least) least = sum;
  }
  return least;
}

/// Dead tiles whose routers live.
std::int64_t passing_tiles(const Hardware& hardware) {
  if (hardware.passing.empty()) return 0;
  const Rectangle mesh{0, 0, hardware.wafer.width, hardware.wafer.height};
  return covered_tiles(hardware.wafer.dead, mesh) - covered_tiles(closed_tiles(hardware), mesh);
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
  totals.passing_tiles = passing_tiles(hardware);
  totals.bisection_bytes_per_s = bisection(hardware);
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

}  // namespace waferloom
