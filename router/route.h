#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routes.h"
#include "model/traffic.h"
#include "router/route_bound.h"

namespace waferloom::router {

/// More than the router makes.
inline constexpr std::int64_t kMostAttempts = 1'000;

struct RouteOptions {
  std::int64_t rounds = 24;  ///< of the flow, at most
  std::int64_t passes = 8;   ///< of rip-up and reroute, at most
  std::int64_t attempts =
      kMostAttempts;      ///< of each split over ports: as it is, mirrored, with fewer lanes
  std::int64_t cell = 8;  ///< tiles of a cell's side at most, on meshes up to 1,000 tiles a side
  /// Continue to the bound even if links already need less time than the slowest stage.
  bool to_the_bound = false;
  /// Ends early once true. Routes that were found are kept; if there are none yet, the result is
  /// `infeasible` and its end is `stopped`.
  std::function<bool()> stopped = nullptr;
};

/// Why the router went no further.
enum class RouteEnd : std::uint8_t {
  not_binding,  ///< links need less of a sample's time than the slowest stage
  at_bound,     ///< within a hundredth of the bound
  effort,       ///< rounds and passes are used up
  stopped,
};
const char* route_end_name(RouteEnd end);

struct RouteResult {
  Routes routes;
  std::string infeasible{};  ///< why there are no routes: one sentence; empty: there are
  BusiestLink busiest;       ///< of a sample, kernels' reserve taken off
  BusiestTile busiest_tile;  ///< likewise, of tiles' ways into the mesh and out of it
  double port_ps = 0;        ///< likewise, of rated ports

  /// Whatever of these a sample keeps busy longest.
  double longest_ps() const { return std::max({busiest.time_ps, busiest_tile.time_ps, port_ps}); }
  double bound_ps = 0;    ///< no routes load the busiest link less; 0 if it was not found in time
  BoundProof proof{};     ///< of the bound
  double flow_ps = 0;     ///< the busiest cell border of the fractional flow
  std::int64_t hops = 0;  ///< of all lanes together
  std::int64_t lanes = 0;
  std::int64_t colours = 0;  ///< different ones at one tile at most, its kernel's included
  RouteEnd end = RouteEnd::effort;
  std::int64_t buffer_bytes = 0;  ///< of all edges, samples that they may hold
  double period_ps = 0;           ///< from sample to sample, as buffers let them follow
  double unlimited_ps = 0;        ///< the period if memories had no limit
  std::string short_edge{};       ///< a tensor without room at unlimited_ps; empty: none
  bool buffers_fit = true;        ///< a sample an edge does
};

/// Gives the tensors of a traffic lanes, paths and colours on a fabric (docs/router.md).
/// Deterministic. Throws RequestError for traffic that is not on the mesh.
///
/// Global routing is a concurrent multicommodity flow on cells of the mesh by multiplicative
/// weights (Garg and Könemann 1998; Fleischer 2000). Its prices are a dual solution, and so prove a
/// bound. Detailed routing sends lanes along the flow's paths, on the cheapest tracks, with rip-up
/// and reroute by negotiated congestion (PathFinder, McMurchie and Ebeling 1995). A lane that finds
/// no track goes through a maze. Where links bind, the router also tries mirror images of the
/// problem and fewer lanes, and takes the best.
RouteResult route(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options);

}  // namespace waferloom::router
