#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace waferloom::viz {

/// One picture of an animation.
struct AnimationFrame {
  std::string png;                          ///< bytes of a PNG
  std::chrono::milliseconds duration{500};  ///< 1 … 65,535
};

/// The frames one after the other, again and again, as an animated PNG (PNG third edition, 2025;
/// browsers play it). Programs that know no animation show the last frame, which stands in front.
/// Throws std::logic_error if there is none, or they are not PNGs alike in size and pixels.
std::string animated_png(const std::vector<AnimationFrame>& frames);

}  // namespace waferloom::viz
