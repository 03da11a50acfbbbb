#include "model/machine/machine_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "model/describe.h"

namespace waferloom {
namespace {

/// An overlay's own file.
struct Overlay {
  At<std::string> base{};
  std::string name{};
  JsonValue set{};
  std::string why{};
  std::string origin{};
  std::vector<NamedAt<std::string>> origins{};  ///< by key that is set
};

constexpr OwnForm<Overlay> kSet{
    [](const JsonReader& reader, const JsonValue& value, Overlay& overlay) {
      reader.expect_object(value, "set as an object");
      overlay.set = value;
    },
    nullptr, [](ValueSink& schema) { schema.pair("type", "object"); }};

/// "a.json:3:11", as messages name a place.
std::string place_text(const std::string& source, TextPosition at) {
  return at == kWholeSource ? source : fmt::format("{}:{}:{}", source, at.line, at.column);
}

/// Whether one key is the other, or leads to it.
bool touches(std::string_view shorter, std::string_view longer) {
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  return longer.starts_with(shorter) &&
         (shorter.size() == longer.size() || longer[shorter.size()] == '.');
}

bool is_overlay(const JsonValue& file) {
  return file.kind == JsonValue::Kind::object && JsonReader::find(file, "base") != nullptr;
}

}  // namespace

template <>
const TypeRows& rows_of<Overlay>() {
  static const TypeRows rows = rows_for<Overlay>(
      "an overlay",
      {format_row("waferloom/machine/1"),
       row("name", &Overlay::name, {"name of the machine, for reports"}), remark_row("comment"),
       needed("base", &Overlay::base, {"a preset, or a file beside this one"}),
       needed(formed("set", kSet, {"by key of the base, as dimensions.1.size: its value here"})),
       needed("why", &Overlay::why, {.meaning = "why they differ", .items = {1, kCount.most}}),
       row("source", &Overlay::origin, {"where these figures come from; by default, why"}),
       row("sources", &Overlay::origins,
           {.meaning = "by key that is set: where its figure comes from, if not there",
            .item = "a source"})});
  return rows;
}

const TypeRows& overlay_rows() { return rows_of<Overlay>(); }

namespace {

/// What an overlay sets, after what overlays of its base set.
void add_changes(const Overlay& overlay, const std::string& source,
                 std::vector<MachineChange>& changes) {
  for (const NamedAt<std::string>& origin : overlay.origins) {
    if (JsonReader::find(overlay.set, origin.name) != nullptr) continue;
    throw InputError(
        source, origin.at,
        "sources: expected a key that this file sets, found " + in_quotes(origin.name));
  }
  for (std::size_t i = 0; i < overlay.set.keys.size(); ++i) {
    const std::string& key = overlay.set.keys[i];
    MachineChange change{key, overlay.set.items[i], source, overlay.set.at[i],
                         overlay.origin.empty() ? overlay.why : overlay.origin};
    for (const NamedAt<std::string>& origin : overlay.origins) {
      if (origin.name == key) change.origin = origin.value;
    }
    for (const MachineChange& other : changes) {
      const bool is_same =
          other.key == key && hashed_text(other.value) == hashed_text(change.value);
      if (is_same || !touches(other.key, key)) continue;
      throw InputError(
          source, change.at,
          fmt::format("{} is set here and, differently, by {} at {}; one of both has "
                      "to go",
                      in_quotes(key), in_quotes(other.key), place_text(other.where, other.at)));
    }
    changes.push_back(std::move(change));
  }
}

}  // namespace

LayeredMachine layers_of(const MachineText& file, const FindBase& find_base) {
  struct Level {
    Overlay overlay;
    std::string source;
  };
  std::vector<Level> levels;
  MachineText text = file;
  JsonValue tree = parse_json(text.text, text.source);
  while (is_overlay(tree)) {
    levels.push_back(
        {read_described<Overlay>(JsonReader(text.source, "machine"), tree), text.source});
    const auto& [base, at] = levels.back().overlay.base;
    std::optional<MachineText> found = find_base(base, text.source);
    if (!found) {
      throw InputError(text.source, at,
                       "base: expected a preset or a file, found " + in_quotes(base) +
                           suggestion(base, machine_preset_names()));
    }
    for (const Level& level : levels) {
      if (level.source != found->source) continue;
      throw InputError(text.source, at,
                       fmt::format("bases in a circle: {} is itself based on {}, at {}",
                                   in_quotes(base), in_quotes(level.overlay.base.value),
                                   place_text(level.source, level.overlay.base.at)));
    }
    text = std::move(*found);
    tree = parse_json(text.text, text.source);
  }
  LayeredMachine layered{std::move(tree), text.source, {}, {}};
  // What has a base is another machine than it, whether it has a name or not.
  if (!levels.empty()) layered.name = Machine{}.name;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    add_changes(level->overlay, level->source, layered.changes);
    if (!level->overlay.name.empty()) layered.name = level->overlay.name;
  }
  return layered;
}

namespace {

/// The item of a list that a word of a key names.
JsonValue& item_of(JsonValue& list, const std::string& word, const MachineChange& change) {
  std::size_t at = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), at);
  if (error == std::errc{} && stop == word.data() + word.size() && at < list.items.size()) {
    return list.items[at];
  }
  throw InputError(
      change.where, change.at,
      fmt::format("{}: expected the number of one of {}, from 0, found {}", in_quotes(change.key),
                  counted_text(static_cast<std::int64_t>(list.items.size()), "item"),
                  in_quotes(word)));
}

void take_out(JsonValue& object, std::size_t at) {
  object.keys.erase(object.keys.begin() + static_cast<std::ptrdiff_t>(at));
  object.at.erase(object.at.begin() + static_cast<std::ptrdiff_t>(at));
  object.items.erase(object.items.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

void set_key(JsonValue& file, const std::string& key, const MachineChange& change) {
  JsonValue* place = &file;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const std::string word = key.substr(begin, end - begin);
    begin = end + 1;
    if (place->kind == JsonValue::Kind::array) {
      place = &item_of(*place, word, change);
      continue;
    }
    if (place->kind != JsonValue::Kind::object && place->kind != JsonValue::Kind::null) {
      throw InputError(change.where, change.at,
                       in_quotes(change.key) + ": the machine has no such key");
    }
    place->kind = JsonValue::Kind::object;
    const auto found = std::find(place->keys.begin(), place->keys.end(), word);
    const auto at = static_cast<std::size_t>(found - place->keys.begin());
    const bool is_last = begin > key.size();
    if (is_last && change.value.kind == JsonValue::Kind::null) {
      if (found != place->keys.end()) take_out(*place, at);
      return;
    }
    if (found == place->keys.end()) {
      if (!is_last && std::isdigit(static_cast<unsigned char>(key[begin])) != 0) {
        throw InputError(change.where, change.at,
                         fmt::format("{}: the file has no list {}, so that none of its items can "
                                     "be set; set the whole list",
                                     in_quotes(change.key, 80), in_quotes(word)));
      }
      place->keys.push_back(word);
      place->at.push_back(place->position);
      place->items.emplace_back();
    }
    place = &place->items[at];
  }
  *place = change.value;
}

Options<MachineChoice> machine_options(OptionSpec hardware) {
  hardware.also = hardware.name == "hardware" ? "system" : "hardware";
  return {
      option(&MachineChoice::name, std::move(hardware)),
      option(&MachineChoice::set,
             {.name = "set",
              .value = "KEY=VALUE",
              .help = "A figure of the machine in place of its file's, as clock_hz=1e9 or "
                      "dimensions.1.link_bytes_per_s=50e9. May be given again.",
              .repeated = true}),
      option(&MachineChoice::chips,
             {.name = "chips",
              .value = "N|AxB",
              .help = "So many chips of the machine, or so many along each of its dimensions."})};
}

MachineChanges changes_of(const MachineChoice& choice) {
  constexpr const char* kWhere = "command line";
  MachineChanges changes;
  changes.chips = choice.chips;
  for (const std::string& text : choice.set) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InputError(kWhere, kWholeSource, "--set: expected KEY=VALUE, found " + in_quotes(text));
    }
    const std::string value = text.substr(equals + 1);
    std::optional<JsonValue> json = json_if_any(value);
    if (!json) json = JsonValue{JsonValue::Kind::string, value, {}, {}, {}, {}};
    MachineChange change{text.substr(0, equals), *std::move(json), kWhere, kWholeSource,
                         "given on the command line"};
    for (const MachineChange& other : changes.set) {
      const bool is_same =
          other.key == change.key && hashed_text(other.value) == hashed_text(change.value);
      if (is_same || !touches(other.key, change.key)) continue;
      throw InputError(kWhere, kWholeSource,
                       fmt::format("--set: {} and {} set the same differently",
                                   in_quotes(other.key), in_quotes(change.key)));
    }
    changes.set.push_back(std::move(change));
  }
  return changes;
}

void forget_sources(JsonValue& file, std::string_view key) {
  const auto found = std::find(file.keys.begin(), file.keys.end(), "sources");
  if (found == file.keys.end()) return;
  JsonValue& sources = file.items[static_cast<std::size_t>(found - file.keys.begin())];
  for (std::size_t i = sources.keys.size(); i-- > 0;) {
    const std::string& of = sources.keys[i];
    const bool is_of_part = of.size() > key.size() && of.starts_with(key) && of[key.size()] == '.';
    if (of == key || is_of_part) take_out(sources, i);
  }
}

}  // namespace waferloom
