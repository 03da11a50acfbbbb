#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/traffic.h"

namespace waferloom {

/// Part of a path without a turn.
struct PathLeg {
  Direction direction = Direction::east;
  std::int64_t hops = 0;  ///< at least 1
  bool operator==(const PathLeg&) const = default;
};

/// One of the parallel ways of a tensor: what it carries, and the tiles and links that carry it.
struct RoutedLane {
  TilePlace from;
  TilePlace to;
  std::int64_t bytes = 0;             ///< of a sample
  std::vector<PathLeg> path;          ///< from `from` to `to`; directions differ from leg to leg
  std::int64_t colour = 0;            ///< lanes that share a tile have different ones
  std::optional<std::size_t> port{};  ///< place in Traffic::ports; of inputs and outputs
  bool operator==(const RoutedLane&) const = default;
};

struct RoutedTensor {
  std::string name;
  std::int64_t bytes = 0;  ///< of a sample: the sum over its lanes
  std::vector<RoutedLane> lanes;
  /// Samples that its buffer holds; nothing: as the hardware says.
  std::optional<std::int64_t> buffer_samples{};
  /// How much one more tile of path raises the bound on the busiest link, as a share of that link's
  /// time; nothing: not known.
  std::optional<double> price{};
  bool operator==(const RoutedTensor&) const = default;
};

/// How every tensor of a traffic gets from tile to tile. A value, with a file.
struct Routes {
  std::string hardware;  ///< its name
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<RoutedTensor> tensors;  ///< in the traffic's order
  bool operator==(const Routes&) const = default;
};

/// "E12 N3": the legs of a path, by the first letter of their direction.
std::string path_text(const std::vector<PathLeg>& path);

/// The file of routes (schema waferloom/routes/1, docs/formats.md), a lane a line, and back. The
/// reader checks the form alone: throws InputError with source:line:column for unknown keys,
/// tensors of one name, tiles beyond the mesh, and paths that leave it or do not end at `to`.
std::string routes_text(const Routes& routes);
Routes read_routes(std::string_view text, const std::string& source);

/// The position of a tensor, or of one of its lanes, in a routes file that passes read_routes. Line
/// 0 if it is not there.
TextPosition place_in_routes(std::string_view text, const std::string& tensor,
                             std::optional<std::size_t> lane);

/// What is wrong with routes, with the name of the tensor; `lane` of those of one lane.
struct RouteFault {
  std::string tensor;
  std::optional<std::size_t> lane;
  std::string message;      ///< one sentence without a full stop, with tensor and lane
  bool needs_dead = false;  ///< a tile, a link or a port that is dead
};

/// Lists what is wrong with the routes of a traffic on a fabric:
/// - the mesh is another one (then nothing else is listed);
/// - a tensor is missing, unknown or there twice;
/// - the bytes of a tensor's lanes do not add up to it, or differ from the traffic's;
/// - a path does not end at its lane's end;
/// - a lane begins or ends at a tile that is not of its block, or at a port that its tensor may not
///   use;
/// - a path leads over a dead tile or link, or beyond the mesh;
/// - two lanes have one colour on one tile; a colour is beyond the hardware's (RoutingSpec), or the
///   kernel on a tile keeps it for itself.
/// Shares no code with the router and trusts nothing it is given. Lists at most `most` faults,
/// always the same ones. O(hops + tiles).
std::vector<RouteFault> verify_routes(const Traffic& traffic, const Hardware& hardware,
                                      const Routes& routes, std::size_t most = 20);

/// Hops of all legs together.
std::int64_t hops_of(const std::vector<PathLeg>& path);

/// Hops of a tensor's lanes, in the mean of its bytes; 0 without bytes.
double mean_hops(const RoutedTensor& tensor);

/// Calls visit(LinkIndex) for every link of a path that begins at a tile, in order.
template <typename Visit>
void for_each_path_link(const Mesh& mesh, const TilePlace& from, const std::vector<PathLeg>& path,
                        Visit&& visit) {
  NodeIndex at = mesh.node(from);
  for (const PathLeg& leg : path) {
    for (std::int64_t hop = 0; hop < leg.hops; ++hop) {
      visit(Mesh::link(at, leg.direction));
      at = mesh.neighbour(at, leg.direction);
    }
  }
}

/// Time of a sample through the adapter that feeds a tensor's lanes. If all lanes carry equal
/// bytes, it is adapter_pass_ps of traffic.h. Else it is the time of the fullest lane alone.
std::int64_t adapter_pass_ps(const RoutedTensor& tensor, const Hardware& hardware);

/// The share of links that blocks keep for their own work inside them: the traffic's if it has one,
/// else the hardware's.
LinkReserve link_reserve(const Traffic& traffic, const Hardware& hardware);

/// Bytes of a sample on every link, by LinkIndex. The paths have to be on the mesh. O(hops +
/// links).
std::vector<std::int64_t> link_bytes_of(const Routes& routes, const Mesh& mesh);

/// The link that a sample keeps busy longest.
struct BusiestLink {
  LinkIndex link = 0;  ///< of several the first
  double time_ps = 0;  ///< bytes over rate
};
BusiestLink busiest_link(const std::vector<std::int64_t>& link_bytes, const Mesh& mesh);

/// Bytes of a sample on the ways between tiles and their routers, by tile. A lane takes the way out
/// of its first tile and the way into its last one, also where both are the same tile.
struct TileWays {
  std::map<NodeIndex, std::int64_t> out_of;
  std::map<NodeIndex, std::int64_t> into;

  void add_lane(NodeIndex from, NodeIndex to, std::int64_t bytes) {
    out_of[from] += bytes;
    into[to] += bytes;
  }
};
/// Those of routes. O(lanes · log tiles).
TileWays tile_ways_of(const Routes& routes, const Mesh& mesh);

/// The tile one of whose ways a sample keeps busy longest.
struct BusiestTile {
  NodeIndex tile = 0;  ///< of several the first
  double time_ps = 0;  ///< bytes over rate
};
BusiestTile busiest_tile(const TileWays& ways, const Mesh& mesh);

/// How long a sample keeps a rated port busy, in or out, of the port for which that is longest; in
/// picoseconds. `routes` has the traffic's tensors in its order.
double busiest_port_ps(const Routes& routes, const Traffic& traffic);

}  // namespace waferloom
