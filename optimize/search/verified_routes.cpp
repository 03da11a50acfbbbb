#include <stdexcept>
#include <vector>

#include "model/errors.h"
#include "optimize/routes.h"

namespace waferloom::optimize {

router::RouteResult verified_route(const Traffic& traffic, const Hardware& hardware,
                                   const router::RouteOptions& options) {
  router::RouteResult found = router::route(traffic, hardware, options);
  if (!found.infeasible.empty()) return found;
  const std::vector<RouteFault> faults = verify_routes(traffic, hardware, found.routes, 1);
  if (!faults.empty()) {
    throw std::logic_error("planned routes are wrong: " + faults.front().message);
  }
  return found;
}

router::RouteResult demanded_route(const Traffic& traffic, const Hardware& hardware,
                                   const RunControl& control) {
  router::RouteOptions options;
  options.control = control;
  router::RouteResult found = verified_route(traffic, hardware, options);
  if (found.infeasible.empty()) return found;
  if (found.end == router::RouteEnd::stopped) throw RunCut(control.cut_reason());
  throw InfeasibleError(found.infeasible);
}

}  // namespace waferloom::optimize
