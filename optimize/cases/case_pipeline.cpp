#include "optimize/cases/case_pipeline.h"

#include <stdexcept>
#include <utility>

#include "router/route.h"
#include "sim/contest_pipeline.h"

namespace waferloom::optimize {

CasePipeline case_pipeline(const Problem& problem, const Placement& placement,
                           const Hardware& hardware, bool training, Routing routing,
                           const std::function<bool()>& stopped) {
  if (routing != Routing::planned) {
    return {sim::contest_pipeline(problem, placement, hardware, training)};
  }
  const Traffic traffic = sim::contest_traffic(problem, placement, hardware, training);
  router::RouteOptions options;
  options.stopped = stopped;
  router::RouteResult found = router::route(traffic, hardware, options);
  if (!found.infeasible.empty()) return {{}, {}, found.infeasible};
  const std::vector<RouteFault> faults = verify_routes(traffic, hardware, found.routes, 1);
  if (!faults.empty()) throw std::logic_error("planned routes: " + faults.front().message);
  return {sim::contest_pipeline(problem, placement, hardware, training, found.routes),
          std::move(found.routes)};
}

}  // namespace waferloom::optimize
