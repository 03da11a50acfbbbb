#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "viz/canvas.h"

namespace waferloom::viz {

/// Number of code points of clean text.
std::size_t code_points(std::string_view clean);

/// At most `count` ≥ 1 code points of clean text, the last one "…" where something was left out.
std::string ellipsise(std::string_view clean, std::size_t count);

/// Advance width of clean text in page units, the same for all formats. Measured once in the
/// typeface at a large size, so it grows exactly with the size.
double text_width(std::string_view clean, const TextFace& face);

/// How far clean text reaches above and below its baseline in page units, measured likewise:
/// digits and capitals have nothing below.
struct TextRise {
  double above = 0;
  double below = 0;
};
TextRise text_rise(std::string_view clean, const TextFace& face);

/// The longest ellipsised form of `text` (cleaned here) that is at most `width` wide; empty if not
/// even three code points and the ellipsis are.
std::string fit_text(std::string_view text, const TextFace& face, double width);

}  // namespace waferloom::viz
