#include "planner/plans/tiles_as_chips.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "model/errors.h"
#include "planner/dfmodel/systems/network_times.h"

namespace waferloom::planner {
namespace {

constexpr double kNeverBinds = 1e24;
constexpr double kPicosecond = 1e-12;

double rate(const Rate& rate) { return rate ? static_cast<double>(*rate) : kNeverBinds; }

double seconds(std::int64_t picoseconds) { return static_cast<double>(picoseconds) * kPicosecond; }

/// What ports that live move together; nothing where there are none.
struct Edge {
  double bytes_per_s = 0;
  double latency_s = 0;
  std::optional<double> capacity{};
};

std::optional<Edge> edge_of(const std::vector<EdgePort>& ports, const LivePorts& live,
                            bool needs_room) {
  Edge edge;
  bool has_room = false;
  double room = 0;
  for (const std::size_t place : live.places) {
    const EdgePort& port = ports[place];
    edge.latency_s = std::max(edge.latency_s, seconds(port.response_ps));
    has_room = has_room || port.capacity_bytes.has_value();
    room += static_cast<double>(port.capacity_bytes.value_or(0));
  }
  if (live.places.empty() || (needs_room && !has_room)) return std::nullopt;
  edge.bytes_per_s = rate(live.bytes_per_s);
  if (has_room) edge.capacity = room;
  return edge;
}

/// The memory behind a tile's SRAM, the tile's part of it.
std::optional<MemoryLevel> memory_of(const Hardware& hardware, const Living& living, double tiles) {
  MemoryLevel memory;
  if (hardware.dram_bytes_per_tile) {
    memory.name = "tile memory";
    memory.bytes = static_cast<double>(*hardware.dram_bytes_per_tile);
    memory.bytes_per_s = rate(hardware.dram_bytes_per_s_per_tile);
    return memory;
  }
  std::optional<Edge> edge = edge_of(hardware.dram_ports, living.dram_ports(), false);
  if (!edge) edge = edge_of(hardware.host_ports, living.host_ports(), true);
  if (!edge) return std::nullopt;
  memory.name = "edge memory";
  memory.bytes = edge->capacity.value_or(kNeverBinds) / tiles;
  memory.bytes_per_s = edge->bytes_per_s / tiles;
  memory.latency_s = edge->latency_s;
  return memory;
}

Chip tile_of(const Hardware& hardware, const Plan& plan) {
  const auto peak = hardware.peak_flop_per_s_per_tile.find(plan.data_type);
  if (peak == hardware.peak_flop_per_s_per_tile.end()) {
    throw RequestError("there is no peak rate of " + plan.data_type);
  }
  Chip chip;
  chip.flop_per_s = static_cast<double>(peak->second);
  chip.sram_bytes = hardware.sram_bytes_per_tile
                        ? static_cast<double>(*hardware.sram_bytes_per_tile)
                        : kNeverBinds;
  chip.matrix_bits = chip.element_bits = 8 * hardware.element_bytes;
  chip.clock_hz = static_cast<double>(hardware.clock_hz);
  chip.efficiency = efficiency_of(hardware, plan.data_type);
  const auto all = static_cast<double>(usable_tiles(hardware.wafer));
  if (hardware.price_usd) chip.price_usd = static_cast<double>(*hardware.price_usd) / all;
  if (hardware.power_w) chip.power_w = static_cast<double>(*hardware.power_w) / all;
  return chip;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> squarest_sides(std::int64_t tiles) {
  std::int64_t shorter = 1;
  for (std::int64_t side = 1; side * side <= tiles; ++side) {
    if (tiles % side == 0) shorter = side;
  }
  return {tiles / shorter, shorter};
}

TilesAsChips tiles_as_chips(const Hardware& hardware, const Living& living, const Plan& plan) {
  TilesAsChips view;
  System& system = view.system;
  system.name = hardware.name;
  system.chip = tile_of(hardware, plan);
  const auto tiles = static_cast<double>(plan.tiles() * plan.pipeline);
  if (const auto memory = memory_of(hardware, living, tiles)) system.memories.push_back(*memory);
  system.level_of.fill(system.memories.empty() ? kSramLevel : kSramLevel + 1);
  const bool switched = hardware.topology == Topology::switched;
  const auto [longer, shorter] = squarest_sides(plan.tensor);
  const std::int64_t group_longer = std::max(hardware.group_columns, hardware.group_rows);
  const std::int64_t group_shorter = std::min(hardware.group_columns, hardware.group_rows);
  const bool one_group = switched ? plan.tensor <= hardware.wafer.width
                                  : longer <= group_longer && shorter <= group_shorter;
  const LinkClass& inside = one_group ? hardware.link : hardware.group_link;
  NetworkDimension group = mesh_group(
      longer, shorter,
      {.bytes_per_s = rate(inside.bytes_per_s), .latency_s = seconds(inside.latency_ps)});
  if (switched) group.topology = DimensionTopology::switched;
  const double between =
      std::min(rate(hardware.link.bytes_per_s), rate(hardware.group_link.bytes_per_s));
  const double latency =
      seconds(std::max(hardware.link.latency_ps, hardware.group_link.latency_ps) * longer);
  const auto lanes = static_cast<double>(switched ? plan.tensor : shorter);
  NetworkDimension groups;
  groups.topology = switched ? DimensionTopology::switched : DimensionTopology::line;
  groups.size = plan.data * plan.pipeline;
  groups.link_bytes_per_s = between * lanes / static_cast<double>(plan.tensor);
  groups.latency_s = latency;
  system.dimensions = {group, groups};
  view.group = {group};
  groups.size = plan.data;
  view.replicas = {groups};
  const auto most_lanes = static_cast<double>(hardware.lanes_max);
  view.stage_bytes_per_s = between * std::min(lanes, most_lanes);
  view.stage_latency_s = latency;
  return view;
}

}  // namespace waferloom::planner
