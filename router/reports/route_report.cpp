#include "router/route_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/mesh.h"
#include "router/route_bound.h"

namespace waferloom::router {
namespace {

/// Picoseconds as a whole number; bounds are rounded down.
std::int64_t whole_ps(double time) { return static_cast<std::int64_t>(std::floor(time + 1e-6)); }

Json link_json(const BusiestLink& busiest, const Mesh& mesh) {
  const NodeIndex from = Mesh::source(busiest.link);
  return {{"x", mesh.x(from)},
          {"y", mesh.y(from)},
          {"direction", mesh.link_name(busiest.link)},
          {"time_ps", whole_ps(std::ceil(busiest.time_ps))}};
}

Json tensor_json(const RoutedTensor& tensor, TensorKind kind) {
  std::int64_t hops = 0;
  std::int64_t longest = 0;
  for (const RoutedLane& lane : tensor.lanes) {
    hops += hops_of(lane.path);
    longest = std::max(longest, hops_of(lane.path));
  }
  return {{"name", tensor.name},   {"kind", tensor_kind_name(kind)},
          {"bytes", tensor.bytes}, {"lanes", tensor.lanes.size()},
          {"hops", hops},          {"longest_hops", longest}};
}

}  // namespace

std::optional<Bottleneck> route_bottleneck(const RouteResult& found, const Traffic& traffic,
                                           const Hardware& hardware) {
  constexpr double kPicosecond = 1e-12;
  const Mesh mesh(hardware);
  std::vector<NamedBound> bounds = traffic.bounds;
  bounds.push_back(
      {"link", mesh.link_text(found.busiest.link), found.busiest.time_ps * kPicosecond});
  bounds.push_back({"link", "tile " + tile_text(mesh.place(found.busiest_tile.tile)),
                    found.busiest_tile.time_ps * kPicosecond});
  if (!found.short_edge.empty()) {
    bounds.push_back(
        {"schedule", "room for samples of " + found.short_edge, found.period_ps * kPicosecond});
  }
  std::optional<Bottleneck> bottleneck = bottleneck_of(bounds, "a sample");
  if (bottleneck) bottleneck->divide(static_cast<double>(traffic.samples_each));
  return bottleneck;
}

Json route_json(const RouteResult& found, const Traffic& traffic, const Hardware& hardware) {
  const Mesh mesh(hardware, link_reserve(traffic, hardware));
  const Mesh open(hardware);
  Json report = new_report("route");
  report["hardware"] = hardware.name;
  report["busiest_link"] = link_json(found.busiest, mesh);
  report["busiest_link_without_kernels"] = link_json(busiest_link(found.routes, open), open);
  report["bound_ps"] = whole_ps(found.bound_ps);
  report["bound_by"] = proof_text(found.proof);
  report["flow_ps"] = whole_ps(std::ceil(found.flow_ps));
  report["stage_ps"] = traffic.period_ps;
  report["bottleneck"] = bottleneck_json(route_bottleneck(found, traffic, hardware));
  report["end"] = route_end_name(found.end);
  report["buffers"] = {{"bytes", found.buffer_bytes},
                       {"period_ps", whole_ps(std::ceil(found.period_ps))},
                       {"unlimited_ps", whole_ps(std::ceil(found.unlimited_ps))},
                       {"short_edge", found.short_edge.empty() ? Json() : Json(found.short_edge)},
                       {"fit", found.buffers_fit}};
  report["lanes"] = found.lanes;
  report["hops"] = found.hops;
  report["colours"] = found.colours;
  report["tensors"] = Json::array();
  for (std::size_t i = 0; i < found.routes.tensors.size(); ++i) {
    report["tensors"].push_back(tensor_json(found.routes.tensors[i], traffic.tensors[i].kind));
  }
  return report;
}

}  // namespace waferloom::router
