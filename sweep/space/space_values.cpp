#include "sweep/space/space_values.h"

#include <nlohmann/json.hpp>
#include <string>

#include "model/report.h"
#include "sweep/space/range_values.h"

namespace waferloom::sweep {
namespace {

std::string scalar_json(const JsonReader& reader, const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::number:
      return plain_number(value.text);
    case JsonValue::Kind::boolean:
      return value.text;
    case JsonValue::Kind::string:
      return Json(value.text).dump(-1, ' ', false, Json::error_handler_t::replace);
    default:
      reader.fail(value, "a number, a text, true or false");
  }
}

std::vector<SpaceValue> hardware_values(const JsonReader& reader, const JsonValue& object) {
  reader.expect_keys(object, "a hardware as an object with hardware and set", {"hardware", "set"});
  const JsonValue& name = reader.at(object, "hardware");
  std::vector<SpaceValue> values{
      {.text = reader.string(name, "hardware"), .position = object.position}};
  const JsonValue& keys = reader.at(object, "set");
  reader.expect_object(keys, "set as an object of keys of the hardware");
  for (std::size_t i = 0; i < keys.keys.size(); ++i) {
    const JsonValue& item = keys.items[i];
    const std::vector<JsonValue> single{item};
    const std::vector<JsonValue>& list = item.kind == JsonValue::Kind::array ? item.items : single;
    if (list.empty()) reader.fail(item, "at least one value");
    std::vector<SpaceValue> product;
    for (const SpaceValue& begun : values) {
      for (const JsonValue& choice : list) {
        product.push_back(begun);
        product.back().overrides.push_back({keys.keys[i], scalar_json(reader, choice), keys.at[i]});
      }
      if (product.size() > kMostValues) reader.fail(item, "at most 100000 hardwares");
    }
    values = std::move(product);
  }
  return values;
}

}  // namespace

std::vector<SpaceValue> space_values(const JsonReader& reader, const JsonValue& value) {
  if (value.kind == JsonValue::Kind::object) return hardware_values(reader, value);
  SpaceValue read{.position = value.position};
  switch (value.kind) {
    case JsonValue::Kind::string:
      read.text = value.text;
      break;
    case JsonValue::Kind::number:
      read.text = plain_number(value.text);
      break;
    case JsonValue::Kind::boolean:
      read.kind = value.text == "true" ? SpaceValue::Kind::flag : SpaceValue::Kind::absent;
      break;
    case JsonValue::Kind::null:
      read.kind = SpaceValue::Kind::absent;
      break;
    case JsonValue::Kind::array:
    case JsonValue::Kind::object:
      reader.fail(value, "a text, a number, true, false, null or an object with hardware");
  }
  return {read};
}

}  // namespace waferloom::sweep
