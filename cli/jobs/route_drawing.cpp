#include "cli/jobs/route_drawing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/errors.h"
#include "model/mesh.h"
#include "sim/contest_pipeline.h"
#include "sim/sample_links.h"

namespace waferloom::cli {
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

std::optional<viz::RouteLoads> dimension_order(const RoutedPlacement& routed, Warnings& warnings) {
  const Hardware& hardware = routed.hardware;
  const Mesh mesh(hardware);
  try {
    const std::vector<std::int64_t> bytes = sim::sample_link_bytes(
        sim::contest_pipeline(routed.problem, routed.placement, hardware, routed.training), mesh,
        Routing::xy);
    return viz::RouteLoads{"Before: dimension order (xy), " + std::to_string(hardware.lanes_max) +
                               (hardware.lanes_max == 1 ? " lane" : " lanes"),
                           busy_shares(bytes, mesh, routed.traffic)};
  } catch (const RequestError& error) {
    warnings.add(std::string("links in dimension order are not drawn: ") + error.what());
    return std::nullopt;
  }
}

viz::RouteLoads planned(const RoutedPlacement& routed) {
  const Mesh mesh(routed.hardware, link_reserve(routed.traffic, routed.hardware));
  const std::int64_t kept = routed.hardware.routing.kernel_link_percent;
  return {
      "After: planned" + (kept > 0 ? ", kernels keep " + std::to_string(kept) + " % of their links"
                                   : std::string(" routes")),
      busy_shares(link_bytes_of(routed.routes, mesh), mesh, routed.traffic)};
}

/// The colours of the blocks' kernels; none where a block has another name than all kernels.
std::vector<viz::Colour> tints_of(const Problem& problem, const Traffic& traffic) {
  std::map<std::string, viz::Colour> by_name;
  for (const ProblemKernel& kernel : problem.kernels()) {
    by_name[kernel.name] = viz::type_colour(kernel.kernel.formal);
  }
  std::vector<viz::Colour> tints;
  for (const TrafficBlock& block : traffic.blocks) {
    const auto at = by_name.find(block.name);
    if (at == by_name.end()) return {};
    tints.push_back(at->second);
  }
  return tints;
}

}  // namespace

viz::RoutePicture route_picture(const RoutedPlacement& routed, Warnings& warnings) {
  viz::RoutePicture picture{routed.hardware.wafer, routed.hardware.dead_links, routed.traffic,
                            routed.routes, tints_of(routed.problem, routed.traffic)};
  if (auto before = dimension_order(routed, warnings)) {
    picture.loads.push_back(*std::move(before));
  }
  picture.loads.push_back(planned(routed));
  return picture;
}

}  // namespace waferloom::cli
