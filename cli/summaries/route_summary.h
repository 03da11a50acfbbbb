#pragma once

#include <string>

#include "model/hardware.h"
#include "model/traffic.h"
#include "router/route.h"

namespace waferloom::cli {

/// What `route` prints: busiest link, bound, lanes, hops, colours.
std::string route_summary(const router::RouteResult& found, const Traffic& traffic,
                          const Hardware& hardware, const std::string& name);

/// What `route --bound` prints.
std::string bound_summary(const router::RouteBound& bound, const Traffic& traffic,
                          const std::string& name);

}  // namespace waferloom::cli
