#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/mesh.h"
#include "sim/mesh/route.h"
#include "sim/network_kind.h"

namespace waferloom::sim {

using BundleIndex = std::uint32_t;  ///< transfers under way along the same route
using JunctionIndex =
    std::uint32_t;                ///< a link whose flows did not all come through the link before
using StopIndex = std::uint32_t;  ///< a bundle's passage through a junction
inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

/// A bundle's passage through a junction, with rates in bytes a picosecond. `offer` is the rate
/// that the junction lets pass if later junctions do. `weight` is the rate that it would let pass
/// if all flows that come to it always had more to send.
struct Stop {
  BundleIndex bundle = 0;
  JunctionIndex junction = 0;
  StopIndex previous = kNoIndex;  ///< at the junction before; none at the source
  StopIndex next = kNoIndex;      ///< the first stop, along the path, with this stop as `previous`
  StopIndex sibling = kNoIndex;   ///< the next stop with the same `previous`
  std::uint32_t port = 0;         ///< in Junction::ports
  double weight = 0;
  double offer = 0;
};

/// The stops that come to a junction from the same side.
struct JunctionPort {
  static constexpr std::uint64_t kOwn = std::uint64_t{1} << 63;  ///< or-ed to a bundle's index
  static constexpr std::uint64_t kTile = kOwn - 1;               ///< all that begins at the tile
  std::uint64_t key = 0;  ///< the lane that they come from, kTile, or kOwn with a bundle
  std::vector<StopIndex> stops;
  /// Whether the port belongs to a single bundle. Then each of its transfers counts as a port.
  bool is_own() const { return (key & kOwn) != 0; }
};

/// A link where flows join. It leads out of a tile where some flow turns or begins; or it is slower
/// than the link before; or it is a tile's own way into or out of the mesh.
struct Junction {
  double bytes_per_ps = 0;
  std::vector<JunctionPort> ports;
};

/// All junctions of the routes of live bundles. Links between two junctions carry what the first
/// lets through. So a route across the wafer has about as many stops as there are routes that join
/// its rows and columns, not as many as its links.
///
/// Adding and removing a bundle takes O(routes on its rows and columns + its stops).
class JunctionMap {
 public:
  JunctionMap(const Mesh& mesh, Sharing sharing);

  /// Adds a bundle, with an index that is not in use, and appends the junctions that change.
  void add(BundleIndex bundle, const Route& route, std::vector<JunctionIndex>& changed);
  /// Removes a bundle, and appends the junctions that change and still exist.
  void remove(BundleIndex bundle, std::vector<JunctionIndex>& changed);

  const Junction& junction(JunctionIndex index) const { return junctions_[index]; }
  const Stop& stop(StopIndex index) const { return stops_[index]; }
  Stop& stop(StopIndex index) { return stops_[index]; }

  struct PathStop {
    std::uint32_t leg = 0;  ///< 0: into the mesh; then the route's legs; then ways out of the mesh
    std::uint32_t position = 0;  ///< on the leg's lane
    StopIndex stop = 0;
  };
  /// The stops of a bundle, by leg and position. Every stop comes after its `previous`.
  const std::vector<PathStop>& path(BundleIndex bundle) const { return paths_[bundle].stops; }

 private:
  using LaneIndex = std::uint32_t;
  struct LanePlace {
    LaneIndex lane = 0;
    std::uint32_t position = 0;
  };
  /// A leg of a bundle on a lane. It has the links [begin, end), by position along the lane.
  struct Crossing {
    BundleIndex bundle;
    std::uint32_t leg;
    std::uint32_t begin;
    std::uint32_t end;
  };
  struct PlacedJunction {
    std::uint32_t position;
    JunctionIndex junction;
    std::uint32_t entering;  ///< legs that begin there; 0: a slow link
  };
  /// The links of a row or column in one direction; on switched hardware a single link.
  struct Lane {
    std::vector<Crossing> crossings;
    std::vector<PlacedJunction> junctions;  // by position
  };
  struct Path {
    Route route;
    std::vector<PathStop> stops;
  };

  LaneIndex lane_of(const Leg& leg) const;
  std::uint32_t position_on_lane(NodeIndex node, Direction direction) const;
  LinkIndex link_on_lane(const LanePlace& place) const;
  Crossing crossing_of(BundleIndex bundle, std::uint32_t leg) const;
  bool is_slow_link(const LanePlace& place) const;

  JunctionIndex new_junction(double bytes_per_ps);
  /// The junction at a place. It is made if there is none.
  PlacedJunction& junction_at(const LanePlace& place);
  void enter_leg(BundleIndex bundle, std::uint32_t leg, std::vector<JunctionIndex>& changed);
  void leave_leg(BundleIndex bundle, std::uint32_t leg, std::vector<JunctionIndex>& changed);
  /// Adds a stop of a crossing at a junction. The crossing comes to it from `side`.
  void add_stop(const Crossing& crossing, std::uint32_t position, std::uint64_t side,
                JunctionIndex junction);
  void remove_stop(StopIndex stop);
  /// Removes the stop at a junction from a path and frees it.
  void drop_from_path(Path& path, JunctionIndex junction);
  /// Sets every stop's previous, next and sibling.
  void link_path(Path& path);
  std::uint64_t side_of(const Route& route, std::uint32_t leg) const;
  JunctionIndex tile_junction(std::unordered_map<NodeIndex, JunctionIndex>& ways, NodeIndex node);
  void leave_tile(BundleIndex bundle, std::unordered_map<NodeIndex, JunctionIndex>& ways,
                  NodeIndex node, std::vector<JunctionIndex>& changed);

  const Mesh& mesh_;
  Sharing sharing_;
  std::vector<Lane> lanes_;
  std::unordered_map<NodeIndex, JunctionIndex> ways_in_;
  std::unordered_map<NodeIndex, JunctionIndex> ways_out_;
  std::vector<Junction> junctions_;
  std::vector<JunctionIndex> free_junctions_;
  std::vector<Stop> stops_;
  std::vector<StopIndex> free_stops_;
  std::vector<Path> paths_;
};

}  // namespace waferloom::sim
