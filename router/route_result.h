#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/mesh.h"
#include "model/routes.h"
#include "model/run_control.h"
#include "model/wafer.h"

// What the router is asked and what it answers: the types of route.h and route_bound.h, which its
// rooms share.
namespace waferloom::router {

/// Within so much of the bound nothing is left to gain.
inline constexpr double kNearBound = 1.01;

/// Why no routes keep their busiest link shorter.
struct BoundProof {
  enum class Kind : std::uint8_t {
    none,
    links_out,  ///< those out of some tiles
    links_in,   ///< those into them
    lanes,      ///< of a tensor
    prices,     ///< of borders between cells
  };
  Kind kind = Kind::none;
  Rectangle tiles{};
  std::string tensor{};
};
/// What no routes of a traffic can beat.
struct RouteBound {
  double time_ps = 0;  ///< of a sample, of the busiest link
  BoundProof proof{};
  double priced_ps = 0;  ///< what prices of borders between cells prove, no more than time_ps
  /// By tensor: the part of priced_ps that its bytes pay on their cheapest way; they add up to it.
  std::vector<double> tolls{};
  /// By tensor: what a sample needs of the lanes that there may be, at the links' rate.
  std::vector<double> lanes_ps{};
  std::string infeasible{};  ///< why there are no routes: one sentence; empty: there may be
};

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
  int threads = 1;  ///< that attempts behind the first share; results do not depend on it
  /// Ends the search early. Routes that were found are kept; if there are none yet, the result is
  /// `infeasible` and its end is `stopped`.
  RunControl control = {};
};

/// Why the router went no further.
enum class RouteEnd : std::uint8_t {
  not_binding,  ///< links need less of a sample's time than the slowest stage
  at_bound,     ///< within a hundredth of the bound
  effort,       ///< rounds and passes are used up
  stopped,
};
inline constexpr std::array<std::string_view, 4> kRouteEndNames{"not_binding", "at_bound", "effort",
                                                                "stopped"};
constexpr std::span<const std::string_view> words_of(RouteEnd /*of*/) { return kRouteEndNames; }
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

}  // namespace waferloom::router
