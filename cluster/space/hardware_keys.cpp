#include "cluster/space/hardware_keys.h"

#include <algorithm>

#include "model/describe.h"
#include "model/errors.h"
#include "model/hardware.h"
#include "model/text.h"

namespace waferloom::cluster {
namespace {

/// The value of a key of an object, made where it is not there. A null becomes an object.
JsonValue& member_of(JsonValue& object, const std::string& key) {
  object.kind = JsonValue::Kind::object;
  const auto found = std::find(object.keys.begin(), object.keys.end(), key);
  if (found != object.keys.end()) {
    return object.items[static_cast<std::size_t>(found - object.keys.begin())];
  }
  object.keys.push_back(key);
  object.at.push_back(object.position);
  return object.items.emplace_back();
}

/// The value of a dotted key, made where it is not there.
JsonValue& place_of(JsonValue& hardware, const sweep::Override& changed,
                    const std::string& source) {
  JsonValue* place = &hardware;
  for (std::size_t begin = 0; begin <= changed.key.size();) {
    const std::size_t end = std::min(changed.key.find('.', begin), changed.key.size());
    if (place->kind != JsonValue::Kind::object && place->kind != JsonValue::Kind::null) {
      throw InputError(source, changed.position, "hardware has no key " + in_quotes(changed.key));
    }
    place = &member_of(*place, changed.key.substr(begin, end - begin));
    begin = end + 1;
  }
  return *place;
}

}  // namespace

std::string hardware_with_keys(const std::string& text,
                               const std::vector<sweep::Override>& overrides,
                               const std::string& source) {
  JsonValue hardware = parse_json(text, source);
  for (const sweep::Override& changed : overrides) {
    place_of(hardware, changed, source) = parse_json(changed.json, source);
    try {
      read_hardware(hashed_text(hardware), source);
    } catch (const InputError& error) {
      throw InputError(source, changed.position,
                       "hardware with " + in_quotes(changed.key) + " = " + changed.json + ": " +
                           error.problems().front().message);
    }
  }
  return hashed_text(hardware);
}

}  // namespace waferloom::cluster
