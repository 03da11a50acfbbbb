#pragma once

#include <optional>
#include <string>

#include "model/hardware.h"
#include "model/routes.h"
#include "model/run_control.h"
#include "router/route.h"

namespace waferloom::cli {

/// What `route` prints: busiest link, bound, lanes, hops, colours; in the first line what cut it.
std::string route_summary(const router::RouteResult& found, const Traffic& traffic,
                          const Hardware& hardware, const std::string& name,
                          const std::optional<CutReason>& cut_by = {});

/// What `route --bound` prints.
std::string bound_summary(const router::RouteBound& bound, const Traffic& traffic,
                          const std::string& name);

}  // namespace waferloom::cli
