#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "model/option_spec.h"

namespace waferloom::viz {

/// Names of the values of FloorplanOptions::Colour.
inline constexpr std::array<std::string_view, 3> kColourNames{"type", "slack", "load"};

/// What is drawn, and how: colour, fabric, dead. Defaults are those of FloorplanOptions.
std::vector<OptionSpec> draw_options();

}  // namespace waferloom::viz
