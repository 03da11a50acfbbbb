#include "sweep/space/space_file.h"
#include "sweep/space/space_values.h"

// What the file of a space has: its rows, and forms of its own for values that may be of several
// kinds.

namespace waferloom {
namespace sweep {
namespace {

constexpr double kMostNumber = 1e18;
constexpr RealRange kAnyNumber{-kMostNumber, kMostNumber};

/// {type: [string, number, boolean]}, and null where it may be.
void describe_scalar(bool or_null, ValueSink& schema) {
  schema.key("type");
  schema.open_list();
  for (const char* kind : {"string", "number", "boolean"}) schema.text(kind);
  if (or_null) schema.text("null");
  schema.close();
}

/// A scalar or a list of them.
void describe_scalars(bool or_null, std::int64_t least, ValueSink& schema) {
  schema.key("anyOf");
  schema.open_list();
  schema.open_object();
  describe_scalar(or_null, schema);
  schema.close();
  schema.open_object();
  schema.pair("type", "array");
  if (least > 0) schema.pair("minItems", least);
  schema.key("items");
  schema.open_object();
  describe_scalar(or_null, schema);
  schema.close();
  schema.close();
  schema.close();
}

/// The items of a list, or the value itself.
std::vector<const JsonValue*> items_of(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::array) return {&value};
  std::vector<const JsonValue*> items;
  for (const JsonValue& item : value.items) items.push_back(&item);
  return items;
}

/// Of what no command writes.
template <typename Owner>
void write_nothing(const Owner& /*from*/, ValueSink& sink) {
  sink.nothing();
}

void read_choices(const JsonReader& reader, const JsonValue& value, KeyChoices& into) {
  into.at = value.position;
  for (const JsonValue* item : items_of(value)) into.json.push_back(scalar_json(reader, *item));
  if (into.json.empty()) reader.fail(value, "at least one value");
}

void read_excluded(const JsonReader& reader, const JsonValue& value, ExcludedCells& into) {
  for (const JsonValue* item : items_of(value)) {
    const std::string cell =
        scalar_value(reader, *item, "a text, a number, true, false or null").cell();
    into.cells.push_back({cell, item->position});
  }
}

/// The product of the lists of its keys.
std::vector<SpaceValue> hardware_values(const JsonReader& reader, const JsonValue& value) {
  const auto file = read_described<HardwareFile>(reader, value);
  std::vector<SpaceValue> values{{.text = file.hardware, .position = value.position}};
  for (const auto& [key, at, choices] : file.keys) {
    std::vector<SpaceValue> product;
    for (const SpaceValue& begun : values) {
      for (const std::string& json : choices.json) {
        product.push_back(begun);
        product.back().overrides.push_back({key, json, at});
      }
      if (product.size() > kMostValues) {
        reader.fail(choices.at, "expected at most 100000 hardwares");
      }
    }
    values = std::move(product);
  }
  return values;
}

void read_element(const JsonReader& reader, const JsonValue& value, AxisElement& into) {
  if (value.kind == JsonValue::Kind::object) {
    into.values = hardware_values(reader, value);
  } else {
    into.values = {scalar_value(reader, value,
                                "a text, a number, true, false, null or an object with hardware")};
  }
}

void describe_element(ValueSink& schema) {
  schema.key("anyOf");
  schema.open_list();
  schema.open_object();
  describe_scalar(true, schema);
  schema.close();
  schema.open_object();
  describe_rows(rows_of<HardwareFile>(), schema);
  schema.close();
  schema.close();
}

void check_range(const JsonReader& reader, const JsonValue& value, RangeFile& range) {
  if (range.to < range.from) reader.fail(value, "from at most to");
  if (range.step && range.factor) reader.fail(value, "step or factor, not both");
  if (range.step || range.factor) {
    for (const char* key : {"scale", "whole"}) {
      const JsonValue* idle = JsonReader::find(value, key);
      if (idle != nullptr) reader.fail(*idle, "scale and whole only without step and factor");
    }
  }
  if (range.factor && range.from <= 0) {
    reader.fail(reader.at(value, "factor"), "from above 0 for a factor");
  }
  if (range.scale == RangeScale::log && range.from <= 0) {
    reader.fail(reader.at(value, "scale"), "from above 0 for scale log");
  }
}

}  // namespace
}  // namespace sweep

template <>
const ValueType& type_of<sweep::KeyChoices>() {
  using sweep::KeyChoices;
  static const described::Formed<KeyChoices> type(
      {sweep::read_choices, sweep::write_nothing<KeyChoices>,
       [](ValueSink& schema) { sweep::describe_scalars(false, 1, schema); }});
  return type;
}

template <>
const ValueType& type_of<sweep::ExcludedCells>() {
  using sweep::ExcludedCells;
  static const described::Formed<ExcludedCells> type(
      {sweep::read_excluded, sweep::write_nothing<ExcludedCells>,
       [](ValueSink& schema) { sweep::describe_scalars(true, 0, schema); }});
  return type;
}

template <>
const ValueType& type_of<sweep::AxisElement>() {
  using sweep::AxisElement;
  static const described::Formed<AxisElement> type(
      {sweep::read_element, sweep::write_nothing<AxisElement>, sweep::describe_element});
  return type;
}

template <>
const TypeRows& rows_of<sweep::HardwareFile>() {
  using sweep::HardwareFile;
  static const TypeRows rows = rows_for<HardwareFile>(
      "a hardware",
      {needed("hardware", &HardwareFile::hardware, {"a preset or a file"}),
       needed("set", &HardwareFile::keys,
              {"values of keys of the hardware, as link.bytes_per_s; lists make their product"})});
  return rows;
}

template <>
const TypeRows& rows_of<sweep::RangeFile>() {
  using sweep::kAnyNumber;
  using sweep::RangeFile;
  const auto above = [](RealRange range) { return RealRange{range.least, sweep::kMostNumber}; };
  static const TypeRows rows = rows_for<RangeFile>(
      "a range",
      {needed("from", &RangeFile::from, {"the first value", kAnyNumber}),
       needed("to", &RangeFile::to, {"the last value, where steps come to it", kAnyNumber}),
       row("step", &RangeFile::step,
           {.meaning = "what is added from value to value",
            .range = above(kAboveZero),
            .or_null = false}),
       row("factor", &RangeFile::factor,
           {.meaning = "what a value is multiplied with to get the next",
            .range = above(kAboveOne),
            .or_null = false}),
       row("scale", &RangeFile::scale,
           {.meaning = "in equal steps of which samples draw; linear by default",
            .or_null = false}),
       row("whole", &RangeFile::whole,
           {.meaning = "whether what samples draw is rounded", .or_null = false})},
      sweep::check_range);
  return rows;
}

template <>
const TypeRows& rows_of<sweep::Sampling>() {
  using sweep::Sampling;
  constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;
  static const TypeRows rows = rows_for<Sampling>(
      "sample", {needed("method", &Sampling::method, {"how points are drawn"}),
                 needed("points", &Sampling::points,
                        {"points that are drawn",
                         NumberRange{1, static_cast<std::int64_t>(sweep::kMostPoints)}}),
                 row("seed", &Sampling::seed,
                     {"of the random numbers; the same seed draws the same points",
                      NumberRange{0, kMostSeed}})});
  return rows;
}

template <>
const TypeRows& rows_of<sweep::SpaceFile>() {
  using sweep::SpaceFile;
  constexpr NumberRange kAtLeastTwo{2, kCount.most};
  static const TypeRows rows = rows_for<SpaceFile>(
      "a space",
      {format_row("waferloom/sweep_space/1"),
       needed("command", &SpaceFile::command, {"the command that the points run, as place"}),
       row("set", &SpaceFile::fixed,
           {.meaning = "operands and options that are the same for all points",
            .item = "a value of set"}),
       needed("axes", &SpaceFile::axes,
              {.meaning = "operands and options that vary: a list of values or a range each",
               .items = kPositiveCount,
               .item = "an axis",
               .inner_item = "a value",
               .inner_items = kPositiveCount}),
       row("zip", &SpaceFile::zips,
           {.meaning = "axes that move together",
            .item = "a zip",
            .inner_item = "the name of an axis",
            .inner_items = kAtLeastTwo}),
       row("exclude", &SpaceFile::exclusions,
           {.meaning = "points that are left out: of each, cells by column",
            .item = "an exclusion",
            .inner_item = "cells",
            .inner_items = kPositiveCount}),
       row("sample", &SpaceFile::sampling,
           {.meaning = "points that are drawn in place of the product", .or_null = false})},
      sweep::make_space);
  return rows;
}

namespace sweep {

std::string space_schema() {
  return schema_text(rows_of<SpaceFile>(), "What waferloom sweep plan reads");
}

}  // namespace sweep
}  // namespace waferloom
