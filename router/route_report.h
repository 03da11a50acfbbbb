#pragma once

#include "model/report.h"
#include "router/route.h"

namespace waferloom::router {

/// What bounds a sample of the workload on found routes: stages, ports and adapters of the traffic,
/// the busiest link, or how buffers let samples follow one another. Nothing where nothing takes
/// time.
std::optional<Bottleneck> route_bottleneck(const RouteResult& found, const Traffic& traffic,
                                           const Hardware& hardware);

/// A report of schema waferloom/route/1: the busiest link of a sample, its bound, hops, colours,
/// and by tensor lanes, hops and the busiest link that it uses.
Json route_json(const RouteResult& found, const Traffic& traffic, const Hardware& hardware);

}  // namespace waferloom::router
