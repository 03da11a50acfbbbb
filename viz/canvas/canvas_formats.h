#pragma once

#include <memory>

#include "viz/canvas.h"

namespace waferloom::viz {

// The two techniques behind make_canvas; page sizes are whole units.

std::unique_ptr<Canvas> make_svg_canvas(const PageOptions& page);
std::unique_ptr<Canvas> make_cairo_canvas(const PageOptions& page);

}  // namespace waferloom::viz
