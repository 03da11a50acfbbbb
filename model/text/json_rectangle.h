#pragma once

#include <cstdint>

#include "model/rectangle.h"
#include "model/text/json_text.h"

namespace waferloom {

/// {x, y, width, height} with x and y within ± farthest and sides from 1 to farthest.
Rectangle json_rectangle(const JsonReader& reader, const JsonValue& value, std::int64_t farthest);

}  // namespace waferloom
