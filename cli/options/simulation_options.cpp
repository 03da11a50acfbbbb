#include "cli/options/simulation_options.h"

#include "cli/console/failure.h"
#include "cli/options/search_control.h"
#include "model/mesh.h"

namespace waferloom::cli {

Routing placement_routing(const sim::RunRequest& request, bool has_routes) {
  const Routing routing = request.routing.value_or(Routing::planned);
  if (has_routes) refuse_rule_beside_routes(routing);
  return routing;
}

void refuse_rule_beside_routes(Routing routing) {
  if (routing == Routing::planned) return;
  throw Failure(FailureKind::usage,
                "--routes: goes with --routing planned, not " + std::string(routing_name(routing)));
}

sim::SimulateOptions simulate_options(const sim::RunRequest& request, const CommonOptions& common) {
  sim::SimulateOptions options = request.options();
  options.control = run_control(common);
  return options;
}

}  // namespace waferloom::cli
