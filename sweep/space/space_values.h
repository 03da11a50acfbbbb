#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/text.h"
#include "sweep/space.h"

namespace waferloom::sweep {

/// The values of an axis at most: all are held.
inline constexpr std::size_t kMostValues = 100'000;

/// What a text, a number, true, false or null stands for. Throws InputError for anything else,
/// with what `expected` says.
SpaceValue scalar_value(const JsonReader& reader, const JsonValue& value,
                        const std::string& expected);

/// The JSON of a text, a number, true or false. Throws InputError for anything else.
std::string scalar_json(const JsonReader& reader, const JsonValue& value);

}  // namespace waferloom::sweep
