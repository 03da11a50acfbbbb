#pragma once

#include <string>

#include "model/describe.h"
#include "model/hardware.h"

namespace waferloom {

/// Reads [x, y], up to the tile `last`. Throws InputError with its place.
TilePlace read_tile(const JsonReader& reader, const JsonValue& value, const std::string& what,
                    const TilePlace& last);

/// [x, y]. Whether it is on the mesh is looked at when the mesh is known.
template <>
const ValueType& type_of<TilePlace>();

}  // namespace waferloom
