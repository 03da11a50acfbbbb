#include "model/hardware.h"
#include "model/machine/hardware_json.h"

namespace waferloom {
namespace {

/// Ports that one entry of a file stands for.
struct PortRun {
  EdgePort first;
  PortRange range;
};

/// Whether a port is as another but for its place.
bool is_alike(EdgePort port, const EdgePort& other) {
  port.position = other.position;
  return port == other;
}

/// Cuts a list of ports into runs, which stand for the same ports in the same order.
std::vector<PortRun> port_runs(const std::vector<EdgePort>& ports) {
  std::vector<PortRun> runs;
  for (const EdgePort& port : ports) {
    if (!runs.empty() && is_alike(port, runs.back().first)) {
      PortRange& range = runs.back().range;
      const std::int64_t step = port.position - range.last;
      const bool is_second = range.last == runs.back().first.position;
      if (is_second && step > 0) range.every = step;
      if (step > 0 && step == range.every) {
        range.last = port.position;
        continue;
      }
    }
    runs.push_back({port, {port.position, 1}});
  }
  return runs;
}

template <typename Owner, std::size_t count>
void add_numbers(Json& json, const Owner& owner, const HardwareKey<Owner> (&table)[count]) {
  for (const HardwareKey<Owner>& key : table) {
    json[std::string(key.name)] = number_json(owner, key);
  }
}

template <typename Owner, std::size_t count>
Json numbers_json(const Owner& owner, const HardwareKey<Owner> (&table)[count]) {
  Json json = Json::object();
  add_numbers(json, owner, table);
  return json;
}

const char* direction_name(Direction direction) {
  return kDirectionNames.at(static_cast<std::size_t>(direction));
}

Json ports_json(const std::vector<EdgePort>& ports) {
  Json list = Json::array();
  for (const PortRun& run : port_runs(ports)) {
    Json json{{"side", direction_name(run.first.side)}, {"position", run.first.position}};
    add_numbers(json, run.range, kPortRangeKeys);
    add_numbers(json, run.first, kPortKeys);
    list.push_back(std::move(json));
  }
  return list;
}

Json dead_json(const std::vector<Rectangle>& dead) {
  Json list = Json::array();
  for (const Rectangle& tiles : dead) {
    list.push_back(
        {{"x", tiles.x}, {"y", tiles.y}, {"width", tiles.width}, {"height", tiles.height}});
  }
  return list;
}

Json dead_links_json(const std::vector<DeadLink>& links) {
  Json list = Json::array();
  for (const DeadLink& link : links) {
    list.push_back({{"x", link.x}, {"y", link.y}, {"direction", direction_name(link.direction)}});
  }
  return list;
}

Json sources_json(const std::vector<FigureSource>& sources) {
  Json json = Json::object();
  for (const FigureSource& source : sources) json[source.key] = source.text;
  return json;
}

/// What the file gave in cycles stays so; what follows from it is left out.
void add_cycles(Json& file, const Hardware& hardware) {
  for (const HardwareKey<Hardware>& key : kFabricKeys) {
    file[std::string(key.name)] = number_json(hardware, key);
  }
  if (hardware.hop_cycles) file["link"].erase("latency_ps");
  Json peaks = Json::object();
  for (const auto& [type, rate] : hardware.peak_flop_per_s_per_tile) {
    if (!hardware.multiply_adds_per_cycle.contains(type)) peaks[type] = rate;
  }
  file["peak_flop_per_s_per_tile"] = std::move(peaks);
  file["multiply_adds_per_cycle"] = Json(hardware.multiply_adds_per_cycle);
  file["programs"] = Json::object();
  for (const auto& [type, programs] : hardware.programs) {
    for (std::size_t at = 0; at < kTilePrograms; ++at) {
      if (!programs.known[at]) continue;
      file["programs"][std::string(kTileProgramNames[at])][type] =
          numbers_json(programs.cycles[at], kTileCycleKeys);
    }
  }
  for (const auto& [type, figures] : hardware.training) {
    file["programs"][std::string(kTrainingName)][type] = numbers_json(figures, kTrainingKeys);
  }
  file["backing"] = Json::array();
  for (const MeasuredBacking& backing : hardware.backing) {
    Json row = Json::object();
    for (const BackingText& text : kBackingTexts)
      row[std::string(text.name)] = backing.*text.member;
    row.update(numbers_json(backing, kBackingKeys));
    file["backing"].push_back(std::move(row));
  }
}

}  // namespace

std::string hardware_text(const Hardware& hardware) {
  Json file{{"schema", "waferloom/hardware/1"},
            {"name", hardware.name},
            {"columns", hardware.wafer.width},
            {"rows", hardware.wafer.height},
            {"topology", topology_name(hardware.topology)}};
  add_numbers(file, hardware, kHardwareKeys);
  file["link"] = numbers_json(hardware.link, kLinkKeys);
  file["group_link"] = numbers_json(hardware.group_link, kLinkKeys);
  file["router"] = numbers_json(hardware.router, kRouterKeys);
  file["routing"] = Json{{"lane_sides", lane_sides_name(hardware.routing.lane_sides)}};
  add_numbers(file["routing"], hardware.routing, kRoutingKeys);
  add_cycles(file, hardware);
  file["host_ports"] = ports_json(hardware.host_ports);
  file["host_port_choice"] = choice_name(hardware.host_port_choice);
  file["host_port_of"] = Json(hardware.host_port_of);
  file["dram_ports"] = ports_json(hardware.dram_ports);
  file["dram_port_choice"] = choice_name(hardware.dram_port_choice);
  file["edge_io"] = edge_io_name(hardware.edge_io);
  file["dead"] = dead_json(hardware.wafer.dead);
  file["dead_links"] = dead_links_json(hardware.dead_links);
  file["sources"] = sources_json(hardware.sources);
  if (hardware.topology == Topology::switched) {
    for (const std::string_view key : kMeshKeys) file.erase(std::string(key));
  }
  return json_text(file);
}

}  // namespace waferloom
