#include "cli/options/simulation_options.h"

#include "cli/console/failure.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "sim/simulate.h"

namespace waferloom::cli {

sim::NetworkKind parse_network(const Arguments& arguments) {
  return named<sim::NetworkKind>(arguments, "network", sim::kNetworkNames);
}

std::optional<Routing> parse_routing(const Arguments& arguments) {
  if (!arguments.has("routing")) return std::nullopt;
  if (arguments.text("routing") == routing_name(Routing::planned)) return Routing::planned;
  return named<Routing>(arguments, "routing", kRoutingNames);
}

Routing placement_routing(const Arguments& arguments) {
  const Routing routing = parse_routing(arguments).value_or(Routing::planned);
  if (arguments.has("routes")) refuse_rule_beside_routes(routing);
  return routing;
}

void refuse_rule_beside_routes(Routing routing) {
  if (routing == Routing::planned) return;
  throw Failure(FailureKind::usage,
                "--routes: goes with --routing planned, not " + std::string(routing_name(routing)));
}

sim::SimulateOptions simulate_options(const Arguments& arguments) {
  sim::SimulateOptions options;
  options.network = parse_network(arguments);
  options.routing = parse_routing(arguments).value_or(options.routing);
  if (arguments.takes("samples")) options.samples = whole(arguments, "samples");
  if (arguments.takes("patience")) options.patience = whole<std::uint32_t>(arguments, "patience");
  // Of plan and optimize it counts what is simulated, and by default so many are not listed.
  if (arguments.has("top")) options.top = whole<std::size_t>(arguments, "top");
  options.extrapolate = !arguments.has("no-extrapolation");
  options.control = run_control(arguments.common());
  return options;
}

}  // namespace waferloom::cli
