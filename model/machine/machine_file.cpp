#include "model/machine/machine_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/describe.h"
#include "model/errors.h"
#include "model/machine/hardware_rows.h"
#include "model/machine/machine_overlay.h"

// Files of machines: which form a file has, what is set over it, and what it then describes.

namespace waferloom {
namespace {

constexpr std::string_view kFabric = "fabric";
/// Keys of a machine; whatever else is set is set of its fabric.
constexpr std::string_view kMachineWords[] = {"schema",     "name",   "comment", "chip",
                                              "memories",   "levels", "overlap", "host",
                                              "dimensions", kFabric,  "sources"};

JsonValue text_value(std::string text, JsonValue::Kind kind, TextPosition at) {
  return {kind, std::move(text), at, {}, {}, {}};
}

/// A value of an object, made where it is not there.
JsonValue& member_of(JsonValue& object, std::string_view key) {
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    if (object.keys[i] == key) return object.items[i];
  }
  object.keys.emplace_back(key);
  object.at.push_back(object.position);
  return object.items.emplace_back(text_value({}, JsonValue::Kind::null, object.position));
}

bool has_any(const JsonValue& file, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return JsonReader::find(file, key) != nullptr; });
}

enum class FileForm : std::uint8_t { machine, hardware, system };

FileForm form_of(const JsonValue& file, MachineForm otherwise) {
  const FileForm told = otherwise == MachineForm::fabric ? FileForm::hardware : FileForm::system;
  if (file.kind != JsonValue::Kind::object) return told;
  const std::string_view schema = JsonReader::text_or_none(file, "schema");
  if (schema.starts_with("waferloom/machine/") || has_any(file, {kFabric})) {
    return FileForm::machine;
  }
  if (schema.starts_with("waferloom/hardware/")) return FileForm::hardware;
  if (schema.starts_with("waferloom/system/")) return FileForm::system;
  if (has_any(file, {"chip", "memories", "dimensions"})) return FileForm::system;
  if (has_any(file, {"columns", "rows", "topology", "link"})) return FileForm::hardware;
  return told;
}

/// Whether a fabric leads: its file says how many tiles it has, so that chips follow from it.
bool leads(const JsonValue* fabric) {
  return fabric != nullptr && fabric->kind == JsonValue::Kind::object &&
         has_any(*fabric, {"columns", "rows", "topology"});
}

/// What a hardware file says, as the fabric of a machine.
JsonValue as_fabric(JsonValue file) {
  JsonValue machine = text_value({}, JsonValue::Kind::object, file.position);
  member_of(machine, kFabric) = std::move(file);
  return machine;
}

/// Whether the key is one of the machine, and not of its fabric.
bool is_of_machine(std::string_view key) {
  const std::string_view word = key.substr(0, key.find('.'));
  return std::find(std::begin(kMachineWords), std::end(kMachineWords), word) !=
         std::end(kMachineWords);
}

std::string key_in_machine(const std::string& key) {
  return is_of_machine(key) ? key : std::string(kFabric) + "." + key;
}

/// What a fabric calls such a key of it; empty of another key.
std::string_view key_in_fabric(std::string_view key) {
  return key.starts_with("fabric.") ? key.substr(kFabric.size() + 1) : std::string_view{};
}

/// A hardware file's rows, of which a machine of chips needs none.
const TypeRows& fabric_rows_of_machine() {
  static const TypeRows rows = [] {
    TypeRows optional = rows_of<Hardware>();
    for (Row& row : optional.rows) row.facts.required = false;
    return optional;
  }();
  return rows;
}

/// What a machine's file writes of its fabric: that file has its schema and its name.
const TypeRows& written_fabric_rows() {
  static const TypeRows rows = [] {
    TypeRows inner = rows_of<Hardware>();
    std::erase_if(inner.rows,
                  [](const Row& row) { return row.key == "schema" || row.key == "name"; });
    return inner;
  }();
  return rows;
}

constexpr OwnForm<Machine> kFabricForm{
    [](const JsonReader& /*reader*/, const JsonValue& /*value*/, Machine& /*machine*/) {},
    [](const Machine& machine, ValueSink& sink) {
      const Hardware file = hardware_of_file(*machine.fabric);
      write_rows(written_fabric_rows(), &file, sink);
    },
    [](ValueSink& schema) { describe_rows(fabric_rows_of_machine(), schema); }};

/// Whether figures of the fabric that chips say are said by the fabric, too.
void refuse_what_chips_say(const JsonReader& reader, const JsonValue& fabric) {
  const std::vector<std::string_view> keys = fabric_keys_of_chips();
  for (std::size_t i = 0; i < fabric.keys.size(); ++i) {
    const auto is_said = [&](std::string_view key) {
      return key.substr(0, key.find('.')) == fabric.keys[i];
    };
    if (std::none_of(keys.begin(), keys.end(), is_said)) continue;
    reader.fail(fabric.at[i], fabric.keys[i] +
                                  " of the fabric follows from chip, memories and dimensions; "
                                  "without columns and rows the fabric may not say it");
  }
}

/// Ports of a node in a file that does not know how many nodes there are.
void run_to_last_node(JsonValue& fabric, std::int64_t nodes) {
  JsonValue& ports = member_of(fabric, "host_ports");
  if (ports.kind == JsonValue::Kind::null) ports.kind = JsonValue::Kind::array;
  for (JsonValue& port : ports.items) {
    if (port.kind != JsonValue::Kind::object || !has_any(port, {"every"}) ||
        has_any(port, {"last"})) {
      continue;
    }
    member_of(port, "last") =
        text_value(std::to_string(nodes - 1), JsonValue::Kind::number, port.position);
  }
}

/// The fabric of chips, with what the file says of it besides.
Hardware fabric_of_chips(const JsonReader& reader, const JsonValue* said, const System& chips) {
  JsonValue file = said == nullptr ? text_value({}, JsonValue::Kind::object, {}) : *said;
  reader.expect_object(file, "fabric as an object");
  refuse_what_chips_say(reader, file);
  const auto [columns, rows] = fabric_sides(chips);
  const std::int64_t sides[] = {columns, rows};
  for (const std::size_t at : {0, 1}) {
    member_of(file, at == 0 ? "columns" : "rows") =
        text_value(std::to_string(sides[at]), JsonValue::Kind::number, file.position);
  }
  member_of(file, "topology") =
      text_value(std::string(kTopologyNames[static_cast<std::size_t>(fabric_topology(chips))]),
                 JsonValue::Kind::string, file.position);
  if (has_any(file, {"host_ports"})) run_to_last_node(file, rows);
  Hardware fabric = read_described<Hardware>(reader, file);
  for (const char* key : {"columns", "rows", "topology"}) fabric.given.erase(key);
  fabric.name = chips.name;
  set_fabric_figures(chips, fabric);
  return fabric;
}

/// Reads a file that has no base.
Machine read_whole(const JsonValue& file, const std::string& source, MachineForm otherwise) {
  const FileForm form = form_of(file, otherwise);
  Machine machine;
  const JsonReader hardware_reader(source, "hardware");
  if (form == FileForm::hardware) {
    machine.fabric = read_described<Hardware>(hardware_reader, file);
    machine.chips = chips_of_fabric(*machine.fabric);
    machine.name = machine.fabric->name;
    return machine;
  }
  const JsonReader reader(source, form == FileForm::system ? "system" : "machine");
  const JsonValue* fabric = form == FileForm::system ? nullptr : JsonReader::find(file, kFabric);
  if (fabric != nullptr && fabric->kind != JsonValue::Kind::object) {
    reader.fail(*fabric, "fabric as an object");
  }
  if (leads(fabric)) {
    machine.fabric = read_described<Hardware>(hardware_reader, *fabric);
    machine.chips = chips_of_fabric(*machine.fabric);
    if (has_any(file, {"memories"})) machine.chips.memories.clear();
    if (has_any(file, {"dimensions"})) machine.chips.dimensions.clear();
    if (has_any(file, {"sources"})) machine.chips.sources.clear();
    if (const JsonValue* chip = JsonReader::find(file, "chip");
        chip != nullptr && has_any(*chip, {"flop_per_s"})) {
      machine.chips.chip.peak_flop_per_s.clear();
    }
  }
  if (form == FileForm::system) {
    machine.chips = read_described<System>(reader, file);
  } else {
    read_rows(reader, file, rows_of<Machine>().noun, rows_of<Machine>(), &machine);
  }
  if (leads(fabric)) {
    if (machine.chips.name != System{}.name) machine.fabric->name = machine.chips.name;
  } else if (machine.why_no_fabric = why_no_fabric(machine.chips); machine.why_no_fabric.empty()) {
    machine.fabric = fabric_of_chips(hardware_reader, fabric, machine.chips);
    machine.tiles_are_chips = true;
  }
  machine.name = machine.chips.name;
  return machine;
}

/// The value of a change as a message has it, on one line.
std::string change_text(const MachineChange& change) {
  const std::string text = line_text([&](ValueSink& sink) { write_json(change.value, sink); });
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

/// Whether a hardware file cannot say what is set.
bool leaves_fabric(const MachineChange& change) {
  return is_of_machine(change.key) && change.key != "name";
}

/// A file with what is set over it, as far as the first `count` changes.
JsonValue with_changes(const LayeredMachine& layered, std::size_t count, MachineForm otherwise) {
  if (count == 0) return layered.base;
  JsonValue file = layered.base;
  const bool is_hardware = form_of(file, otherwise) == FileForm::hardware;
  const bool stays_hardware =
      is_hardware && std::none_of(layered.changes.begin(), layered.changes.end(), leaves_fabric);
  if (is_hardware && !stays_hardware) file = as_fabric(std::move(file));
  if (!stays_hardware) {
    member_of(file, "schema") =
        text_value("waferloom/machine/1", JsonValue::Kind::string, file.position);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const MachineChange& change = layered.changes[i];
    if (stays_hardware) {
      set_key(file, change.key, change);
      forget_sources(file, change.key);
      continue;
    }
    const std::string key = key_in_machine(change.key);
    set_key(file, key, change);
    const std::string_view in_fabric = key_in_fabric(key);
    forget_sources(in_fabric.empty() ? file : member_of(file, kFabric),
                   in_fabric.empty() ? std::string_view(key) : in_fabric);
    if (!in_fabric.empty() || key == "name" || change.value.kind == JsonValue::Kind::null) continue;
    JsonValue& sources = member_of(file, "sources");
    if (sources.kind == JsonValue::Kind::null) sources.kind = JsonValue::Kind::object;
    member_of(sources, key) = text_value(change.origin, JsonValue::Kind::string, file.position);
  }
  return file;
}

/// Of figures of the fabric that were set, where they come from now. Which figures there are is
/// known only once it was read.
void set_origins(const std::vector<MachineChange>& changes, Machine& machine) {
  for (const MachineChange& change : changes) {
    const std::string whole_key = key_in_machine(change.key);
    const std::string key(key_in_fabric(whole_key));
    const bool is_set = change.value.kind != JsonValue::Kind::null;
    if (key.empty() || !is_set || !machine.fabric) continue;
    for (const HardwareFigure& figure : hardware_figures(*machine.fabric)) {
      if (figure.key != key && !figure.key.starts_with(key + ".")) continue;
      machine.fabric->sources.push_back({figure.key, change.origin});
      machine.chips.sources["fabric." + figure.key] = change.origin;
    }
  }
}

/// Reads a file with all that is set over it. What does not fit is blamed on the first change with
/// which it does not.
Machine read_changed(const LayeredMachine& layered, MachineForm otherwise) {
  const std::size_t all = layered.changes.size();
  const auto read = [&](std::size_t count) {
    return read_whole(with_changes(layered, count, otherwise), layered.source, otherwise);
  };
  try {
    Machine machine = read(all);
    set_origins(layered.changes, machine);
    return machine;
  } catch (const InputError& error) {
    // Two changes may need each other, so fewer than all are tried from the end.
    std::string message = error.problems().front().message;
    for (std::size_t count = all; count-- > 0;) {
      try {
        read(count);
      } catch (const InputError& earlier) {
        if (count == 0) throw;
        message = earlier.problems().front().message;
        continue;
      }
      const MachineChange& change = layered.changes[count];
      throw InputError(change.where, change.at,
                       fmt::format("machine with {} = {}: {}", in_quotes(change.key, 80),
                                   change_text(change), message));
    }
    throw;
  }
}

/// "8x192", or of one number nothing.
std::vector<std::int64_t> counts_of(const std::string& text) {
  std::vector<std::int64_t> counts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    std::int64_t count = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, count);
    if (error != std::errc{} || stop != text.data() + end || count < 1) return {};
    counts.push_back(count);
    begin = end + 1;
  }
  return counts;
}

/// The sizes of a machine's dimensions with so many chips. Throws RequestError.
std::vector<std::int64_t> sizes_of(const std::string& text, const Machine& machine) {
  const std::vector<std::int64_t> counts = counts_of(text);
  const std::vector<NetworkDimension>& dimensions = machine.chips.dimensions;
  const auto fail = [&](const std::string& message) {
    throw RequestError("chips: " + machine.name + ": " + message);
  };
  if (counts.empty()) fail("expected a number of chips, or one along each dimension as 8x192");
  if (counts.size() > 1 || dimensions.size() == 1) {
    if (counts.size() != dimensions.size()) {
      fail(fmt::format("expected {} for {}, found {}",
                       counted_text(static_cast<std::int64_t>(dimensions.size()), "number"),
                       network_text(machine.chips), in_quotes(text)));
    }
    return counts;
  }
  if (dimensions.empty()) {
    if (counts.front() == 1) return {};
    fail("it is one chip, and no dimension joins several");
  }
  // The outermost dimension grows; of fewer chips than the others have, one group is left.
  std::vector<std::int64_t> sizes;
  std::int64_t left = counts.front();
  for (std::size_t i = 0; i + 1 < dimensions.size(); ++i) {
    const std::int64_t size = std::min(dimensions[i].size, left);
    if (left % size != 0) {
      fail(fmt::format("{} chips are no multiple of the {} of dimension {}; say AxB for others",
                       counts.front(), size, i));
    }
    sizes.push_back(size);
    left /= size;
  }
  sizes.push_back(left);
  return sizes;
}

/// Whether a file's own tiles are a cluster's chips.
bool is_cluster_of_tiles(const LayeredMachine& layered, const Machine& machine,
                         MachineForm otherwise) {
  if (!machine.fabric || machine.fabric->topology != Topology::switched) return false;
  const FileForm form = form_of(layered.base, otherwise);
  return form == FileForm::hardware ||
         (form == FileForm::machine && leads(JsonReader::find(layered.base, kFabric)));
}

/// Changes that give a machine so many chips.
void add_sizes(const std::string& text, const Machine& machine, LayeredMachine& layered,
               MachineForm otherwise) {
  const std::vector<std::int64_t> sizes = sizes_of(text, machine);
  const bool of_tiles = is_cluster_of_tiles(layered, machine, otherwise);
  const auto add = [&](std::string key, std::int64_t value) {
    layered.changes.push_back(
        {std::move(key), text_value(std::to_string(value), JsonValue::Kind::number, kWholeSource),
         "command line", kWholeSource, "as many chips as were asked for"});
  };
  double chips = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    chips *= static_cast<double>(sizes[i]);
    add(of_tiles ? (i == 0 ? "columns" : "rows") : fmt::format("dimensions.{}.size", i), sizes[i]);
  }
  if (!of_tiles) return;
  // A cluster's price and power are of all its tiles.
  const double times = chips / static_cast<double>(machine.chips.chips());
  const auto scaled = [&](std::int64_t all) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(all) * times));
  };
  if (machine.fabric->price_usd) add("price_usd", scaled(*machine.fabric->price_usd));
  if (machine.fabric->power_w) add("power_w", scaled(*machine.fabric->power_w));
}

/// A file with its overlays and all that is asked over it.
LayeredMachine asked_machine(const MachineText& file, const MachineChanges& changes) {
  LayeredMachine layered = layers_of(file, changes.find_base);
  layered.changes.insert(layered.changes.end(), changes.set.begin(), changes.set.end());
  if (!layered.name.empty()) {
    layered.changes.push_back({"name",
                               text_value(layered.name, JsonValue::Kind::string, kWholeSource),
                               file.source,
                               kWholeSource,
                               {}});
  }
  if (changes.chips) {
    add_sizes(*changes.chips, read_changed(layered, changes.otherwise), layered, changes.otherwise);
  }
  return layered;
}

}  // namespace

template <>
const TypeRows& rows_of<Machine>() {
  static const TypeRows rows = [] {
    std::vector<Row> of_chips = rows_of<System>().rows;
    of_chips.front() = format_row("waferloom/machine/1");
    for (Row& row : of_chips) row.facts.required = false;
    return rows_for<Machine>(
        "a machine",
        joined({inside(&Machine::chips, std::move(of_chips)),
                {where<Machine>(
                    [](const Machine& machine) { return machine.fabric.has_value(); },
                    formed(kFabric, kFabricForm,
                           {"the mesh of tiles that the chip is, as a hardware file has it; or, "
                            "without columns and rows, what simulations take of chips that "
                            "switches join"}))}}),
        [](const JsonReader& reader, const JsonValue& file, Machine& machine) {
          // The tiles of a mesh say what its chip does.
          if (!machine.fabric) reader.at(file, "chip");
          rows_of<System>().check(reader, file, &machine.chips);
        });
  }();
  return rows;
}

std::optional<MachineText> find_preset_base(const std::string& base, const std::string& /*from*/) {
  const std::optional<std::string_view> text = machine_preset(base);
  if (!text) return std::nullopt;
  return MachineText{std::string(*text), base};
}

Machine read_machine(const MachineText& file, const MachineChanges& changes) {
  return read_changed(asked_machine(file, changes), changes.otherwise);
}

Hardware read_hardware(std::string_view text, const std::string& source) {
  return fabric_of(read_machine({std::string(text), source}));
}

System read_system(std::string_view text, const std::string& source) {
  return chips_of(read_machine({std::string(text), source}, {.otherwise = MachineForm::chips}));
}

std::optional<Machine> preset_machine(std::string_view name) {
  const std::optional<std::string_view> text = machine_preset(name);
  if (!text) return std::nullopt;
  return read_machine({std::string(*text), std::string(name)});
}

std::string whole_machine_text(const MachineText& file, const MachineChanges& changes) {
  const LayeredMachine layered = asked_machine(file, changes);
  read_changed(layered, changes.otherwise);
  return hashed_text(with_changes(layered, layered.changes.size(), changes.otherwise));
}

std::string machine_text(const Machine& machine) {
  TypeRows rows = rows_of<Machine>();
  if (machine.fabric && machine.chips == chips_of_fabric(*machine.fabric)) {
    std::erase_if(rows.rows, [](const Row& row) {
      return row.key != "schema" && row.key != "name" && row.key != kFabric;
    });
  }
  return written_text([&](ValueSink& sink) { write_rows(rows, &machine, sink); });
}

std::string machine_schema() {
  return schema_text({{"a machine", &rows_of<Machine>()},
                      {"another machine with keys that are set", &overlay_rows()}},
                     "waferloom/machine/1");
}

}  // namespace waferloom
