#include "sweep/space/space_values.h"

#include "model/describe.h"
#include "sweep/space/range_values.h"

namespace waferloom::sweep {

SpaceValue scalar_value(const JsonReader& reader, const JsonValue& value,
                        const std::string& expected) {
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
      reader.fail(value, expected);
  }
  return read;
}

std::string scalar_json(const JsonReader& reader, const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::number:
      return plain_number(value.text);
    case JsonValue::Kind::boolean:
      return value.text;
    case JsonValue::Kind::string:
      return json_string(value.text);
    default:
      reader.fail(value, "a number, a text, true or false");
  }
}

}  // namespace waferloom::sweep
