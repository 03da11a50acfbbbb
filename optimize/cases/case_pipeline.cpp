#include "optimize/cases/case_pipeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "optimize/routes.h"
#include "router/route_bound.h"
#include "sim/contest_pipeline.h"

namespace waferloom::optimize {
namespace {

/// Places in a traffic, by connection of its problem.
std::vector<std::size_t> tensors_of_connections(const Problem& problem, const Traffic& traffic) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < traffic.tensors.size(); ++i) places[traffic.tensors[i].name] = i;
  std::vector<std::size_t> by_edge;
  for (const std::string& name : sim::connection_tensor_names(problem)) {
    by_edge.push_back(places.at(name));
  }
  return by_edge;
}

}  // namespace

CasePipeline case_pipeline(const Problem& problem, const Placement& placement,
                           const Hardware& hardware, bool training, Routing routing,
                           const router::RouteOptions& options) {
  if (routing != Routing::planned) {
    return {sim::contest_pipeline(problem, placement, hardware, training)};
  }
  const Traffic traffic = sim::contest_traffic(problem, placement, hardware, training);
  router::RouteResult found = verified_route(traffic, hardware, options);
  if (!found.infeasible.empty()) {
    return {{}, {}, found.infeasible, found.end == router::RouteEnd::stopped};
  }
  CasePipeline pipeline{sim::contest_pipeline(problem, placement, hardware, training, found.routes),
                        std::move(found.routes)};
  pipeline.lacks_room = !found.short_edge.empty();
  return pipeline;
}

CasePromise case_promise(const Problem& problem, const Placement& placement,
                         const Hardware& hardware, bool training) {
  const Traffic traffic = sim::contest_traffic(problem, placement, hardware, training);
  const router::RouteBound bound = router::route_bound(traffic, hardware);
  CasePromise promise;
  promise.infeasible = bound.infeasible;
  if (!bound.infeasible.empty()) return promise;
  for (const std::size_t at : tensors_of_connections(problem, traffic)) {
    promise.lanes_ps.push_back(bound.lanes_ps[at]);
  }
  promise.period_ps = std::max(bound.time_ps, static_cast<double>(traffic.period_ps));
  const auto slowest = std::max_element(
      traffic.blocks.begin(), traffic.blocks.end(),
      [](const TrafficBlock& a, const TrafficBlock& b) { return a.work_ps < b.work_ps; });
  if (bound.time_ps > static_cast<double>(traffic.period_ps)) {
    promise.by = router::proof_text(bound.proof);
  } else if (slowest->work_ps >= traffic.period_ps) {
    promise.by = "stage " + slowest->name;
  } else {
    promise.by = "slowest adapter or port";
  }
  return promise;
}

}  // namespace waferloom::optimize
