#pragma once

#include <cstddef>
#include <vector>

#include "model/text.h"
#include "sweep/space.h"

namespace waferloom::sweep {

/// The values of an axis at most: all are held.
inline constexpr std::size_t kMostValues = 100'000;

/// What an element of an axis stands for: a text, a number, true, false or null is a value; an
/// object {hardware, set} all that the lists of its keys make. Throws InputError for anything else.
std::vector<SpaceValue> space_values(const JsonReader& reader, const JsonValue& value);

}  // namespace waferloom::sweep
