#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "model/report.h"

namespace waferloom::test {

/// Checks every key and value, and the order of keys and rows. A failure shows what differs as a
/// JSON patch from the expected text to the actual value.
inline void check_json(const Json& actual, const std::string& expected) {
  const Json wanted = Json::parse(expected);
  INFO(Json::diff(wanted, actual).dump(1));
  CHECK(actual == wanted);
}

}  // namespace waferloom::test
