#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/report.h"
#include "model/wafer.h"

namespace waferloom {

/// Tiles that tensors leave and reach: those of a kernel or of a stage.
struct TrafficBlock {
  std::string name;
  Rectangle tiles;
  std::int64_t work_ps = 0;  ///< on a sample
  /// Of all its tiles, what its work and program leave for samples that wait; nothing: no limit.
  std::optional<std::int64_t> free_bytes{};
  bool operator==(const TrafficBlock&) const = default;
};

/// A port on the wafer's edge that tensors come in by or go out by.
struct TrafficPort {
  std::string name;
  TilePlace tile;
  Rate bytes_per_s;
  bool operator==(const TrafficPort&) const = default;
};

/// What a tensor is to its pipeline.
enum class TensorKind : std::uint8_t {
  edge,      ///< from block to block
  input,     ///< from a port to a block
  output,    ///< from a block to a port
  gradient,  ///< of an edge, from its consumer to its producer
};
inline constexpr std::array<std::string_view, 4> kTensorKindNames{"edge", "input", "output",
                                                                  "gradient"};
constexpr std::span<const std::string_view> words_of(TensorKind /*of*/) { return kTensorKindNames; }

/// A tensor of every sample, on its way from block to block or between a block and ports.
struct TrafficTensor {
  static constexpr std::size_t kOutside = SIZE_MAX;
  std::string name;  ///< unique
  TensorKind kind = TensorKind::edge;
  std::size_t producer = kOutside;   ///< block; outside: the ports
  std::size_t consumer = kOutside;   ///< likewise
  std::int64_t bytes = 0;            ///< of a sample, at least 0
  std::vector<std::size_t> ports{};  ///< that it may use; of inputs and outputs
  std::int64_t adapters = 0;         ///< passes, one behind the other, before the lanes
  /// Of what goes to and from a memory behind ports: tensors with one number use the same ports in
  /// the same parts, since what was written through a port is read there.
  std::optional<std::size_t> store{};
  bool operator==(const TrafficTensor&) const = default;
};

/// What a pipeline moves over a mesh for a sample, whatever the paths. Blocks lie on live tiles of
/// the mesh and do not overlap; ports in a tensor's list are at live tiles.
struct Traffic {
  std::vector<TrafficBlock> blocks;
  std::vector<TrafficPort> ports;
  std::vector<TrafficTensor> tensors;
  /// What a sample needs of the slowest stage, port or adapter: links that need less bind nothing.
  std::int64_t period_ps = 0;
  /// Of a link inside a block, what its own work takes; nothing: as the hardware says.
  std::optional<std::int64_t> kernel_link_percent{};
  /// Of the tiles that no block covers together; nothing: no limit.
  std::optional<std::int64_t> free_bytes{};
  /// Of a sample, besides links between blocks: what takes period_ps, and others.
  std::vector<NamedBound> bounds{};
  std::int64_t samples_each = 1;  ///< of the workload, that such a sample has
  bool operator==(const Traffic&) const = default;
};

/// How long a sample takes through an adapter that feeds so many lanes: its set-up, and the bytes
/// at the lanes' rate, rounded up.
std::int64_t adapter_pass_ps(std::int64_t bytes, const Hardware& hardware, std::int64_t lanes);

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
std::string routes_schema();

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
/// bytes, it is adapter_pass_ps of routes.h. Else it is the time of the fullest lane alone.
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
BusiestLink busiest_link(const Routes& routes, const Mesh& mesh);

/// The same of lanes: `for_each_link(visit)` calls visit(link, bytes) for every link of every path,
/// the same both times. Of a wafer's links most carry nothing, so only those of paths are compared.
/// O(hops), and links of the mesh to be set to 0.
template <typename ForEachLink>
BusiestLink busiest_on_paths(const Mesh& mesh, const ForEachLink& for_each_link) {
  std::vector<std::int64_t> bytes(mesh.link_count(), 0);
  for_each_link([&](LinkIndex link, std::int64_t more) { bytes[link] += more; });
  BusiestLink busiest;
  for_each_link([&](LinkIndex link, std::int64_t) {
    const double time = link_time(mesh, link, bytes[link]);
    const bool is_first = time == busiest.time_ps && link < busiest.link;
    if (time > busiest.time_ps || is_first) busiest = {link, time};
  });
  return busiest;
}

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
