#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/rectangle.h"
#include "viz/link_heat_map.h"

namespace waferloom::cli {

/// What to draw of the links of a hardware's mesh, each busy a share of the time; `facts` of what
/// ran.
viz::LinkHeatMap link_picture(const Hardware& hardware, std::vector<double> link_busy,
                              std::vector<Rectangle> stages, std::string title,
                              std::string facts = {});

}  // namespace waferloom::cli
