#include <array>
#include <set>

#include "model/describe.h"
#include "model/plan.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {
namespace {

constexpr std::array<std::int64_t, 2> kTurns{0, 90};

constexpr OwnForm<PlacedStage> kRotation{
    [](const JsonReader& reader, const JsonValue& value, PlacedStage& stage) {
      const std::int64_t degrees = reader.whole(value, "rotation as 0 or 90", {0, kTurns.back()});
      if (degrees != 0 && degrees != kTurns.back()) reader.fail(value, "rotation as 0 or 90");
      stage.rotated = degrees != 0;
    },
    [](const PlacedStage& stage, ValueSink& sink) {
      sink.whole(stage.rotated ? kTurns.back() : 0);
    },
    [](ValueSink& schema) {
      describe_numbers(kTurns, schema);
      schema.pair("default", 0);
    }};

void check_names(const JsonReader& reader, const JsonValue& value, StagePlacement& placement) {
  const JsonValue& stages = reader.at(value, "stages");
  std::set<std::string> names;
  for (std::size_t i = 0; i < placement.stages.size(); ++i) {
    if (names.insert(placement.stages[i].name).second) continue;
    reader.fail(reader.at(stages.items[i], "name"), "a name that no other stage has");
  }
}

}  // namespace

template <>
const TypeRows& rows_of<PlacedStage>() {
  constexpr NumberRange kPlace{0, kMaxWaferSide - 1};
  constexpr NumberRange kSide{1, kMaxWaferSide};
  static const TypeRows rows = rows_for<PlacedStage>(
      "a stage",
      joined(
          {{needed(
               "name", &PlacedStage::name,
               {.meaning = "name of the stage in its plan", .characters = kPrintableCharacters})},
           inside(&PlacedStage::tiles,
                  {needed("x", &Rectangle::x, {"column of its lower left tile", kPlace}),
                   needed("y", &Rectangle::y, {"row of its lower left tile", kPlace}),
                   needed("width", &Rectangle::width, {"columns of tiles, after rotation", kSide}),
                   needed("height", &Rectangle::height, {"rows of tiles, after rotation", kSide})}),
           {formed("rotation", kRotation,
                   {"degrees, against the shape that the stage was chosen from"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<StagePlacement>() {
  static const TypeRows rows = rows_for<StagePlacement>(
      "a placement",
      {format_row("waferloom/placement/1"),
       row("hardware", &StagePlacement::hardware, {"the name of what they were placed on"}),
       needed("stages", &StagePlacement::stages, {"the rectangle of each stage"})},
      check_names);
  return rows;
}

std::string stage_placement_text(const StagePlacement& placement) {
  // A stage a line.
  std::string text = "{\n  \"schema\": \"waferloom/placement/1\",\n";
  if (!placement.hardware.empty()) {
    text += "  \"hardware\": " + json_string(placement.hardware) + ",\n";
  }
  text += "  \"stages\": [";
  for (std::size_t i = 0; i < placement.stages.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    text += line_text(
        [&](ValueSink& sink) { write_rows(rows_of<PlacedStage>(), &placement.stages[i], sink); });
  }
  return text + "\n  ]\n}\n";
}

StagePlacement read_stage_placement(std::string_view text, const std::string& source) {
  return read_described<StagePlacement>(JsonReader(source, "placement"), parse_json(text, source));
}

std::string placement_schema() {
  return schema_text(rows_of<StagePlacement>(), "Placed stages (docs/plans.md)");
}

}  // namespace waferloom
