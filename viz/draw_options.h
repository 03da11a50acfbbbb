#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/option_spec.h"
#include "viz/floorplan.h"

namespace waferloom::viz {

/// Names of the values of FloorplanOptions::Colour.
inline constexpr std::array<std::string_view, 3> kColourNames{"type", "slack", "load"};
constexpr std::span<const std::string_view> words_of(FloorplanOptions::Colour /*of*/) {
  return kColourNames;
}

/// What is drawn, and how.
struct DrawRequest {
  FloorplanOptions::Colour colour = FloorplanOptions{}.colour;
  std::optional<std::string> fabric;  ///< a mesh of so many tiles instead
  std::vector<std::string> dead;      ///< rectangles of it
};
/// colour, fabric, dead.
Options<DrawRequest> draw_options();

}  // namespace waferloom::viz
