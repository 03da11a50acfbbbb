#pragma once

#include <string>

#include "cli/console/warnings.h"
#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"
#include "model/traffic.h"
#include "viz/route_picture.h"

namespace waferloom::cli {

/// A placement with its routes, which verify_routes has nothing against.
struct RoutedPlacement {
  const Problem& problem;
  const Placement& placement;
  const Hardware& hardware;
  bool training = false;
  const Traffic& traffic;
  const Routes& routes;
};

/// What to draw of them, beside the loads of links those of routes in dimension order, as `simulate
/// --routing xy` has them; a warning where there are none. What it is made of has to outlive it.
viz::RoutePicture route_picture(const RoutedPlacement& routed, Warnings& warnings);

}  // namespace waferloom::cli
