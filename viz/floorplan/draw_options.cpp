#include "viz/draw_options.h"

namespace waferloom::viz {

Options<DrawRequest> draw_options() {
  return {
      option(&DrawRequest::colour,
             {.name = "colour",
              .value = "BY",
              .help = "Colour kernels by type (default), by slack to the slowest kernel, or by "
                      "load, the time as a share of the slowest one's."}),
      option(&DrawRequest::fabric,
             {.name = "fabric", .value = "WxH", .help = "Draw the mesh of so many tiles instead."}),
      option(&DrawRequest::dead,
             {.name = "dead",
              .value = "X,Y,WxH",
              .help = "Mark a rectangle of dead tiles of the fabric; may be given again.",
              .repeated = true})};
}

}  // namespace waferloom::viz
