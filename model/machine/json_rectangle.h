#pragma once

#include <cstdint>

#include "model/describe.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {

template <>
const TypeRows& rows_of<Rectangle>();

/// {x, y, width, height} with x and y within ± farthest and sides from 1 to farthest.
Rectangle json_rectangle(const JsonReader& reader, const JsonValue& value, std::int64_t farthest);

/// Dead tiles of which at least one lies on the mesh; an InputError names the key that leaves it.
Rectangle json_dead_rectangle(const JsonReader& reader, const JsonValue& value, const Wafer& mesh);
/// The row `dead` of a wafer. Whether its rectangles reach the wafer is looked at later.
Row dead_row();

}  // namespace waferloom
