#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "model/mesh.h"
#include "viz/canvas.h"
#include "viz/route_picture.h"

namespace waferloom::viz {
namespace {

/// Times of a sample's bytes on links against that of the slowest stage.
std::vector<double> busy_shares(const std::vector<std::int64_t>& bytes, const Mesh& mesh,
                                const Traffic& traffic) {
  const auto period = static_cast<double>(std::max<std::int64_t>(1, traffic.period_ps));
  std::vector<double> shares(bytes.size(), 0);
  for (LinkIndex link = 0; link < bytes.size(); ++link) {
    if (bytes[link] > 0) shares[link] = link_time(mesh, link, bytes[link]) / period;
  }
  return shares;
}

RouteLoads dimension_order(const RoutedPlacement& routed) {
  return {fmt::format("Before: dimension order (xy), {}{}", routed.hardware.lanes_max,
                      routed.hardware.lanes_max == 1 ? " lane" : " lanes"),
          busy_shares(routed.dimension_order_bytes, Mesh(routed.hardware), routed.traffic)};
}

RouteLoads planned(const RoutedPlacement& routed) {
  const Mesh mesh(routed.hardware, link_reserve(routed.traffic, routed.hardware));
  const std::int64_t kept = routed.hardware.routing.kernel_link_percent;
  return {"After: planned" + (kept > 0 ? fmt::format(", kernels keep {} % of their links", kept)
                                       : std::string(" routes")),
          busy_shares(link_bytes_of(routed.routes, mesh), mesh, routed.traffic)};
}

/// The colours of the blocks' kernels; none where a block has another name than all kernels.
std::vector<Colour> tints_of(const Problem& problem, const Traffic& traffic) {
  std::map<std::string, Colour> by_name;
  for (const ProblemKernel& kernel : problem.kernels()) {
    by_name[kernel.name] = type_colour(kernel.kernel.formal);
  }
  std::vector<Colour> tints;
  for (const TrafficBlock& block : traffic.blocks) {
    const auto at = by_name.find(block.name);
    if (at == by_name.end()) return {};
    tints.push_back(at->second);
  }
  return tints;
}

}  // namespace

RoutePicture route_picture(const RoutedPlacement& routed) {
  RoutePicture picture{routed.hardware.wafer, routed.hardware.dead_links, routed.traffic,
                       routed.routes, tints_of(routed.problem, routed.traffic)};
  if (!routed.dimension_order_bytes.empty()) picture.loads.push_back(dimension_order(routed));
  picture.loads.push_back(planned(routed));
  return picture;
}

}  // namespace waferloom::viz
