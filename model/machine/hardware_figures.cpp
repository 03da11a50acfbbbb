#include <algorithm>

#include "model/hardware.h"
#include "model/machine/hardware_json.h"

namespace waferloom {
namespace {

class Figures {
 public:
  explicit Figures(const Hardware& hardware) : hardware_(hardware) {}

  void add(const std::string& key, const Json& value) {
    const std::string source = source_of(hardware_, key);
    figures_.push_back({key, value.dump(), source.empty() ? where_from(key) : source});
  }

  template <typename Owner, std::size_t count>
  void add_all(const std::string& prefix, const Owner& owner,
               const HardwareKey<Owner> (&table)[count]) {
    for (const HardwareKey<Owner>& key : table) {
      add(prefix + std::string(key.name), number_json(owner, key));
    }
  }

  /// Those that are not null.
  template <std::size_t count>
  void add_known(const Hardware& hardware, const HardwareKey<Hardware> (&table)[count]) {
    for (const HardwareKey<Hardware>& key : table) {
      const Json value = number_json(hardware, key);
      if (!value.is_null()) add(std::string(key.name), value);
    }
  }

  std::vector<HardwareFigure> take() { return std::move(figures_); }

 private:
  /// Of a figure that has no source of its own.
  const char* where_from(const std::string& key) const {
    constexpr std::string_view kPeak = "peak_flop_per_s_per_tile.";
    const bool is_latency =
        key == "link.latency_ps" || (key == "group_link.latency_ps" &&
                                     hardware_.group_link.latency_ps == hardware_.link.latency_ps);
    if (hardware_.hop_cycles && is_latency) return "from hop_cycles";
    if (key.starts_with(kPeak) &&
        hardware_.multiply_adds_per_cycle.contains(key.substr(kPeak.size()))) {
      return "from multiply_adds_per_cycle";
    }
    return hardware_.given.contains(key) ? "given" : "default";
  }

  const Hardware& hardware_;
  std::vector<HardwareFigure> figures_;
};

/// The schema's entry of one number.
template <typename Owner>
Json number_schema(const HardwareKey<Owner>& key) {
  constexpr const char* kTypes[] = {R"("integer")", R"(["integer", "null"])", R"("number")",
                                    R"("number")"};
  Json schema;
  schema["description"] = key.meaning;
  schema["type"] = Json::parse(kTypes[key.member.index()]);
  schema["minimum"] = key.range.least;
  schema["maximum"] = key.range.most;
  static const Owner defaults{};
  schema["default"] = number_json(defaults, key);
  return schema;
}

template <typename Owner, std::size_t count>
Json object_schema(const HardwareKey<Owner> (&table)[count], Json properties = Json::object()) {
  for (const HardwareKey<Owner>& key : table) {
    properties[std::string(key.name)] = number_schema(key);
  }
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

Json whole_schema(std::int64_t least, std::int64_t most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

const Json& directions() {
  static const Json names = kDirectionNames;
  return names;
}

Json list_schema(const Json& items, std::size_t most) {
  return {{"type", "array"}, {"maxItems", most}, {"items", items}};
}

Json ports_schema() {
  Json port = object_schema(kPortKeys, {{"side", {{"enum", directions()}}}});
  port["properties"].update(object_schema(kPortRangeKeys)["properties"]);
  port["required"] = {"side", "position"};
  return list_schema(port, kMaxEdgePorts);
}

Json dead_link_schema() {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"x", "y", "direction"}},
          {"properties",
           {{"x", whole_schema(0, kMaxWaferSide - 1)},
            {"y", whole_schema(0, kMaxWaferSide - 1)},
            {"direction", {{"enum", directions()}}}}}};
}

Json dead_schema() {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"x", "y", "width", "height"}},
          {"properties",
           {{"x", {{"type", "integer"}}},
            {"y", {{"type", "integer"}}},
            {"width", whole_schema(1, kMaxCoordinate)},
            {"height", whole_schema(1, kMaxCoordinate)}}}};
}

Json by_name_schema(const Json& value) {
  return {{"type", "object"}, {"additionalProperties", value}};
}

Json backing_schema() {
  Json texts = Json::object();
  Json needed = {"rows", "median_percent", "worst_percent"};
  for (const BackingText& text : kBackingTexts) {
    texts[std::string(text.name)] = {{"type", "string"}};
    if (text.is_needed) needed.push_back(text.name);
  }
  Json row = object_schema(kBackingKeys, std::move(texts));
  row["required"] = std::move(needed);
  return list_schema(row, kMostBackings);
}

Json programs_schema() {
  const Json types = by_name_schema(object_schema(
      kTileCycleKeys, {{"like",
                        {{"description", "the program whose figures hold where none is given"},
                         {"enum", kTileProgramNames}}}}));
  Json programs = Json::object();
  for (const std::string_view name : kTileProgramNames) programs[std::string(name)] = types;
  programs[std::string(kTrainingName)] = by_name_schema(object_schema(kTrainingKeys));
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", programs}};
}

}  // namespace

std::vector<HardwareFigure> hardware_figures(const Hardware& hardware) {
  Figures figures(hardware);
  figures.add("columns", hardware.wafer.width);
  figures.add("rows", hardware.wafer.height);
  figures.add("topology", topology_name(hardware.topology));
  figures.add_all("", hardware, kHardwareKeys);
  figures.add_all("link.", hardware.link, kLinkKeys);
  figures.add_all("group_link.", hardware.group_link, kLinkKeys);
  figures.add_all("router.", hardware.router, kRouterKeys);
  figures.add("routing.lane_sides", lane_sides_name(hardware.routing.lane_sides));
  figures.add_all("routing.", hardware.routing, kRoutingKeys);
  for (const auto& [type, rate] : hardware.peak_flop_per_s_per_tile) {
    figures.add("peak_flop_per_s_per_tile." + type, rate);
  }
  for (const auto& [type, count] : hardware.multiply_adds_per_cycle) {
    figures.add("multiply_adds_per_cycle." + type, count);
  }
  figures.add_known(hardware, kFabricKeys);
  for (const auto& [type, programs] : hardware.programs) {
    for (std::size_t at = 0; at < kTilePrograms; ++at) {
      if (!programs.known[at]) continue;
      figures.add_all(program_key(static_cast<TileProgram>(at), type) + ".", programs.cycles[at],
                      kTileCycleKeys);
    }
  }
  for (const auto& [type, training] : hardware.training) {
    figures.add_all("programs." + std::string(kTrainingName) + "." + type + ".", training,
                    kTrainingKeys);
  }
  figures.add("host_ports", hardware.host_ports.size());
  figures.add("host_port_choice", choice_name(hardware.host_port_choice));
  figures.add("dram_ports", hardware.dram_ports.size());
  figures.add("dram_port_choice", choice_name(hardware.dram_port_choice));
  figures.add("edge_io", edge_io_name(hardware.edge_io));
  figures.add("dead", hardware.wafer.dead.size());
  figures.add("dead_links", hardware.dead_links.size());
  return figures.take();
}

std::string hardware_schema() {
  const Json choice = {{"enum", {"nearest", "all"}}, {"default", "nearest"}};
  const Json sides = {{"enum", {"facing", "any"}}, {"default", "facing"}};
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "waferloom/hardware/1"}};
  Json properties = {{"schema", {{"const", "waferloom/hardware/1"}}},
                     {"name", {{"type", "string"}}},
                     {"columns", whole_schema(1, kMaxWaferSide)},
                     {"rows", whole_schema(1, kMaxWaferSide)},
                     {"topology", {{"enum", {"mesh", "switched"}}, {"default", "mesh"}}},
                     {"link", object_schema(kLinkKeys)},
                     {"group_link", object_schema(kLinkKeys)},
                     {"router", object_schema(kRouterKeys)},
                     {"routing", object_schema(kRoutingKeys, {{"lane_sides", sides}})},
                     {"peak_flop_per_s_per_tile", by_name_schema(whole_schema(1, kMaxRate))},
                     {"multiply_adds_per_cycle", by_name_schema(whole_schema(1, 1'000'000))},
                     {"programs", programs_schema()},
                     {"backing", backing_schema()},
                     {"host_ports", ports_schema()},
                     {"host_port_choice", choice},
                     {"host_port_of", by_name_schema(whole_schema(0, kMaxEdgePorts - 1))},
                     {"dram_ports", ports_schema()},
                     {"dram_port_choice", choice},
                     {"edge_io", {{"enum", {"host", "dram"}}, {"default", "host"}}},
                     {"dead", list_schema(dead_schema(), kMaxDeadRectangles)},
                     {"dead_links", list_schema(dead_link_schema(), kMaxDeadLinks)},
                     {"sources", by_name_schema({{"type", "string"}})}};
  properties = object_schema(kFabricKeys, std::move(properties))["properties"];
  schema.update(object_schema(kHardwareKeys, std::move(properties)));
  schema["required"] = {"columns", "rows"};
  return schema.dump(2) + "\n";
}

}  // namespace waferloom
