#pragma once

#include <string_view>

#include "model/describe.h"
#include "model/routes.h"

namespace waferloom {

/// The letter of each direction in the text of a path.
inline constexpr std::string_view kPathLetters = "EWNS";

template <>
const TypeRows& rows_of<RoutedLane>();

}  // namespace waferloom
