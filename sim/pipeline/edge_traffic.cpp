#include "sim/edge_traffic.h"

#include <algorithm>

#include "model/mesh.h"
#include "sim/mesh/route_planner.h"
#include "sim/pipeline/lanes.h"

namespace waferloom::sim {
namespace {

/// Busy times of links against that of the busiest.
class LinkHeat {
 public:
  LinkHeat(const Mesh& mesh, const std::vector<std::int64_t>& bytes) : mesh_(mesh), bytes_(bytes) {
    for (LinkIndex link = 0; link < bytes.size(); ++link) {
      most_ = std::max(most_, link_time(mesh, link, bytes[link]));
    }
  }
  double mean(const Route& route) const {
    double sum = 0;
    double links = 0;
    for_each_link(mesh_, route, [&](LinkIndex link) {
      sum += link_time(mesh_, link, bytes_[link]);
      ++links;
    });
    return links > 0 && most_ > 0 ? sum / (links * most_) : 0;
  }

 private:
  const Mesh& mesh_;
  const std::vector<std::int64_t>& bytes_;
  double most_ = 0;
};

}  // namespace

std::vector<double> edge_traffic(const Problem& problem, const Placement& placement,
                                 const Hardware& hardware, Routing routing,
                                 const std::vector<std::int64_t>& link_bytes) {
  const Mesh mesh(hardware);
  const LinkHeat heat(mesh, link_bytes);
  RoutePlanner planner(mesh, is_fixed(routing) ? routing : Routing::xy);
  const std::vector<Rectangle> tiles = rectangles(problem, placement);
  std::vector<double> traffic;
  for (const Connection& edge : problem.connections()) {
    const std::vector<Lane> lanes =
        lanes_between(tiles[edge.producer], tiles[edge.consumer], hardware.lanes_max);
    const double bytes = static_cast<double>(edge.tensor.elements()) *
                         static_cast<double>(hardware.element_bytes) /
                         static_cast<double>(lanes.size());
    double sum = 0;
    for (const Lane& lane : lanes) {
      const auto route = planner.plan(mesh.node(lane.from), mesh.node(lane.to), 0, 0);
      if (route) sum += bytes * heat.mean(*route);
    }
    traffic.push_back(sum);
  }
  return traffic;
}

}  // namespace waferloom::sim
