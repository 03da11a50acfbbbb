#include "router/route_report.h"

#include <algorithm>
#include <cmath>

#include "model/describe.h"
#include "model/mesh.h"
#include "router/route_bound.h"

namespace waferloom {
namespace {

/// Picoseconds as a whole number; bounds are rounded down.
std::int64_t whole_ps(double time) { return static_cast<std::int64_t>(std::floor(time + 1e-6)); }
std::int64_t whole_ps_up(double time) { return whole_ps(std::ceil(time)); }

/// The busiest link of a mesh.
struct LinkPlace {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::string_view direction;
  std::int64_t time_ps = 0;
};

LinkPlace link_place(const BusiestLink& busiest, const Mesh& mesh) {
  const NodeIndex from = Mesh::source(busiest.link);
  return {mesh.x(from), mesh.y(from), mesh.link_name(busiest.link), whole_ps_up(busiest.time_ps)};
}

/// What the lanes of a tensor come to.
struct TensorLanes {
  std::string name;
  TensorKind kind = TensorKind::edge;
  std::int64_t bytes = 0;
  std::size_t lanes = 0;
  std::int64_t hops = 0;
  std::int64_t longest_hops = 0;
};

TensorLanes tensor_lanes(const RoutedTensor& tensor, TensorKind kind) {
  TensorLanes found{tensor.name, kind, tensor.bytes, tensor.lanes.size()};
  for (const RoutedLane& lane : tensor.lanes) {
    found.hops += hops_of(lane.path);
    found.longest_hops = std::max(found.longest_hops, hops_of(lane.path));
  }
  return found;
}

}  // namespace

template <>
const TypeRows& rows_of<LinkPlace>() {
  static const TypeRows rows = report_rows(
      {row("x", &LinkPlace::x, {"column of the tile that the link leaves, from 0", kCount}),
       row("y", &LinkPlace::y, {"row of the tile that the link leaves, from 0", kCount}),
       listed_row(row("direction", &LinkPlace::direction, {"the direction of the link"}),
                  words_of(Direction::east)),
       row("time_ps", &LinkPlace::time_ps, {"picoseconds that a sample takes on it", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<TensorLanes>() {
  static const TypeRows rows = report_rows(
      {row("name", &TensorLanes::name, {"name of the tensor"}),
       row("kind", &TensorLanes::kind, {"what it is: an edge, an input or an output"}),
       row("bytes", &TensorLanes::bytes, {"bytes of a sample", kCount}),
       row("lanes", &TensorLanes::lanes, {"lanes of the tensor", kCount}),
       row("hops", &TensorLanes::hops, {"hops of all its lanes", kCount}),
       row("longest_hops", &TensorLanes::longest_hops, {"hops of its longest lane", kCount})});
  return rows;
}

namespace router {

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

namespace {

struct RouteReport {
  const RouteResult* found;
  const Traffic* traffic;
  const Hardware* hardware;
  const RouteNotes* notes;
};

LinkPlace busiest_place(const RouteReport& report) {
  const Mesh mesh(*report.hardware, link_reserve(*report.traffic, *report.hardware));
  return link_place(report.found->busiest, mesh);
}

LinkPlace busiest_open_place(const RouteReport& report) {
  const Mesh open(*report.hardware);
  return link_place(busiest_link(report.found->routes, open), open);
}

std::optional<Bottleneck> bottleneck_of_report(const RouteReport& report) {
  return route_bottleneck(*report.found, *report.traffic, *report.hardware);
}

std::vector<TensorLanes> lanes_of_tensors(const RouteReport& report) {
  const std::vector<RoutedTensor>& tensors = report.found->routes.tensors;
  std::vector<TensorLanes> lanes;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    lanes.push_back(tensor_lanes(tensors[i], report.traffic->tensors[i].kind));
  }
  return lanes;
}

template <double RouteResult::*time>
std::int64_t time_down(const RouteResult& found) {
  return whole_ps(found.*time);
}

template <double RouteResult::*time>
std::int64_t time_up(const RouteResult& found) {
  return whole_ps_up(found.*time);
}

std::vector<Row> link_rows() {
  using Found = RouteResult;
  const auto hardware = [](const RouteReport& report) -> const Hardware& {
    return *report.hardware;
  };
  const auto found = [](const RouteReport& report) -> const Found& { return *report.found; };
  const auto traffic = [](const RouteReport& report) -> const Traffic& { return *report.traffic; };
  const auto proof = [](const Found& of) { return proof_text(of.proof); };
  return joined(
      {through<RouteReport>(hardware, {row("hardware", &Hardware::name, {"name of the hardware"})}),
       {computed<RouteReport>("busiest_link", busiest_place,
                              {"the link that is busy longest for a sample; what kernels take of "
                               "links inside them is not there to be used"}),
        computed<RouteReport>("busiest_link_without_kernels", busiest_open_place,
                              {"the same if kernels took nothing of links"})},
       through<RouteReport>(
           found,
           {computed<Found>("bound_ps", time_down<&Found::bound_ps>,
                            {"no routes of these lanes keep their busiest link shorter", kCount}),
            computed<Found>("bound_by", proof,
                            {"what proves the bound: links out of or into a rectangle of tiles, "
                             "lanes of a tensor, or prices of cell borders; empty if there is "
                             "none"}),
            computed<Found>("flow_ps", time_up<&Found::flow_ps>,
                            {"picoseconds of a sample on the busiest cell border of the fractional "
                             "flow, which bounds the lanes",
                             kCount})}),
       through<RouteReport>(
           traffic, {row("stage_ps", &Traffic::period_ps,
                         {"picoseconds that a sample needs of the slowest stage, host or adapter",
                          kCount})}),
       {computed<RouteReport>("bottleneck", bottleneck_of_report, {kBottleneckMeaning})}});
}

/// Of RouteResult.
std::vector<Row> result_rows() {
  using Found = RouteResult;
  const auto is_short = [](const Found& found) { return !found.short_edge.empty(); };
  return {
      row("end", &Found::end, {"why the search ended"}),
      group("buffers",
            {row("bytes", &Found::buffer_bytes, {"bytes of all buffers", kCount}),
             computed<Found>("period_ps", time_up<&Found::period_ps>,
                             {"picoseconds in which they let samples follow one another", kCount}),
             computed<Found>("unlimited_ps", time_up<&Found::unlimited_ps>,
                             {"the same picoseconds if memories had no limit", kCount}),
             nullable<Found>(is_short,
                             row("short_edge", &Found::short_edge,
                                 {"the tensor that finds no room at unlimited_ps; null: all do"})),
             row("fit", &Found::buffers_fit,
                 {"whether a sample for each edge fits into the memories"})},
            {"the buffers of all edges"}),
      row("lanes", &Found::lanes, {"lanes of all tensors", kCount}),
      row("hops", &Found::hops, {"hops of all lanes together", kCount}),
      row("colours", &Found::colours,
          {"different colours at one tile, at most, those of its kernel included", kCount})};
}

const TypeRows& route_rows() {
  const auto found = [](const RouteReport& report) -> const RouteResult& { return *report.found; };
  const auto notes = [](const RouteReport& report) -> const RouteNotes& { return *report.notes; };
  static const TypeRows rows = report_file(
      "waferloom/route/1",
      joined({link_rows(),
              through<RouteReport>(found, result_rows()),
              {computed<RouteReport>("tensors", lanes_of_tensors, {"every tensor"})},
              through<RouteReport>(notes,
                                   {row("wall_s", &RouteNotes::wall_s,
                                        {"seconds of the run, to the millisecond", kAmount}),
                                    row("warnings", &RouteNotes::warnings, {kWarningsMeaning})})}));
  return rows;
}

}  // namespace

Report route_report(const RouteResult& found, const Traffic& traffic, const Hardware& hardware,
                    const RouteNotes& notes) {
  const RouteReport report{&found, &traffic, &hardware, &notes};
  return rows_report(route_rows(), &report);
}

std::string route_schema() { return schema_text(route_rows(), "Report of waferloom route"); }

}  // namespace router
}  // namespace waferloom
