#pragma once

#include <cstdint>
#include <string>

#include "kernels/formal.h"

namespace waferloom::viz {

/// An sRGB colour; alpha in [0, 1], 0 is invisible.
struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  double alpha = 1;
  bool operator==(const Colour&) const = default;
};

inline constexpr Colour kNoColour{0, 0, 0, 0};
inline constexpr Colour kWhite{255, 255, 255};
inline constexpr Colour kInk{28, 33, 40};       ///< text and edges
inline constexpr Colour kMuted{101, 109, 118};  ///< secondary text, axes
inline constexpr Colour kHairline{222, 226, 230};
inline constexpr Colour kSilicon{246, 247, 249};  ///< empty tiles
inline constexpr Colour kAlarm{208, 20, 44};      ///< what breaks a rule
inline constexpr Colour kAdapter{152, 36, 118};   ///< adapter mismatches
inline constexpr Colour kPort{0, 94, 162};        ///< network ports, terminals

/// The same colour with another alpha.
Colour faded(const Colour& colour, double alpha);

/// share of `to` in [0, 1], the rest `from`, per channel; alpha likewise.
Colour mix(const Colour& from, const Colour& to, double share);

/// Relative luminance in [0, 1] (WCAG 2.1, sRGB linearised).
double luminance(const Colour& colour);

/// kInk or white, whichever contrasts more with an opaque background.
Colour readable_on(const Colour& background);

/// "#rrggbb", without alpha.
std::string hex(const Colour& colour);

/// Fill of a kernel by type: light tints of blue (conv), amber (dblock), teal (cblock) and purple
/// (list of shapes) of the Okabe-Ito palette, which stay apart for every common kind of colour
/// vision.
Colour type_colour(const KernelFormal& formal);

/// Sequential map for slack as a share of its largest, in [0, 1] (clamped): blue at 0, where the
/// slowest kernels are, to pale yellow at 1. The lighter part of ColorBrewer's YlGnBu, safe for
/// colour-blind eyes and light enough to be written and drawn on in ink.
Colour slack_colour(double share);

}  // namespace waferloom::viz
