#include <algorithm>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/machine/hardware_keys.h"
#include "model/machine/json_rectangle.h"
#include "model/mesh.h"
#include "model/text.h"

namespace waferloom {
namespace {

/// Of a tile in a cycle. With the highest clock the peak rate stays below 2^63.
constexpr std::int64_t kMostMultiplyAdds = 1'000'000;

class HardwareReader {
 public:
  explicit HardwareReader(const std::string& source) : reader_(source, "hardware") {}

  Hardware read(const JsonValue& file) {
    std::vector<std::string_view> beside{"schema",
                                         "name",
                                         "columns",
                                         "rows",
                                         "topology",
                                         "link",
                                         "group_link",
                                         "router",
                                         "routing",
                                         "peak_flop_per_s_per_tile",
                                         "host_ports",
                                         "dram_ports",
                                         "host_port_choice",
                                         "dram_port_choice",
                                         "edge_io",
                                         "host_port_of",
                                         "dead",
                                         "dead_links",
                                         "sources",
                                         "multiply_adds_per_cycle",
                                         "programs",
                                         "tile_cycles",
                                         "backing"};
    for (const HardwareKey<Hardware>& key : kFabricKeys) beside.push_back(key.name);
    reader_.expect_keys(file, "hardware as an object with columns and rows",
                        with_names(kHardwareKeys, beside));
    read_table(file, hardware_, kHardwareKeys);
    read_table(file, hardware_, kFabricKeys);
    reader_.check_schema(file, "waferloom/hardware/1");
    read_mesh(file);
    if (const JsonValue* name = JsonReader::find(file, "name")) {
      hardware_.name = reader_.string(*name, "name");
    }
    if (const JsonValue* link = JsonReader::find(file, "link")) {
      read_numbers(*link, hardware_.link, kLinkKeys, {}, "link as an object");
    }
    read_cycles(file);
    hardware_.group_link = hardware_.link;
    if (const JsonValue* link = JsonReader::find(file, "group_link")) {
      read_numbers(*link, hardware_.group_link, kLinkKeys, {}, "group_link as an object");
    }
    if (const JsonValue* router = JsonReader::find(file, "router")) {
      read_numbers(*router, hardware_.router, kRouterKeys, {}, "router as an object");
    }
    if (const JsonValue* routing = JsonReader::find(file, "routing")) {
      read_numbers(*routing, hardware_.routing, kRoutingKeys, {"lane_sides"},
                   "routing as an object");
      const bool any = read_word(*routing, "lane_sides", "facing", "any");
      hardware_.routing.lane_sides = any ? LaneSides::any : LaneSides::facing;
    }
    hardware_.host_ports = read_ports(file, "host_ports");
    hardware_.dram_ports = read_ports(file, "dram_ports");
    hardware_.host_port_choice = read_choice(file, "host_port_choice");
    hardware_.dram_port_choice = read_choice(file, "dram_port_choice");
    if (read_word(file, "topology", "mesh", "switched")) join_by_switches(file);
    hardware_.edge_io = read_word(file, "edge_io", "host", "dram") ? EdgeIo::dram : EdgeIo::host;
    read_port_names(file);
    note_given(file);
    read_sources(file);
    return std::move(hardware_);
  }

 private:
  /// Demands an object with the keys of a table, or those beside it, and reads the former.
  template <typename Owner, std::size_t count>
  void read_numbers(const JsonValue& object, Owner& owner, const HardwareKey<Owner> (&table)[count],
                    std::vector<std::string_view> beside, const std::string& what) const {
    reader_.expect_keys(object, what, with_names(table, std::move(beside)));
    read_table(object, owner, table);
  }

  template <typename Owner, std::size_t count>
  static std::vector<std::string_view> with_names(const HardwareKey<Owner> (&table)[count],
                                                  std::vector<std::string_view> names) {
    for (const HardwareKey<Owner>& key : table) names.push_back(key.name);
    return names;
  }

  template <typename Owner, std::size_t count>
  void read_table(const JsonValue& object, Owner& owner,
                  const HardwareKey<Owner> (&table)[count]) const {
    for (const HardwareKey<Owner>& key : table) {
      const JsonValue* value = JsonReader::find(object, key.name);
      if (value == nullptr) continue;
      const std::string name(key.name);
      if (const auto* plain = std::get_if<std::int64_t Owner::*>(&key.member)) {
        owner.** plain = reader_.whole(*value, name, key.range);
      } else if (const auto* decimal = std::get_if<Decimal6 Owner::*>(&key.member)) {
        owner.** decimal = read_decimal(*value, name, key.range);
      } else if (const auto* figure = std::get_if<double Owner::*>(&key.member)) {
        owner.** figure = reader_.real(
            *value, name,
            {static_cast<double>(key.range.least), static_cast<double>(key.range.most)});
      } else {
        auto& member = owner.*std::get<std::optional<std::int64_t> Owner::*>(key.member);
        member.reset();
        if (value->kind != JsonValue::Kind::null) {
          member = reader_.whole(*value, name + " as null or", key.range);
        }
      }
    }
  }

  /// Rates that a file gives in cycles; what they stand for may not be given too.
  void read_cycles(const JsonValue& file) {
    read_by_name(file, "peak_flop_per_s_per_tile", kRateRange, hardware_.peak_flop_per_s_per_tile);
    read_programs(file);
    read_backing(file);
    if (hardware_.hop_cycles) {
      const JsonValue* link = JsonReader::find(file, "link");
      const JsonValue* latency = link == nullptr ? nullptr : JsonReader::find(*link, "latency_ps");
      if (latency != nullptr) {
        reader_.fail(latency->position,
                     "latency_ps of links is given by hop_cycles, too; one of both suffices");
      }
      hardware_.link.latency_ps = picoseconds(*hardware_.hop_cycles);
    }
    read_by_name(file, "multiply_adds_per_cycle", {1, kMostMultiplyAdds},
                 hardware_.multiply_adds_per_cycle);
    for (const auto& [type, count] : hardware_.multiply_adds_per_cycle) {
      const auto [at, is_new] =
          hardware_.peak_flop_per_s_per_tile.emplace(type, 2 * count * hardware_.clock_hz);
      if (is_new) continue;
      const JsonValue& peaks = *JsonReader::find(file, "peak_flop_per_s_per_tile");
      reader_.fail(JsonReader::find(peaks, type)->position,
                   "the peak rate of " + type +
                       " is given by multiply_adds_per_cycle, too; one of both suffices");
    }
    check_issues(file);
  }

  /// What programs take for their steps. `tile_cycles` is what a file had of one program alone.
  void read_programs(const JsonValue& file) {
    const JsonValue* single = JsonReader::find(file, "tile_cycles");
    const JsonValue* programs = JsonReader::find(file, "programs");
    if (single != nullptr && programs != nullptr) {
      reader_.fail(single->position, "tile_cycles are the figures of programs." +
                                         std::string(kTileProgramNames.front()) +
                                         "; one of both suffices");
    }
    if (single != nullptr) read_program(*single, 0);
    if (programs == nullptr) return;
    std::vector<std::string_view> names(kTileProgramNames.begin(), kTileProgramNames.end());
    names.push_back(kTrainingName);
    reader_.expect_keys(*programs, "programs as an object of measured programs", names);
    for (std::size_t at = 0; at < kTilePrograms; ++at) {
      const JsonValue* program = JsonReader::find(*programs, kTileProgramNames[at]);
      if (program != nullptr) read_program(*program, at);
    }
    const JsonValue* training = JsonReader::find(*programs, kTrainingName);
    if (training == nullptr) return;
    reader_.expect_object(*training, "training as an object of data types");
    for (std::size_t i = 0; i < training->keys.size(); ++i) {
      read_numbers(training->items[i], hardware_.training[training->keys[i]], kTrainingKeys, {},
                   "training of a data type as an object");
    }
  }

  /// The figures of a program by data type. Those that are not there are those of the program that
  /// it is `like`, one that comes before it.
  void read_program(const JsonValue& types, std::size_t at) {
    reader_.expect_object(types, "a program as an object of data types");
    for (std::size_t i = 0; i < types.keys.size(); ++i) {
      TilePrograms& known = hardware_.programs[types.keys[i]];
      if (const JsonValue* like = JsonReader::find(types.items[i], "like")) {
        known.cycles[at] = known.cycles[program_before(*like, at, types.keys[i])];
      }
      read_numbers(types.items[i], known.cycles[at], kTileCycleKeys, {"like"},
                   "the figures of a program as an object");
      known.known.set(at);
    }
  }

  std::size_t program_before(const JsonValue& name, std::size_t at, const std::string& type) const {
    const TilePrograms& known = hardware_.programs.at(type);
    const std::string expected = "like as an earlier program with figures of " + type;
    const std::string& text = reader_.string(name, expected);
    for (std::size_t other = 0; other < at; ++other) {
      if (kTileProgramNames[other] == text && known.known[other]) return other;
    }
    reader_.fail(name, expected);
  }

  /// No program does more multiply-adds in a cycle than the tile.
  void check_issues(const JsonValue& file) const {
    for (const auto& [type, known] : hardware_.programs) {
      const auto most = hardware_.multiply_adds_per_cycle.find(type);
      for (std::size_t at = 0; at < kTilePrograms; ++at) {
        const TileCycles& cycles = known.cycles[at];
        const double tile =
            most == hardware_.multiply_adds_per_cycle.end() ? 0 : static_cast<double>(most->second);
        const double lanes = cycles.lanes > 0 ? cycles.lanes : std::max(tile, 1.0);
        if (!known.known[at] || lanes <= cycles.issue * std::max(tile, 1.0)) continue;
        if (tile == 0 && cycles.lanes > 0) continue;
        reader_.fail(file, "issue of " + std::string(kTileProgramNames[at]) + ", " + type +
                               ": more multiply-adds a cycle than a tile does");
      }
    }
  }

  /// Of so many cycles, rounded.
  std::int64_t picoseconds(std::int64_t cycles) const {
    constexpr Int128 kSecond = 1'000'000'000'000;
    return static_cast<std::int64_t>((Int128(cycles) * kSecond + hardware_.clock_hz / 2) /
                                     hardware_.clock_hz);
  }

  Decimal6 read_decimal(const JsonValue& value, const std::string& name, NumberRange range) const {
    const Decimal6 found = reader_.decimal(value, name, decimal6(range.most));
    if (found < decimal6(range.least)) {
      reader_.fail(value, name + " of at least " + std::to_string(range.least));
    }
    return found;
  }

  void read_mesh(const JsonValue& file) {
    Wafer& wafer = hardware_.wafer;
    wafer.width = reader_.whole(reader_.at(file, "columns"), "columns", {1, kMaxWaferSide});
    wafer.height = reader_.whole(reader_.at(file, "rows"), "rows", {1, kMaxWaferSide});
    if (wafer.width * wafer.height > kMaxMeshTiles) {
      reader_.fail(reader_.at(file, "rows"),
                   "a mesh of at most " + std::to_string(kMaxMeshTiles) + " tiles");
    }
    for (const JsonValue& item : list(file, "dead", kMaxDeadRectangles)) {
      add_dead_tiles(hardware_, {json_dead_rectangle(reader_, item, wafer)});
    }
    for (const JsonValue& item : list(file, "dead_links", kMaxDeadLinks)) {
      reader_.expect_keys(item, "a dead link as an object", {"x", "y", "direction"});
      DeadLink link;
      link.x = reader_.whole(reader_.at(item, "x"), "x", {0, wafer.width - 1});
      link.y = reader_.whole(reader_.at(item, "y"), "y", {0, wafer.height - 1});
      link.direction = read_direction(reader_.at(item, "direction"), "direction");
      hardware_.dead_links.push_back(link);
    }
  }

  void join_by_switches(const JsonValue& file) {
    hardware_.topology = Topology::switched;
    hardware_.group_columns = hardware_.wafer.width;
    hardware_.group_rows = 1;
    for (const std::string_view key : kMeshKeys) {
      const JsonValue* value = JsonReader::find(file, key);
      if (value == nullptr) continue;
      reader_.fail(value->position, std::string(key) + " is of meshes, not of switched hardware");
    }
    if (hardware_.wafer.width * hardware_.wafer.height > kMaxSwitchedTiles) {
      reader_.fail(reader_.at(file, "rows"),
                   "switched hardware of at most " + std::to_string(kMaxSwitchedTiles) + " tiles");
    }
  }

  /// The elements under a key; none if it is not there.
  std::vector<JsonValue> list(const JsonValue& object, const std::string& key,
                              std::size_t most) const {
    const JsonValue* value = JsonReader::find(object, key);
    if (value == nullptr) return {};
    const auto& items = reader_.array(*value, key + " as an array");
    if (items.size() > most) {
      reader_.fail(*value, "at most " + std::to_string(most) + " items in " + key);
    }
    return items;
  }

  Direction read_direction(const JsonValue& value, const std::string& what) const {
    const std::string expected = what + " as east, west, north or south";
    const auto* at =
        std::find(kDirectionNames.begin(), kDirectionNames.end(), reader_.string(value, expected));
    if (at == kDirectionNames.end()) reader_.fail(value, expected);
    return static_cast<Direction>(at - kDirectionNames.begin());
  }

  std::vector<EdgePort> read_ports(const JsonValue& file, const std::string& key) const {
    std::vector<EdgePort> ports;
    for (const JsonValue& item : list(file, key, kMaxEdgePorts)) {
      EdgePort port;
      const std::string what = "a port as an object with side and position";
      read_numbers(item, port, kPortKeys, {"side", "last", "every"}, what);
      const JsonValue& position = reader_.at(item, "position");
      PortRange range{port.position};
      for (const HardwareKey<PortRange>& range_key : kPortRangeKeys) {
        if (const JsonValue* value = JsonReader::find(item, range_key.name)) {
          range.*std::get<std::int64_t PortRange::*>(range_key.member) =
              reader_.whole(*value, std::string(range_key.name), range_key.range);
        }
      }
      port.side = read_direction(reader_.at(item, "side"), "side");
      const bool upright = port.side == Direction::east || port.side == Direction::west;
      const std::int64_t length = upright ? hardware_.wafer.height : hardware_.wafer.width;
      const NumberRange on_side{0, length - 1};
      const std::string where = " on the " +
                                std::string(kDirectionNames[static_cast<std::size_t>(port.side)]) +
                                " side of this mesh";
      reader_.whole(position, "position" + where, on_side);
      if (const JsonValue* last = JsonReader::find(item, "last")) {
        reader_.whole(*last, "last" + where, {port.position, on_side.most});
      }
      for (; port.position <= range.last; port.position += range.every) {
        if (ports.size() == kMaxEdgePorts) {
          reader_.fail(item, "at most " + std::to_string(kMaxEdgePorts) + " ports in " + key);
        }
        ports.push_back(port);
      }
    }
    return ports;
  }

  /// Which host port an input or output has.
  void read_port_names(const JsonValue& file) {
    const JsonValue* value = JsonReader::find(file, "host_port_of");
    if (value == nullptr) return;
    const auto last_port = static_cast<std::int64_t>(hardware_.host_ports.size()) - 1;
    if (last_port < 0 && !value->items.empty()) {
      reader_.fail(value->position, "host_port_of needs host_ports, of which there are none");
    }
    read_by_name(file, "host_port_of", {0, last_port}, hardware_.host_port_of);
  }

  /// A word of two; the first where the key is not there. Answers whether it is the second.
  bool read_word(const JsonValue& file, const std::string& key, const char* first,
                 const char* second) const {
    const JsonValue* value = JsonReader::find(file, key);
    if (value == nullptr) return false;
    const std::string expected = key + " as " + first + " or " + second;
    const std::string& text = reader_.string(*value, expected);
    if (text != first && text != second) reader_.fail(*value, expected);
    return text == second;
  }

  PortChoice read_choice(const JsonValue& file, const std::string& key) const {
    return read_word(file, key, "nearest", "all") ? PortChoice::all : PortChoice::nearest;
  }

  void read_by_name(const JsonValue& file, const std::string& key, NumberRange range,
                    std::map<std::string, std::int64_t>& into) const {
    const JsonValue* value = JsonReader::find(file, key);
    if (value == nullptr) return;
    reader_.expect_object(*value, key + " as an object");
    for (std::size_t i = 0; i < value->keys.size(); ++i) {
      into[value->keys[i]] = reader_.whole(value->items[i], key, range);
    }
  }

  /// A figure "link.latency_ps" is latency_ps in the object link.
  void note_given(const JsonValue& file) {
    for (const HardwareFigure& figure : hardware_figures(hardware_)) {
      if (is_there(file, figure.key) || is_there(file, old_name(figure.key))) {
        hardware_.given.insert(figure.key);
      }
    }
  }

  /// What a figure of the first program was called while there was one.
  static std::string old_name(const std::string& key) {
    const std::string first = "programs." + std::string(kTileProgramNames.front()) + ".";
    return key.starts_with(first) ? "tile_cycles." + key.substr(first.size()) : key;
  }

  /// Whether an object has a key, or a key in one of its objects; names of data types may have
  /// dots.
  static bool is_there(const JsonValue& object, std::string_view path) {
    if (JsonReader::find(object, path) != nullptr) return true;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
         dot = path.find('.', dot + 1)) {
      const JsonValue* value = JsonReader::find(object, path.substr(0, dot));
      if (value != nullptr && is_there(*value, path.substr(dot + 1))) return true;
    }
    return false;
  }

  /// What was measured of our models on this machine.
  void read_backing(const JsonValue& file) {
    std::vector<std::string_view> texts;
    for (const BackingText& text : kBackingTexts) texts.push_back(text.name);
    for (const JsonValue& item : list(file, "backing", kMostBackings)) {
      MeasuredBacking& backing = hardware_.backing.emplace_back();
      read_numbers(item, backing, kBackingKeys, texts, "a measured model as an object");
      for (const char* needed : {"rows", "median_percent", "worst_percent"}) {
        reader_.at(item, needed);
      }
      for (const BackingText& text : kBackingTexts) {
        const std::string name(text.name);
        const JsonValue* value =
            text.is_needed ? &reader_.at(item, name) : JsonReader::find(item, name);
        if (value != nullptr) backing.*text.member = reader_.string(*value, name + " as a text");
      }
    }
  }

  /// A file with tile_cycles has sources of their keys.
  static std::string key_of_today(const JsonValue& file, const std::string& key) {
    constexpr std::string_view kOldName = "tile_cycles.";
    if (!key.starts_with(kOldName) || JsonReader::find(file, "tile_cycles") == nullptr) return key;
    return "programs." + std::string(kTileProgramNames.front()) + "." + key.substr(kOldName.size());
  }

  void read_sources(const JsonValue& file) {
    const JsonValue* value = JsonReader::find(file, "sources");
    if (value == nullptr) return;
    reader_.expect_object(*value, "sources as an object");
    std::vector<std::string> known;
    for (const HardwareFigure& figure : hardware_figures(hardware_)) known.push_back(figure.key);
    // A source may be that of all figures of a program.
    for (const auto& [type, figures] : hardware_.training) {
      known.push_back("programs." + std::string(kTrainingName) + "." + type);
    }
    for (const auto& [type, programs] : hardware_.programs) {
      for (std::size_t at = 0; at < kTilePrograms; ++at) {
        if (programs.known[at]) known.push_back(program_key(static_cast<TileProgram>(at), type));
      }
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    for (std::size_t i = 0; i < value->keys.size(); ++i) {
      const std::string key = key_of_today(file, value->keys[i]);
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        reader_.fail(value->at[i], "expected a key of this file such as link.latency_ps, found " +
                                       in_quotes(value->keys[i]) + suggestion(key, names));
      }
      hardware_.sources.push_back({key, reader_.string(value->items[i], "a source as a text")});
    }
  }

  JsonReader reader_;
  Hardware hardware_;
};

}  // namespace

Hardware read_hardware(std::string_view text, const std::string& source) {
  return HardwareReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
