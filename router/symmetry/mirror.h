#pragma once

#include "model/hardware.h"
#include "model/routes.h"

namespace waferloom::router {

/// Which axes are counted from the other end.
struct Mirror {
  bool x = false;
  bool y = false;
};

/// Whether the mirrored fabric has the same links: groups of tiles, where links between two are
/// slower or later than others, have to fill the mesh.
bool may_mirror(const Hardware& hardware, const Mirror& mirror);

/// The same problem seen in a mirror: a solution of one is one of the other, and as good. Of a
/// hardware what has a place: dead tiles and links.
Traffic mirrored(Traffic traffic, const Hardware& hardware, const Mirror& mirror);
Hardware mirrored(Hardware hardware, const Mirror& mirror);
Rectangle mirrored(Rectangle tiles, const Hardware& hardware, const Mirror& mirror);
Routes mirrored(Routes routes, const Mirror& mirror);

}  // namespace waferloom::router
