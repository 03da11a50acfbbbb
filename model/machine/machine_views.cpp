#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "model/errors.h"
#include "model/machine/hardware_rows.h"
#include "model/machine/machine_file.h"
#include "model/mesh.h"

// What models see of a machine: its chips of a fabric, its fabric of chips.

namespace waferloom {
namespace {

constexpr double kNoLimit = 1e24;
constexpr double kPicosecond = 1e-12;
constexpr double kPercentOfOne = 100.0 * static_cast<double>(Decimal6::kOne);

template <typename Number>
double real_of(const std::optional<Number>& number, double otherwise) {
  return number ? static_cast<double>(*number) : otherwise;
}

/// The nearest whole number that a hardware file may have.
std::int64_t whole_of(double value) {
  return std::llround(std::min(value, static_cast<double>(kMaxRate)));
}
/// A rate beyond what a hardware file may have is no limit.
Rate rate_of(double value) {
  if (value > static_cast<double>(kMaxRate)) return std::nullopt;
  return whole_of(value);
}

/// Of a step through a switch: a hop to it and a hop from it.
double step_seconds(const LinkClass& link) {
  return 2 * static_cast<double>(link.latency_ps) * kPicosecond;
}
std::int64_t hop_picoseconds(const NetworkDimension& dimension, Topology topology) {
  const int hops = topology == Topology::switched ? 2 : 1;
  return whole_of(dimension.latency_s / kPicosecond / hops);
}
LinkClass link_of(const NetworkDimension& dimension, Topology topology) {
  return {rate_of(dimension.link_bytes_per_s), hop_picoseconds(dimension, topology)};
}

/// The memory behind ports, if it has room that is told.
std::optional<MemoryLevel> memory_behind(const std::vector<EdgePort>& ports,
                                         const PortTotals& totals, bool needs_room) {
  if (totals.count == totals.lost || (needs_room && !totals.capacity_bytes)) return std::nullopt;
  MemoryLevel memory{.name = "edge memory"};
  memory.bytes = real_of(totals.capacity_bytes, kNoLimit);
  memory.bytes_per_s = real_of(totals.bytes_per_s, kNoLimit);
  for (const EdgePort& port : ports) {
    memory.latency_s =
        std::max(memory.latency_s, static_cast<double>(port.response_ps) * kPicosecond);
  }
  return memory;
}

std::optional<MemoryLevel> memory_of_fabric(const Hardware& fabric, const HardwareTotals& totals,
                                            double chips) {
  if (fabric.dram_bytes_per_tile) {
    return MemoryLevel{.name = "tile memory",
                       .bytes = real_of(totals.dram_bytes, 0) / chips,
                       .bytes_per_s = totals.dram_bytes_per_s
                                          ? real_of(totals.dram_bytes_per_s, 0) / chips
                                          : kNoLimit};
  }
  const auto dram = memory_behind(fabric.dram_ports, totals.dram_ports, false);
  return dram ? dram : memory_behind(fabric.host_ports, totals.host_ports, true);
}

NetworkDimension behind_switch(std::int64_t size, const LinkClass& link) {
  return {.topology = DimensionTopology::switched,
          .size = size,
          .link_bytes_per_s = real_of(link.bytes_per_s, kNoLimit),
          .latency_s = step_seconds(link)};
}

/// Data types of so many bits, the one that a peak without a type is of first.
const std::vector<std::string>& types_of_bits(std::int64_t bits) {
  static const std::map<std::int64_t, std::vector<std::string>> types{{4, {"fp4", "int4"}},
                                                                      {8, {"fp8", "int8"}},
                                                                      {16, {"fp16", "bf16"}},
                                                                      {32, {"fp32", "tf32"}},
                                                                      {64, {"fp64"}}};
  static const std::vector<std::string> none;
  const auto found = types.find(bits);
  return found == types.end() ? none : found->second;
}

const NetworkDimension* dimension_at(const System& chips, std::size_t at) {
  return at < chips.dimensions.size() ? &chips.dimensions[at] : nullptr;
}

template <std::size_t kAt>
bool has_dimension(const System& chips) {
  return dimension_at(chips, kAt) != nullptr;
}

/// The topologies that a fabric may have for the chips along a dimension: two are neighbours
/// whatever joins them, three that are all connected are a ring.
std::vector<Topology> topologies_of(const NetworkDimension& dimension) {
  if (dimension.size == 1) return {Topology::switched, Topology::mesh, Topology::torus};
  if (dimension.topology == DimensionTopology::switched) return {Topology::switched};
  if (dimension.size == 2) return {Topology::mesh, Topology::torus};
  if (dimension.topology == DimensionTopology::line) return {Topology::mesh};
  return dimension.is_simulated() ? std::vector{Topology::torus} : std::vector<Topology>{};
}

/// One that all dimensions have.
std::optional<Topology> common_topology(const System& chips) {
  for (const Topology topology : {Topology::switched, Topology::mesh, Topology::torus}) {
    const auto has_it = [&](const NetworkDimension& dimension) {
      const std::vector<Topology> of = topologies_of(dimension);
      return std::find(of.begin(), of.end(), topology) != of.end();
    };
    if (std::all_of(chips.dimensions.begin(), chips.dimensions.end(), has_it)) return topology;
  }
  return std::nullopt;
}

bool is_switched(const System& chips) { return fabric_topology(chips) == Topology::switched; }
bool has_columns(const System& chips) { return !is_switched(chips) && has_dimension<1>(chips); }

/// A figure of a fabric that the chips say.
struct ChipFigure {
  std::string_view key;   ///< of a hardware file
  std::string_view from;  ///< key of a machine's file
  bool (*is_known)(const System&);
  void (*set)(const System&, Hardware&);
  bool (*is_of_topology)(const System&) = [](const System&) { return true; };
};

bool always(const System& /*chips*/) { return true; }
bool has_memory(const System& chips) { return !chips.memories.empty(); }

constexpr ChipFigure kChipFigures[] = {
    {"topology", "dimensions", always,
     [](const System& chips, Hardware& fabric) { fabric.topology = fabric_topology(chips); }},
    {"columns", "dimensions.0.size", always, [](const System&, Hardware&) {}},
    {"rows", "dimensions.1.size", always, [](const System&, Hardware&) {}},
    {"clock_hz", "chip.clock_hz", [](const System& chips) { return chips.chip.clock_hz >= 1; },
     [](const System& chips, Hardware& fabric) {
       fabric.clock_hz = whole_of(chips.chip.clock_hz);
     }},
    {"link.bytes_per_s", "dimensions.0.link_bytes_per_s", has_dimension<0>,
     [](const System& chips, Hardware& fabric) {
       fabric.link.bytes_per_s = rate_of(chips.dimensions[0].link_bytes_per_s);
     }},
    {"link.latency_ps", "dimensions.0.latency_s", has_dimension<0>,
     [](const System& chips, Hardware& fabric) {
       fabric.link.latency_ps = hop_picoseconds(chips.dimensions[0], fabric.topology);
     }},
    {"group_link.bytes_per_s", "dimensions.1.link_bytes_per_s", has_dimension<1>,
     [](const System& chips, Hardware& fabric) {
       fabric.group_link.bytes_per_s = rate_of(chips.dimensions[1].link_bytes_per_s);
     },
     is_switched},
    {"group_link.latency_ps", "dimensions.1.latency_s", has_dimension<1>,
     [](const System& chips, Hardware& fabric) {
       fabric.group_link.latency_ps = hop_picoseconds(chips.dimensions[1], fabric.topology);
     },
     is_switched},
    {"column_link.bytes_per_s", "dimensions.1.link_bytes_per_s", has_dimension<1>,
     [](const System& chips, Hardware& fabric) {
       fabric.column_link = link_of(chips.dimensions[1], fabric.topology);
     },
     has_columns},
    {"column_link.latency_ps", "dimensions.1.latency_s", has_dimension<1>,
     [](const System&, Hardware&) {},  // with its rate
     has_columns},
    {"sram_bytes_per_tile", "chip.sram_bytes",
     [](const System& chips) { return chips.chip.sram_bytes >= 1; },
     [](const System& chips, Hardware& fabric) {
       fabric.sram_bytes_per_tile = whole_of(chips.chip.sram_bytes);
     }},
    {"dram_bytes_per_tile", "memories.0.bytes",
     [](const System& chips) { return has_memory(chips) && chips.memories[0].bytes >= 1; },
     [](const System& chips, Hardware& fabric) {
       fabric.dram_bytes_per_tile = whole_of(chips.memories[0].bytes);
     }},
    {"dram_bytes_per_s_per_tile", "memories.0.bytes_per_s", has_memory,
     [](const System& chips, Hardware& fabric) {
       fabric.dram_bytes_per_s_per_tile = rate_of(chips.memories[0].bytes_per_s);
     }},
    {"achievable_percent", "chip.efficiency.limit",
     [](const System& chips) { return chips.chip.efficiency.limit < 1; },
     [](const System& chips, Hardware& fabric) {
       fabric.achievable_percent.millionths = whole_of(chips.chip.efficiency.limit * kPercentOfOne);
     }},
    {"element_memory_percent", "chip.efficiency.memory",
     [](const System& chips) { return chips.chip.efficiency.memory > 0; },
     [](const System& chips, Hardware& fabric) {
       fabric.element_memory_percent.millionths =
           whole_of(chips.chip.efficiency.memory * kPercentOfOne);
     }},
    {"achievable_percent_by_type", "chip.efficiency_by_type",
     [](const System& chips) { return !chips.chip.efficiency_by_type.empty(); },
     [](const System& chips, Hardware& fabric) {
       for (const auto& [type, reached] : chips.chip.efficiency_by_type) {
         fabric.achievable_percent_by_type[type].millionths =
             whole_of(reached.limit * kPercentOfOne);
       }
     }},
    {"price_usd", "chip.price_usd", [](const System& chips) { return chips.price_usd() >= 1; },
     [](const System& chips, Hardware& fabric) { fabric.price_usd = whole_of(chips.price_usd()); }},
    {"power_w", "chip.power_w", [](const System& chips) { return chips.power_w() >= 1; },
     [](const System& chips, Hardware& fabric) { fabric.power_w = whole_of(chips.power_w()); }},
};

/// The source of a key, or of what it is a part of.
std::string source_of_key(const System& chips, std::string_view key) {
  while (!key.empty()) {
    const auto found = chips.sources.find(std::string(key));
    if (found != chips.sources.end()) return found->second;
    const std::size_t dot = key.rfind('.');
    key = key.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return {};
}

void add_source(Hardware& fabric, const System& chips, const std::string& key,
                std::string_view from) {
  std::string source = source_of_key(chips, from);
  if (!source.empty() && source_of(fabric, key).empty()) {
    fabric.sources.push_back({key, std::move(source)});
  }
}

/// Of a map's keys those alone that are there are figures.
bool has_figure(const Hardware& fabric, const std::string& key) {
  const std::vector<HardwareFigure> all = hardware_figures(fabric);
  return std::any_of(all.begin(), all.end(),
                     [&](const HardwareFigure& figure) { return figure.key == key; });
}

void add_figure(Hardware& fabric, const System& chips, const std::string& key,
                std::string_view from) {
  fabric.given.insert(key);
  add_source(fabric, chips, key, from);
}

}  // namespace

std::string why_no_fabric(const System& chips) {
  if (chips.dimensions.size() > 2) {
    return fmt::format("its chips are joined along {} dimensions", chips.dimensions.size());
  }
  for (const NetworkDimension& dimension : chips.dimensions) {
    if (dimension.size > kMaxWaferSide) {
      return fmt::format("{} of its chips are side by side, where {} are the most", dimension.size,
                         kMaxWaferSide);
    }
  }
  if (chips.chips() > kMaxSwitchedTiles) {
    return fmt::format("it has {} chips, where {} are the most", chips.chips(), kMaxSwitchedTiles);
  }
  for (const NetworkDimension& dimension : chips.dimensions) {
    if (dimension.is_simulated()) continue;
    return fmt::format("{} of its chips are joined as {}", dimension.size,
                       dimension_topology_name(dimension.topology));
  }
  if (common_topology(chips)) return {};
  return fmt::format("its chips are joined as {} along one dimension and as {} along the other",
                     dimension_topology_name(chips.dimensions[0].topology),
                     dimension_topology_name(chips.dimensions[1].topology));
}

Topology fabric_topology(const System& chips) {
  const std::optional<Topology> common = common_topology(chips);
  if (!common) throw std::logic_error(chips.name + " has no fabric");
  return *common;
}

std::pair<std::int64_t, std::int64_t> fabric_sides(const System& chips) {
  const NetworkDimension* inner = dimension_at(chips, 0);
  const NetworkDimension* outer = dimension_at(chips, 1);
  return {inner == nullptr ? 1 : inner->size, outer == nullptr ? 1 : outer->size};
}

std::vector<std::string_view> fabric_keys_of_chips() {
  std::vector<std::string_view> keys;
  for (const ChipFigure& figure : kChipFigures) keys.push_back(figure.key);
  keys.push_back("peak_flop_per_s_per_tile");
  return keys;
}

void set_fabric_figures(const System& chips, Hardware& fabric) {
  for (const ChipFigure& figure : kChipFigures) {
    const std::string key(figure.key);
    if (!figure.is_of_topology(chips)) continue;
    if (!figure.is_known(chips)) {
      if (has_figure(fabric, key)) add_source(fabric, chips, key, figure.from);
      continue;
    }
    figure.set(chips, fabric);
    add_figure(fabric, chips, key, figure.from);
  }
  const bool has_nodes = fabric.topology == Topology::switched;
  if (!has_nodes || chips.dimensions.size() < 2) fabric.group_link = fabric.link;
  const Chip& chip = chips.chip;
  fabric.peak_flop_per_s_per_tile = chip.peak_flop_per_s;
  if (chip.peak_flop_per_s.empty()) {
    for (const std::string& type : types_of_bits(chip.matrix_bits)) {
      fabric.peak_flop_per_s_per_tile[type] = whole_of(chip.flop_per_s);
    }
  }
  for (const auto& [type, rate] : fabric.peak_flop_per_s_per_tile) {
    add_figure(fabric, chips, "peak_flop_per_s_per_tile." + type,
               chip.peak_flop_per_s.empty() ? "chip.flop_per_s" : "chip.peak_flop_per_s." + type);
  }
  if (has_nodes) {
    fabric.group_columns = fabric.wafer.width;
    fabric.group_rows = 1;
  }
  if (!fabric.host_ports.empty()) return;
  // Where no file says how a node reaches its host: as its chips together do. Without nodes each
  // chip has a link to a host. One whose rate is not known takes no time.
  const bool is_known = chips.host.link_bytes_per_s >= 1;
  const std::int64_t of_row = has_nodes ? 1 : fabric.wafer.width;
  const std::int64_t chips_of_port = fabric.wafer.width / of_row;
  for (std::int64_t row = 0; row < fabric.wafer.height; ++row) {
    for (std::int64_t inset = 0; inset < of_row; ++inset) {
      EdgePort port;
      port.position = row;
      port.inset = inset;
      if (is_known) {
        port.bytes_per_s =
            rate_of(chips.host.link_bytes_per_s * static_cast<double>(chips_of_port));
      }
      fabric.host_ports.push_back(port);
    }
  }
  if (is_known) {
    add_figure(fabric, chips, "host_ports", "host.link_bytes_per_s");
  } else if (source_of(fabric, "host_ports").empty()) {
    fabric.sources.push_back({"host_ports", "the file has no rate of hosts: they take no time"});
  }
}

double peak_of_bits(const Chip& chip) {
  const auto found = chip.peak_flop_per_s.find(chip.type());
  return found == chip.peak_flop_per_s.end() ? 0 : static_cast<double>(found->second);
}

std::string Chip::type() const {
  const std::vector<std::string>& types = types_of_bits(matrix_bits);
  const auto found = std::find_if(types.begin(), types.end(), [&](const std::string& type) {
    return peak_flop_per_s.empty() || peak_flop_per_s.contains(type);
  });
  return found == types.end() ? std::string() : *found;
}

const Efficiency& Chip::reached() const {
  if (efficiency_by_type.empty()) return efficiency;  // asked for each of millions of plans
  const auto found = efficiency_by_type.find(type());
  return found == efficiency_by_type.end() ? efficiency : found->second;
}

System chips_of_fabric(const Hardware& fabric) {
  System system;
  system.name = fabric.name;
  Chip& chip = system.chip;
  const HardwareTotals totals = hardware_totals(fabric);
  const bool switched = fabric.topology == Topology::switched;
  const auto tiles = static_cast<double>(std::max<std::int64_t>(totals.tiles, 1));
  const double chips = switched ? tiles : 1;
  chip.matrix_bits = chip.element_bits = 8 * fabric.element_bytes;
  for (const auto& [type, rate] : totals.peak_flop_per_s) {
    chip.peak_flop_per_s[type] = static_cast<std::int64_t>(rate / static_cast<Int128>(chips));
  }
  chip.flop_per_s = peak_of_bits(chip);
  std::string counted = chip.type();
  if (chip.flop_per_s == 0) {
    for (const auto& [other, rate] : chip.peak_flop_per_s) {
      if (static_cast<double>(rate) <= chip.flop_per_s) continue;
      chip.flop_per_s = static_cast<double>(rate);
      counted = other;
    }
  }
  chip.sram_bytes = real_of(totals.sram_bytes, 0) / chips;
  chip.clock_hz = static_cast<double>(fabric.clock_hz);
  // Without a peak of so many bits the models go by the fastest type, and by what that reaches.
  chip.efficiency = efficiency_of(fabric, chip.type().empty() ? counted : std::string());
  for (const auto& [type, percent] : fabric.achievable_percent_by_type) {
    chip.efficiency_by_type[type] = efficiency_of(fabric, type);
  }
  chip.price_usd = real_of(fabric.price_usd, 0) / chips;
  chip.power_w = real_of(fabric.power_w, 0) / chips;
  if (!switched) {
    constexpr double kWordBytes = 4;
    chip.cores = totals.tiles;
    chip.sram_bytes_per_s = real_of(fabric.sram_read_words_per_cycle, 0) * kWordBytes * tiles *
                            static_cast<double>(fabric.clock_hz);
  }
  if (auto memory = memory_of_fabric(fabric, totals, chips)) {
    system.memories.push_back(std::move(*memory));
  }
  system.level_of.fill(system.memories.empty() ? kSramLevel : kSramLevel + 1);
  if (totals.host_ports.bytes_per_s) {
    system.host.link_bytes_per_s = real_of(totals.host_ports.bytes_per_s, 0) / chips;
  }
  if (switched) {
    system.dimensions = {behind_switch(fabric.wafer.width, fabric.link),
                         behind_switch(fabric.wafer.height, fabric.group_link)};
  }
  for (const FigureSource& source : fabric.sources) {
    system.sources["fabric." + source.key] = source.text;
  }
  return system;
}

Efficiency efficiency_of(const Hardware& hardware, const std::string& data_type) {
  Efficiency efficiency;
  const auto own = hardware.achievable_percent_by_type.find(data_type);
  const Decimal6 percent =
      own == hardware.achievable_percent_by_type.end() ? hardware.achievable_percent : own->second;
  efficiency.limit = static_cast<double>(percent.millionths) / kPercentOfOne;
  // Memory behind the edge is nobody's own: what waits for it is priced as streams.
  if (hardware.dram_bytes_per_s_per_tile) {
    efficiency.memory =
        static_cast<double>(hardware.element_memory_percent.millionths) / kPercentOfOne;
  }
  return efficiency;
}

double element_bytes_per_s(const System& system) {
  return system.memories.front().bytes_per_s * system.chip.reached().of_memory_rate();
}

double flop_per_byte(const System& system, double samples) {
  const Efficiency& reached = system.chip.reached();
  if (reached.memory == 0 || system.memories.empty()) return 0;
  return system.chip.flop_per_s * reached.at(samples) / element_bytes_per_s(system);
}

double flop_per_byte(const Hardware& hardware, const std::string& data_type) {
  const Efficiency reached = efficiency_of(hardware, data_type);
  if (reached.memory == 0) return 0;
  return static_cast<double>(hardware.peak_flop_per_s_per_tile.at(data_type)) * reached.limit /
         (static_cast<double>(*hardware.dram_bytes_per_s_per_tile) * reached.memory);
}

std::vector<Balance> machine_balance(const Machine& machine) {
  const System& chips = machine.chips;
  std::vector<Balance> balance;
  const auto add = [&](std::string from, double bytes_per_s) {
    if (bytes_per_s <= 0 || bytes_per_s >= kNoLimit) return;
    balance.push_back({std::move(from), bytes_per_s / chips.chip.flop_per_s});
  };
  if (chips.chip.flop_per_s <= 0) return balance;
  add("sram", chips.chip.sram_bytes_per_s);
  for (const MemoryLevel& memory : chips.memories) add(memory.name, memory.bytes_per_s);
  add("host", chips.host.link_bytes_per_s);
  for (std::size_t i = 0; i < chips.dimensions.size(); ++i) {
    const NetworkDimension& dimension = chips.dimensions[i];
    if (dimension.size > 1) add(fmt::format("dimension {}", i), dimension.link_bytes_per_s);
  }
  if (machine.fabric)
    add("bisection", real_of(hardware_totals(*machine.fabric).bisection_bytes_per_s, 0));
  return balance;
}

std::vector<InstructionPeak> instruction_peaks(const Machine& machine) {
  std::vector<InstructionPeak> peaks;
  const Chip& chip = machine.chips.chip;
  if (chip.element_flop_per_s > 0 && chip.element_flop_per_s != chip.flop_per_s) {
    const std::vector<std::string>& types = types_of_bits(chip.element_bits);
    peaks.push_back({"element-wise", types.empty() ? "" : types.front(), chip.element_flop_per_s});
  }
  if (!machine.fabric) return peaks;
  const Hardware& fabric = *machine.fabric;
  for (const auto& [type, programs] : fabric.programs) {
    const auto most = fabric.multiply_adds_per_cycle.find(type);
    const double lanes =
        most == fabric.multiply_adds_per_cycle.end() ? 1.0 : static_cast<double>(most->second);
    for (std::size_t at = 0; at < kTilePrograms; ++at) {
      const TileCycles& cycles = programs.cycles[at];
      const double each = (cycles.lanes > 0 ? cycles.lanes : lanes) / cycles.issue;
      if (!programs.known[at] || each == lanes) continue;
      peaks.push_back({"products of " + std::string(kTileProgramNames[at]), type,
                       2 * each * static_cast<double>(fabric.clock_hz)});
    }
  }
  return peaks;
}

const Hardware& fabric_of(const Machine& machine) {
  if (machine.fabric) return *machine.fabric;
  throw RequestError(machine.name + ": " + machine.why_no_fabric +
                     ", and simulations take a mesh or torus of tiles, or chips along one or two "
                     "dimensions of switches, of rings or of lines");
}

const System& chips_of(const Machine& machine) {
  if (machine.chips.chip.flop_per_s > 0) return machine.chips;
  throw RequestError(machine.name + ": there is no peak rate, which models of chips need");
}

}  // namespace waferloom
