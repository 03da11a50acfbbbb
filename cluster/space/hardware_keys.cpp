#include "cluster/space/hardware_keys.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/report.h"
#include "model/text.h"

namespace waferloom::cluster {
namespace {

/// The value of a dotted key, made where it is not there.
Json& place_of(Json& hardware, const sweep::Override& changed, const std::string& source) {
  Json* place = &hardware;
  for (std::size_t begin = 0; begin <= changed.key.size();) {
    const std::size_t end = std::min(changed.key.find('.', begin), changed.key.size());
    if (!place->is_object() && !place->is_null()) {
      throw InputError(source, changed.position, "hardware has no key " + in_quotes(changed.key));
    }
    place = &(*place)[changed.key.substr(begin, end - begin)];
    begin = end + 1;
  }
  return *place;
}

}  // namespace

std::string hardware_with_keys(const std::string& text,
                               const std::vector<sweep::Override>& overrides,
                               const std::string& source) {
  Json hardware = Json::parse(text);
  for (const sweep::Override& changed : overrides) {
    place_of(hardware, changed, source) = Json::parse(changed.json);
    try {
      read_hardware(hardware.dump(), source);
    } catch (const InputError& error) {
      throw InputError(source, changed.position,
                       "hardware with " + in_quotes(changed.key) + " = " + changed.json + ": " +
                           error.problems().front().message);
    }
  }
  return hardware.dump(2) + "\n";
}

}  // namespace waferloom::cluster
