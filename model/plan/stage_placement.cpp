#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "model/plan.h"
#include "model/report.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {

std::string stage_placement_text(const StagePlacement& placement) {
  // A stage a line.
  std::string text = "{\n  \"schema\": \"waferloom/placement/1\",\n";
  if (!placement.hardware.empty()) {
    text += "  \"hardware\": " + Json(placement.hardware).dump() + ",\n";
  }
  text += "  \"stages\": [";
  for (std::size_t i = 0; i < placement.stages.size(); ++i) {
    const PlacedStage& stage = placement.stages[i];
    const Json json{{"name", stage.name},           {"x", stage.tiles.x},
                    {"y", stage.tiles.y},           {"width", stage.tiles.width},
                    {"height", stage.tiles.height}, {"rotation", stage.rotated ? 90 : 0}};
    text += (i == 0 ? "\n    " : ",\n    ") + json.dump();
  }
  return text + "\n  ]\n}\n";
}

StagePlacement read_stage_placement(std::string_view text, const std::string& source) {
  constexpr NumberRange kPlace{0, kMaxWaferSide - 1};
  constexpr NumberRange kSide{1, kMaxWaferSide};
  const JsonValue file = parse_json(text, source);
  const JsonReader reader(source, "placement");
  reader.expect_keys(file, "a placement as an object with stages",
                     {"schema", "hardware", "stages"});
  reader.check_schema(file, "waferloom/placement/1");
  StagePlacement placement;
  if (const JsonValue* hardware = JsonReader::find(file, "hardware")) {
    placement.hardware = reader.string(*hardware, "hardware");
  }
  std::set<std::string> names;
  for (const JsonValue& item : reader.array(reader.at(file, "stages"), "stages as an array")) {
    reader.expect_keys(item, "a stage as an object",
                       {"name", "x", "y", "width", "height", "rotation"});
    const auto number = [&](const char* key, NumberRange range) {
      return reader.whole(reader.at(item, key), key, range);
    };
    PlacedStage stage;
    stage.name = reader.string(reader.at(item, "name"), "name");
    if (!std::all_of(stage.name.begin(), stage.name.end(),
                     [](char c) { return c >= ' ' && c <= '~'; })) {
      reader.fail(reader.at(item, "name"), "a name of printable characters");
    }
    if (!names.insert(stage.name).second) {
      reader.fail(reader.at(item, "name"), "a name that no other stage has");
    }
    stage.tiles = {number("x", kPlace), number("y", kPlace), number("width", kSide),
                   number("height", kSide)};
    if (const JsonValue* rotation = JsonReader::find(item, "rotation")) {
      const std::int64_t degrees = reader.whole(*rotation, "rotation as 0 or 90", {0, 90});
      if (degrees != 0 && degrees != 90) reader.fail(*rotation, "rotation as 0 or 90");
      stage.rotated = degrees == 90;
    }
    placement.stages.push_back(std::move(stage));
  }
  return placement;
}

}  // namespace waferloom
