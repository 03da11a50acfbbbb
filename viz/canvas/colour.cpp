#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "viz/canvas.h"

namespace waferloom::viz {
namespace {

std::uint8_t mix_channel(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
}

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

constexpr std::array<Colour, 6> kSlackStops{{{50, 152, 197},
                                             {76, 184, 196},
                                             {127, 205, 187},
                                             {199, 233, 180},
                                             {237, 248, 177},
                                             {255, 255, 217}}};

}  // namespace

Colour faded(const Colour& colour, double alpha) {
  Colour result = colour;
  result.alpha = alpha;
  return result;
}

Colour mix(const Colour& from, const Colour& to, double share) {
  return {mix_channel(from.red, to.red, share), mix_channel(from.green, to.green, share),
          mix_channel(from.blue, to.blue, share), from.alpha + (to.alpha - from.alpha) * share};
}

double luminance(const Colour& colour) {
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

Colour readable_on(const Colour& background) {
  const double light = luminance(background) + 0.05;
  const bool ink_wins = light / (luminance(kInk) + 0.05) >= (luminance(kWhite) + 0.05) / light;
  return ink_wins ? kInk : kWhite;
}

std::string hex(const Colour& colour) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "#";
  for (const int channel : {int{colour.red}, int{colour.green}, int{colour.blue}}) {
    text += kDigits[channel / 16];
    text += kDigits[channel % 16];
  }
  return text;
}

Colour type_colour(const KernelFormal& formal) {
  if (std::holds_alternative<ConvFormal>(formal)) return {166, 210, 242};
  if (std::holds_alternative<DblockFormal>(formal)) return {250, 214, 137};
  if (std::holds_alternative<CblockFormal>(formal)) return {110, 190, 168};
  return {214, 184, 216};
}

Colour slack_colour(double share) {
  const double position = std::clamp(share, 0.0, 1.0) * double(kSlackStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), kSlackStops.size() - 2);
  return mix(kSlackStops[below], kSlackStops[below + 1], position - double(below));
}

}  // namespace waferloom::viz
