#pragma once

#include <cairo.h>

#include "viz/canvas.h"

namespace waferloom::viz {

/// The typeface of the pictures: the one that every Debian has with fontconfig; Verdana is its
/// sister of equal widths elsewhere.
inline constexpr const char* kTypeface = "DejaVu Sans";
inline constexpr const char* kSvgTypefaces = "DejaVu Sans, Verdana, sans-serif";

/// Selects the typeface without hinting, so that text is as wide as measured at any scale.
void select_typeface(cairo_t* context, const TextFace& face);

}  // namespace waferloom::viz
