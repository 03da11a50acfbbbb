#include <algorithm>

#include "model/hardware.h"
#include "model/machine/system_keys.h"
#include "model/text.h"

namespace waferloom {
namespace {

class SystemReader {
 public:
  explicit SystemReader(const std::string& source) : reader_(source, "system") {}

  System read(const JsonValue& file) {
    reader_.expect_keys(file, "a system as an object with a chip",
                        {"schema", "name", "chip", "memories", "dimensions", "levels", "host",
                         "overlap", "sources", "comment"});
    reader_.check_schema(file, "waferloom/system/1");
    if (const JsonValue* name = JsonReader::find(file, "name")) {
      system_.name = reader_.string(*name, "name");
    }
    if (const JsonValue* comment = JsonReader::find(file, "comment")) {
      reader_.string(*comment, "comment");
    }
    read_chip(reader_.at(file, "chip"));
    read_memories(file);
    read_dimensions(file);
    read_levels(file);
    if (const JsonValue* host = JsonReader::find(file, "host")) {
      read_numbers(*host, system_.host, kHostKeys, {}, "host as an object");
    }
    read_overlap(file);
    if (const JsonValue* sources = JsonReader::find(file, "sources")) {
      reader_.expect_object(*sources, "sources as an object");
      for (std::size_t i = 0; i < sources->keys.size(); ++i) {
        system_.sources[sources->keys[i]] = reader_.string(sources->items[i], "a source");
      }
    }
    return std::move(system_);
  }

 private:
  /// Demands an object with the keys of a table, or those beside it, and reads the former.
  template <typename Owner, std::size_t count>
  void read_numbers(const JsonValue& object, Owner& owner, const SystemKey<Owner> (&table)[count],
                    std::vector<std::string_view> beside, const std::string& what) const {
    for (const SystemKey<Owner>& key : table) beside.push_back(key.name);
    reader_.expect_keys(object, what, beside);
    for (const SystemKey<Owner>& key : table) {
      const JsonValue* value =
          key.required ? &reader_.at(object, key.name) : JsonReader::find(object, key.name);
      if (value == nullptr) continue;
      const std::string name(key.name);
      if (const auto* real = std::get_if<double Owner::*>(&key.member)) {
        owner.** real = reader_.real(*value, name, {key.least, key.most});
      } else {
        owner.*std::get<std::int64_t Owner::*>(key.member) = reader_.whole(
            *value, name,
            {static_cast<std::int64_t>(key.least), static_cast<std::int64_t>(key.most)});
      }
    }
  }

  void read_chip(const JsonValue& chip) {
    read_numbers(chip, system_.chip, kChipKeys, {"efficiency"}, "chip as an object");
    if (const JsonValue* efficiency = JsonReader::find(chip, "efficiency")) {
      read_numbers(*efficiency, system_.chip.efficiency, kEfficiencyKeys, {},
                   "efficiency as an object");
      check_floor(*efficiency);
    }
  }

  void check_floor(const JsonValue& efficiency) const {
    const Efficiency& read = system_.chip.efficiency;
    if (read.floor <= read.limit) return;
    reader_.fail(reader_.at(efficiency, "floor"),
                 "floor of at most limit, " + significant_text(read.limit));
  }

  void read_memories(const JsonValue& file) {
    const JsonValue* list = JsonReader::find(file, "memories");
    if (list == nullptr) return;
    for (const JsonValue& item : reader_.array(*list, "memories as an array")) {
      MemoryLevel memory;
      read_numbers(item, memory, kMemoryKeys, {"name"}, "a memory as an object");
      const JsonValue& name = reader_.at(item, "name");
      memory.name = reader_.string(name, "name");
      const bool known =
          memory.name == "sram" ||
          std::any_of(system_.memories.begin(), system_.memories.end(),
                      [&](const MemoryLevel& other) { return other.name == memory.name; });
      if (memory.name.empty() || known) {
        reader_.fail(name, "a name that no other memory has, and not sram");
      }
      system_.memories.push_back(memory);
      if (system_.memories.size() > kMaxMemories) {
        reader_.fail(*list, "at most " + std::to_string(kMaxMemories) + " memories");
      }
    }
  }

  void read_dimensions(const JsonValue& file) {
    const JsonValue* list = JsonReader::find(file, "dimensions");
    if (list == nullptr) return;
    for (const JsonValue& item : reader_.array(*list, "dimensions as an array")) {
      NetworkDimension dimension;
      read_numbers(item, dimension, kDimensionKeys, {"topology"}, "a dimension as an object");
      dimension.topology = read_topology(reader_.at(item, "topology"));
      system_.dimensions.push_back(dimension);
      if (system_.dimensions.size() > kMaxDimensions) {
        reader_.fail(*list, "at most " + std::to_string(kMaxDimensions) + " dimensions");
      }
    }
    constexpr std::int64_t kMostChips = 100'000'000;
    std::int64_t chips = 1;
    for (const NetworkDimension& dimension : system_.dimensions) {
      if (dimension.size > kMostChips / chips) {
        reader_.fail(*list, "at most " + std::to_string(kMostChips) + " chips in all");
      }
      chips *= dimension.size;
    }
  }

  DimensionTopology read_topology(const JsonValue& value) const {
    const std::string& word = reader_.string(value, "topology");
    const auto* found =
        std::find(kDimensionTopologyNames.begin(), kDimensionTopologyNames.end(), word);
    if (found == kDimensionTopologyNames.end()) {
      reader_.fail(value, "topology as " + alternatives(kDimensionTopologyNames));
    }
    return static_cast<DimensionTopology>(found - kDimensionTopologyNames.begin());
  }

  void read_levels(const JsonValue& file) {
    system_.level_of.fill(system_.memories.empty() ? kSramLevel : kSramLevel + 1);
    const JsonValue* levels = JsonReader::find(file, "levels");
    if (levels == nullptr) return;
    reader_.expect_keys(*levels, "levels as an object",
                        {kTensorClassNames.begin(), kTensorClassNames.end()});
    for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
      const JsonValue* value = JsonReader::find(*levels, kTensorClassNames[kind]);
      if (value != nullptr) system_.level_of[kind] = read_level(*value);
    }
  }

  void read_overlap(const JsonValue& file) {
    const JsonValue* overlap = JsonReader::find(file, "overlap");
    if (overlap == nullptr) return;
    std::vector<std::string_view> names;
    for (const OverlapKey& key : kOverlapKeys) names.push_back(key.name);
    reader_.expect_keys(*overlap, "overlap as an object", names);
    for (const OverlapKey& key : kOverlapKeys) {
      const JsonValue* value = JsonReader::find(*overlap, key.name);
      if (value == nullptr) continue;
      system_.overlap.*key.member = reader_.boolean(*value, std::string(key.name));
    }
  }

  std::size_t read_level(const JsonValue& value) const {
    const std::string& name = reader_.string(value, "the name of a memory");
    if (name == "sram") return kSramLevel;
    for (std::size_t i = 0; i < system_.memories.size(); ++i) {
      if (system_.memories[i].name == name) return kSramLevel + 1 + i;
    }
    reader_.fail(value, "sram or the name of one of the memories");
  }

  JsonReader reader_;
  System system_;
};

}  // namespace

std::vector<std::string> changed_keys(const System& system) {
  std::vector<std::string> changed;
  const Chip plain;
  for (const SystemKey<Chip>& key : kChipKeys) {
    const bool is_changed = std::visit(
        [&](const auto member) { return system.chip.*member != plain.*member; }, key.member);
    if (is_changed) changed.emplace_back(key.name);
  }
  if (!(system.chip.efficiency == Efficiency{})) changed.emplace_back("efficiency");
  if (!(system.host == Host{})) changed.emplace_back("host");
  if (!(system.overlap == Overlap{})) changed.emplace_back("overlap");
  return changed;
}

System read_system(std::string_view text, const std::string& source) {
  return SystemReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
