#pragma once

#include "model/hardware.h"
#include "model/routes.h"
#include "router/route_result.h"

namespace waferloom::router {

/// Gives the tensors of a traffic lanes, paths and colours on a fabric (docs/router.md).
/// Deterministic. Throws RequestError for traffic that is not on the mesh.
///
/// Global routing is a concurrent multicommodity flow on cells of the mesh by multiplicative
/// weights (Garg and Könemann 1998; Fleischer 2000). Its prices are a dual solution, and so prove a
/// bound. Detailed routing sends lanes along the flow's paths, on the cheapest tracks, with rip-up
/// and reroute by negotiated congestion (PathFinder, McMurchie and Ebeling 1995). A lane that finds
/// no track goes through a maze. Where links bind, the router also tries mirror images of the
/// problem and fewer lanes, and takes the best.
RouteResult route(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options);

}  // namespace waferloom::router
