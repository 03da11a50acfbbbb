#include <fmt/format.h>

#include <algorithm>

#include "kernels/int128.h"
#include "model/machine/hardware_rows.h"
#include "model/machine/json_rectangle.h"
#include "model/mesh.h"

// What no row of a hardware file can demand alone, and what follows from others.

namespace waferloom {
namespace {

class HardwareCheck {
 public:
  HardwareCheck(const JsonReader& reader, const JsonValue& file, Hardware& hardware)
      : reader_(reader), file_(file), hardware_(hardware) {}

  void all() {
    check_mesh();
    check_dead();
    check_programs();
    set_latency();
    set_other_links();
    set_peaks();
    check_achievable();
    check_issues();
    check_port_names();
    if (hardware_.topology == Topology::switched) join_by_switches();
    check_networks();
    check_noc();
    note_given();
    read_sources();
  }

 private:
  void check_mesh() const {
    const Wafer& wafer = hardware_.wafer;
    if (wafer.width * wafer.height <= kMaxMeshTiles) return;
    reader_.fail(reader_.at(file_, "rows"),
                 fmt::format("a mesh of at most {} tiles", kMaxMeshTiles));
  }

  void check_dead() {
    const Wafer& wafer = hardware_.wafer;
    hardware_.wafer.dead.clear();
    if (const JsonValue* dead = JsonReader::find(file_, "dead")) {
      for (const JsonValue& item : dead->items) {
        add_dead_tiles(hardware_, {json_dead_rectangle(reader_, item, wafer)});
      }
    }
    hardware_.passing.clear();
    if (const JsonValue* passing = JsonReader::find(file_, "passing")) {
      for (const JsonValue& item : passing->items) {
        const Rectangle tiles = intersection(json_dead_rectangle(reader_, item, wafer),
                                             {0, 0, wafer.width, wafer.height});
        hardware_.passing.push_back(tiles);
        hardware_.wafer.dead.push_back(tiles);
      }
    }
    for (std::size_t i = 0; i < hardware_.dead_links.size(); ++i) {
      const JsonValue& link = reader_.at(file_, "dead_links").items[i];
      reader_.whole(reader_.at(link, "x"), "x", {0, wafer.width - 1});
      reader_.whole(reader_.at(link, "y"), "y", {0, wafer.height - 1});
    }
  }

  /// `tile_cycles` is what a file had of one program alone.
  void check_programs() const {
    const JsonValue* single = JsonReader::find(file_, "tile_cycles");
    if (single == nullptr || JsonReader::find(file_, "programs") == nullptr) return;
    reader_.fail(single->position, "tile_cycles are the figures of programs." +
                                       std::string(kTileProgramNames.front()) +
                                       "; one of both suffices");
  }

  void set_latency() {
    if (!hardware_.hop_cycles) return;
    const JsonValue* link = JsonReader::find(file_, "link");
    const JsonValue* latency = link == nullptr ? nullptr : JsonReader::find(*link, "latency_ps");
    if (latency != nullptr) {
      reader_.fail(latency->position,
                   "latency_ps of links is given by hop_cycles, too; one of both suffices");
    }
    hardware_.link.latency_ps = picoseconds(*hardware_.hop_cycles);
  }

  /// Of links between groups and of columns, what a file does not say is as of the others.
  void set_other_links() {
    hardware_.group_link = read_link("group_link").value_or(hardware_.link);
    hardware_.column_link = read_link("column_link");
  }

  std::optional<LinkClass> read_link(const std::string& key) const {
    const JsonValue* value = JsonReader::find(file_, key);
    if (value == nullptr) return std::nullopt;
    LinkClass link = hardware_.link;
    read_rows(reader_, *value, key, rows_of<LinkClass>(), &link);
    return link;
  }

  /// Rates that a file gives in cycles; what they stand for may not be given too.
  void set_peaks() {
    for (const auto& [type, count] : hardware_.multiply_adds_per_cycle) {
      const auto [at, is_new] =
          hardware_.peak_flop_per_s_per_tile.emplace(type, 2 * count * hardware_.clock_hz);
      if (is_new) continue;
      const JsonValue& peaks = *JsonReader::find(file_, "peak_flop_per_s_per_tile");
      reader_.fail(JsonReader::find(peaks, type)->position,
                   "the peak rate of " + type +
                       " is given by multiply_adds_per_cycle, too; one of both suffices");
    }
  }

  /// A share of a peak needs that peak.
  void check_achievable() const {
    for (const auto& [type, percent] : hardware_.achievable_percent_by_type) {
      if (hardware_.peak_flop_per_s_per_tile.contains(type)) continue;
      const JsonValue* shares = JsonReader::find(file_, "achievable_percent_by_type");
      reader_.fail((shares == nullptr ? file_ : reader_.at(*shares, type)).position,
                   "achievable_percent_by_type has " + type + ", of which there is no peak");
    }
  }

  /// No program does more multiply-adds in a cycle than the tile.
  void check_issues() const {
    for (const auto& [type, known] : hardware_.programs) {
      const auto most = hardware_.multiply_adds_per_cycle.find(type);
      for (std::size_t at = 0; at < kTilePrograms; ++at) {
        const TileCycles& cycles = known.cycles[at];
        const double tile =
            most == hardware_.multiply_adds_per_cycle.end() ? 0 : static_cast<double>(most->second);
        const double lanes = cycles.lanes > 0 ? cycles.lanes : std::max(tile, 1.0);
        if (!known.known[at] || lanes <= cycles.issue * std::max(tile, 1.0)) continue;
        if (tile == 0 && cycles.lanes > 0) continue;
        reader_.fail(file_, "issue of " + std::string(kTileProgramNames[at]) + ", " + type +
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

  void join_by_switches() {
    hardware_.group_columns = hardware_.wafer.width;
    hardware_.group_rows = 1;
    for (const std::string_view key : kMeshKeys) {
      const JsonValue* value = JsonReader::find(file_, key);
      if (value == nullptr) continue;
      reader_.fail(value->position, std::string(key) + " is of meshes, not of switched hardware");
    }
    if (hardware_.wafer.width * hardware_.wafer.height > kMaxSwitchedTiles) {
      reader_.fail(reader_.at(file_, "rows"),
                   fmt::format("switched hardware of at most {} tiles", kMaxSwitchedTiles));
    }
  }

  void check_networks() const {
    if (hardware_.networks == Networks::single || hardware_.topology == Topology::torus) return;
    reader_.fail(*JsonReader::find(file_, "networks"),
                 "networks as single: only on a torus do opposite networks reach all tiles");
  }

  /// One way along each axis reaches all tiles of a torus alone.
  void check_noc() const {
    if (!hardware_.noc) return;
    const JsonValue& noc = reader_.at(file_, "noc");
    if (hardware_.topology != Topology::torus) {
      reader_.fail(noc.position, "noc is of a torus: its networks go one way along each axis");
    }
    const std::vector<JsonValue>& items = reader_.at(noc, "networks").items;
    std::set<std::string> names;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const NocNetwork& network = hardware_.noc->networks[i];
      if (!names.insert(network.name).second) {
        reader_.fail(reader_.at(items[i], "name"), "a name that no network before has");
      }
      if (network.along_x != Direction::east && network.along_x != Direction::west) {
        reader_.fail(reader_.at(items[i], "along_x"), "along_x as east or west");
      }
      if (network.along_y != Direction::north && network.along_y != Direction::south) {
        reader_.fail(reader_.at(items[i], "along_y"), "along_y as north or south");
      }
    }
  }

  /// Which host port an input or output has.
  void check_port_names() const {
    const JsonValue* value = JsonReader::find(file_, "host_port_of");
    if (value == nullptr) return;
    const auto last_port = static_cast<std::int64_t>(hardware_.host_ports.size()) - 1;
    if (last_port < 0 && !value->items.empty()) {
      reader_.fail(value->position, "host_port_of needs host_ports, of which there are none");
    }
    for (const JsonValue& port : value->items) {
      reader_.whole(port, "host_port_of", {0, last_port});
    }
  }

  /// A figure "link.latency_ps" is latency_ps in the object link.
  void note_given() {
    for (const HardwareFigure& figure : hardware_figures(hardware_)) {
      if (is_there(file_, figure.key) || is_there(file_, old_name(figure.key))) {
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

  /// A file with tile_cycles has sources of their keys.
  std::string key_of_today(const std::string& key) const {
    constexpr std::string_view kOldName = "tile_cycles.";
    if (!key.starts_with(kOldName) || JsonReader::find(file_, "tile_cycles") == nullptr) return key;
    return "programs." + std::string(kTileProgramNames.front()) + "." + key.substr(kOldName.size());
  }

  void read_sources() {
    const JsonValue* value = JsonReader::find(file_, "sources");
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
      const std::string key = key_of_today(value->keys[i]);
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        reader_.fail(value->at[i], "expected a key of this file such as link.latency_ps, found " +
                                       in_quotes(value->keys[i]) + suggestion(key, names));
      }
      hardware_.sources.push_back({key, reader_.string(value->items[i], "a source as a text")});
    }
  }

  const JsonReader& reader_;
  const JsonValue& file_;
  Hardware& hardware_;
};

}  // namespace

void check_hardware(const JsonReader& reader, const JsonValue& file, Hardware& hardware) {
  HardwareCheck(reader, file, hardware).all();
}

}  // namespace waferloom
