#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/text.h"

namespace waferloom {

/// Where the elements of one array of a file go in place of the value that is answered.
struct JsonItems {
  std::string_view key;                             ///< of the array, in the outermost object
  std::function<void(const JsonValue& item)> take;  ///< told of each element
};

/// As parse_json(), but for one array, whose elements are not kept: of a long list only one element
/// is in memory at a time.
JsonValue parse_json_items(std::string_view text, const std::string& source, JsonItems items);

/// As parse_json(), of a line of a file, counted from 1.
JsonValue parse_json_line(std::string_view text, const std::string& source, int line);

}  // namespace waferloom
