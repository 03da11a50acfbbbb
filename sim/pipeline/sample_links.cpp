#include "model/errors.h"
#include "sim/mesh/link_bytes.h"
#include "sim/pipeline/demands.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline/sample_routes.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

Route demanded_route(const Mesh& mesh, RoutePlanner& planner, const Lane& lane, bool back,
                     std::int64_t bytes) {
  auto route = lane_route(mesh, planner, lane, back, 0, bytes);
  if (route) return *std::move(route);
  throw InfeasibleError("no way from tile " + tile_text(lane.from) + " to tile " +
                        tile_text(lane.to) + " around what is dead");
}

std::vector<std::int64_t> sample_link_bytes(const PipelineSpec& spec, const Mesh& mesh,
                                            Routing routing) {
  if (!is_fixed(routing)) {
    throw RequestError("routing " + std::string(routing_name(routing)) +
                       " takes other routes for other samples");
  }
  RoutePlanner planner(mesh, routing);
  LinkBytes bytes(mesh);
  for_each_sample_lane(spec, [&](const Lane& lane, bool back, std::int64_t part) {
    bytes.count(demanded_route(mesh, planner, lane, back, part), part);
  });
  return bytes.totals();
}

}  // namespace waferloom::sim
