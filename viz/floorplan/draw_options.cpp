#include "viz/draw_options.h"

#include "viz/floorplan.h"

namespace waferloom::viz {

std::vector<OptionSpec> draw_options() {
  return {{.name = "colour",
           .value = "BY",
           .help = "Colour kernels by type (default), by slack to the slowest kernel, or by load, "
                   "the time as a share of the slowest one's.",
           .choices = choices_of(kColourNames),
           .fallback =
               std::string(kColourNames.at(static_cast<std::size_t>(FloorplanOptions{}.colour)))},
          {.name = "fabric", .value = "WxH", .help = "Draw the mesh of so many tiles instead."},
          {.name = "dead",
           .value = "X,Y,WxH",
           .help = "Mark a rectangle of dead tiles of the fabric; may be given again.",
           .repeated = true}};
}

}  // namespace waferloom::viz
