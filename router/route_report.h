#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/report.h"
#include "router/route.h"

namespace waferloom::router {

/// What bounds a sample of the workload on found routes: stages, ports and adapters of the traffic,
/// the busiest link, or how buffers let samples follow one another. Nothing where nothing takes
/// time.
std::optional<Bottleneck> route_bottleneck(const RouteResult& found, const Traffic& traffic,
                                           const Hardware& hardware);

/// What a report has beside what was found.
struct RouteNotes {
  double wall_s = 0;
  std::vector<std::string> warnings{};
};

/// A report of schema waferloom/route/1: the busiest link of a sample, its bound, hops, colours,
/// and by tensor lanes, hops and the busiest link that it uses.
Report route_report(const RouteResult& found, const Traffic& traffic, const Hardware& hardware,
                    const RouteNotes& notes);
std::string route_schema();

}  // namespace waferloom::router
