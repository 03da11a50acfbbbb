#pragma once

#include <string_view>

#include "model/describe.h"
#include "model/routes.h"

namespace waferloom {

/// Of the legs of a path, by Direction.
inline constexpr std::string_view kPathLetters = "EWNS";

template <>
const TypeRows& rows_of<RoutedLane>();

}  // namespace waferloom
