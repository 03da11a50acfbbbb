#pragma once

#include "model/report.h"
#include "router/route.h"

namespace waferloom::router {

/// A report of schema waferloom/route/1: the busiest link of a sample, its bound, hops, colours,
/// and by tensor lanes, hops and the busiest link that it uses.
Json route_json(const RouteResult& found, const Traffic& traffic, const Hardware& hardware);

}  // namespace waferloom::router
