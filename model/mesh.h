#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/wafer.h"

namespace waferloom {

/// How transfers find their way through the mesh.
enum class Routing : std::uint8_t {
  xy,        ///< along the row first, then along the column
  yx,        ///< the other way round
  o1turn,    ///< one of the two, at random by transfer (Seo et al., ISCA 2005)
  adaptive,  ///< the one of the two with less to carry on its busiest link, xy if they are alike
  planned,   ///< as Routes say; what they do not speak of goes x first
};
/// Of the rules: all but planned, which needs routes.
inline constexpr std::array<std::string_view, 4> kRoutingNames{"xy", "yx", "o1turn", "adaptive"};
inline constexpr std::array<std::string_view, 5> kAllRoutingNames{
    kRoutingNames[0], kRoutingNames[1], kRoutingNames[2], kRoutingNames[3], "planned"};
constexpr std::span<const std::string_view> words_of(Routing /*of*/) { return kAllRoutingNames; }

/// Whether transfers between the same tiles always take the same way.
inline bool is_fixed(Routing routing) {
  return routing == Routing::xy || routing == Routing::yx || routing == Routing::planned;
}

std::string_view routing_name(Routing routing);
std::optional<Routing> routing_named(std::string_view name);

/// What tiles of a group do together. The bytes of a collective are those that each member holds
/// in the end or in the beginning, whichever is more.
enum class CollectiveKind : std::uint8_t {
  all_reduce,      ///< every member has the sum of what all held
  reduce_scatter,  ///< every member has its part of that sum
  all_gather,      ///< every member has the parts of all
  all_to_all,      ///< every member has a part of its own from every other
  broadcast,       ///< every member has what the first held
  reduce,          ///< the first has the sum of what all held
};
inline constexpr std::array<std::string_view, 6> kCollectiveNames{
    "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "reduce"};
std::string_view collective_name(CollectiveKind kind);
std::optional<CollectiveKind> collective_named(std::string_view name);

/// By which ways. docs/collectives.md has the steps of each.
enum class CollectiveAlgorithm : std::uint8_t {
  ring,           ///< parts go around the group
  bidirectional,  ///< half of each part goes around either way
  two_d,          ///< rings along the rows of a rectangle, then along its columns
  tree,           ///< binomial: in every step twice as many members take part
  hierarchical,   ///< rings within the hardware's groups of tiles, then across them
  direct,         ///< everyone sends to whom it concerns, all at once
};
inline constexpr std::array<std::string_view, 6> kAlgorithmNames{"ring", "bidirectional", "2-d",
                                                                 "tree", "hierarchical",  "direct"};
constexpr std::span<const std::string_view> words_of(CollectiveAlgorithm /*of*/) {
  return kAlgorithmNames;
}
std::string_view algorithm_name(CollectiveAlgorithm algorithm);

/// Which tiles of a stage are a group (PALM, Fig. 8).
enum class GroupOrder : std::uint8_t {
  contiguous,  ///< those of a tensor group are neighbours (comm1)
  strided,     ///< those of a data group are (comm2)
};
inline constexpr std::array<std::string_view, 2> kGroupOrderNames{"contiguous", "strided"};
constexpr std::span<const std::string_view> words_of(GroupOrder /*of*/) { return kGroupOrderNames; }
std::string_view group_order_name(GroupOrder order);

/// A tile of the mesh, counted row by row from (0, 0).
using NodeIndex = std::uint32_t;

inline constexpr std::array<Direction, 4> kDirections{Direction::east, Direction::west,
                                                      Direction::north, Direction::south};
Direction opposite(Direction direction);
/// Towards greater x or y.
inline bool is_upward(Direction direction) {
  return direction == Direction::east || direction == Direction::north;
}
inline bool is_along_x(Direction direction) {
  return direction == Direction::east || direction == Direction::west;
}

/// The side of a rectangle that faces another, along the axis where the two are farther apart (x if
/// it is the same along both).
Direction facing_side(const Rectangle& of, const Rectangle& other);

/// A directed link from a tile to its neighbour: 4 · node + direction. Links that would lead off
/// the mesh have indices too. On switched hardware, in the order of directions: a tile's link to
/// its node's switch, from that, to the network between the nodes, and from that.
using LinkIndex = std::uint32_t;

/// What kernels keep for their own work of the links that join two tiles of one of them.
struct LinkReserve {
  std::vector<Rectangle> kernels{};  ///< on the mesh, without overlap
  std::int64_t percent = 0;          ///< of a link's rate, in [0, 99]
  bool operator==(const LinkReserve&) const = default;
};

/// The tiles and links of a wafer: pure arithmetic on indices, besides two bytes a tile that say
/// what is dead or reserved. Speeds are in bytes a picosecond, infinite where the hardware sets no
/// limit; latencies are in picoseconds.
class Mesh {
 public:
  explicit Mesh(const Hardware& hardware, const LinkReserve& reserve = {});

  /// Whether switches join the tiles. Tiles have no neighbours then, and y counts nodes.
  bool is_switched() const { return switched_; }
  std::uint32_t columns() const { return columns_; }
  std::uint32_t rows() const { return rows_; }
  std::size_t node_count() const { return std::size_t{columns_} * rows_; }
  std::size_t link_count() const { return kDirections.size() * node_count(); }

  NodeIndex node(std::uint32_t x, std::uint32_t y) const { return y * columns_ + x; }
  NodeIndex node(const TilePlace& tile) const {
    return node(static_cast<std::uint32_t>(tile.x), static_cast<std::uint32_t>(tile.y));
  }
  std::uint32_t x(NodeIndex node) const { return node % columns_; }
  std::uint32_t y(NodeIndex node) const { return node / columns_; }
  TilePlace place(NodeIndex node) const { return {x(node), y(node)}; }

  static LinkIndex link(NodeIndex from, Direction direction) {
    return static_cast<LinkIndex>(kDirections.size()) * from + static_cast<LinkIndex>(direction);
  }
  static NodeIndex source(LinkIndex link) {
    return static_cast<NodeIndex>(link / kDirections.size());
  }
  static Direction direction(LinkIndex link) {
    return static_cast<Direction>(link % kDirections.size());
  }
  const char* link_name(LinkIndex link) const {
    return (switched_ ? kSwitchedLinkNames : kDirectionNames)[link % kDirections.size()];
  }
  /// "link east of tile (2, 3)".
  std::string link_text(LinkIndex link) const;
  /// Whether a neighbour lies there.
  bool has_neighbour(NodeIndex node, Direction direction) const;
  /// The neighbour that lies there.
  NodeIndex neighbour(NodeIndex node, Direction direction) const;

  /// Whether the first and the last tile of a row, and of a column, are neighbours.
  bool wraps() const { return wraps_; }
  Networks networks() const { return networks_; }
  /// Whether a link leads from the last tile of a row or column to the first, or back.
  bool is_around(LinkIndex link) const;
  /// Hops from a tile in a direction until the column, or the row, of another; nothing where the
  /// direction does not lead there.
  std::optional<std::uint32_t> hops_along(NodeIndex from, NodeIndex to, Direction direction) const;

  /// Whether any tile or link is.
  bool has_dead() const { return has_dead_; }
  bool is_dead(NodeIndex node) const { return (marks_[node] & kDeadTile) != 0; }
  /// Whether it is dead, and its router lives.
  bool is_passing(NodeIndex node) const { return (marks_[node] & kPassing) != 0; }
  /// Whether nothing can use a link: it leads off the mesh, is dead itself or one of its ends is.
  bool is_dead_link(LinkIndex link) const {
    return (marks_[source(link)] & (1U << (link % kDirections.size()))) != 0;
  }

  /// Without what a kernel keeps of it.
  double bytes_per_ps(LinkIndex link) const {
    const double rate = one_rate_ ? figures_[0].bytes_per_ps : figures(link).bytes_per_ps;
    return is_reserved(link) ? open_part_ * rate : rate;
  }
  /// Whether a kernel keeps part of a link for itself.
  bool is_reserved(LinkIndex link) const {
    return (marks_[source(link)] & (kReservedEast << (link % kDirections.size()))) != 0;
  }
  /// Of a tile's own way into the mesh and out of it: as the links inside a group; infinite on
  /// switched hardware, whose links are such ways.
  double tile_bytes_per_ps() const;
  std::int64_t latency(LinkIndex link) const { return figures(link).latency; }
  /// Of the slowest link there may be.
  double slowest_bytes_per_ps() const {
    return open_part_ *
           std::min({figures_[0].bytes_per_ps, figures_[1].bytes_per_ps, figures_[2].bytes_per_ps});
  }
  /// Whether all links are of one speed.
  bool is_uniform() const { return uniform_; }

 private:
  struct LinkFigures {
    double bytes_per_ps;
    std::int64_t latency;
  };
  static LinkFigures figures_of(const LinkClass& link);
  static constexpr std::uint16_t kDeadTile = 16;      // bits 0 to 3: links out of it
  static constexpr std::uint16_t kReservedEast = 32;  // and the next three, by direction
  static constexpr std::uint16_t kPassing = 512;
  const LinkFigures& figures(LinkIndex link) const {
    if (uniform_) return figures_[0];
    if (crosses_groups(link)) return figures_[1];
    return figures_[switched_ || is_along_x(direction(link)) ? 0 : 2];
  }
  bool crosses_groups(LinkIndex link) const;
  /// Whether a tile is the last one in a direction.
  bool leads_off(NodeIndex node, Direction direction) const;
  /// Whether its router does not live either.
  bool is_closed(NodeIndex node) const { return is_dead(node) && !is_passing(node); }
  void mark_dead(const Hardware& hardware);
  /// Gives the tiles of rectangles, which may overlap, a mark. O(tiles).
  void mark_tiles(const std::vector<Rectangle>& rectangles, std::uint16_t mark);
  void mark_reserved(const std::vector<Rectangle>& kernels);

  bool switched_;
  bool wraps_;
  Networks networks_;
  std::uint32_t columns_;
  std::uint32_t rows_;
  std::uint32_t group_columns_;
  std::uint32_t group_rows_;
  bool uniform_;
  bool has_dead_;
  std::array<LinkFigures, 3> figures_;  // within a group, between two, within a column of a group
  bool one_rate_;                       // theirs is the same
  double open_part_;                    // of a reserved link
  std::vector<std::uint16_t> marks_;
};

/// A rate of the hardware as bytes a picosecond, infinite for none.
double bytes_per_ps(const Rate& rate);

/// How long a link needs for so many bytes, in picoseconds.
inline double link_time(const Mesh& mesh, LinkIndex link, std::int64_t bytes) {
  return static_cast<double>(bytes) / mesh.bytes_per_ps(link);
}

/// The same of a tile's way into the mesh or out of it.
inline double tile_way_time(const Mesh& mesh, std::int64_t bytes) {
  return static_cast<double>(bytes) / mesh.tile_bytes_per_ps();
}

/// What a link carries.
struct LinkLoad {
  LinkIndex link = 0;
  std::int64_t bytes = 0;
};

// What of a machine lives. All that lays, plans, routes or simulates asks here, so that none takes
// a part that is dead, or cut off from the rest.

/// The parts that dead tiles and links cut a mesh into: tiles of a part reach one another by links
/// that are live both ways. A dead tile is a part of its own. Switches join all live tiles.
/// O(tiles).
class LiveParts {
 public:
  explicit LiveParts(const Mesh& mesh);
  /// Builds no mesh where nothing is dead.
  explicit LiveParts(const Hardware& hardware);

  /// Whether nothing is dead, and all tiles are one part.
  bool is_whole() const { return part_.empty(); }
  std::uint32_t part(NodeIndex node) const { return part_.empty() ? 0 : part_[node]; }
  std::uint32_t count() const { return count_; }

 private:
  void find(const Mesh& mesh);

  std::vector<std::uint32_t> part_;  // by tile; empty where nothing is dead
  std::uint32_t count_ = 1;
};

/// What can be done with a tile.
enum class TileState : std::uint8_t {
  joined,   ///< it lives in the largest part
  passing,  ///< its router does, and ports may stand there: nothing is laid on it
  cut_off,  ///< it lives, and cannot be reached from there
  dead,
};

/// The ports of a kind that stand on joined tiles.
struct LivePorts {
  std::vector<std::size_t> places{};  ///< in the hardware's list, ascending
  std::size_t lost = 0;               ///< the others
  /// In one direction, together, each at most what its tile's link takes; nothing: no limit, or no
  /// port. Of host ports at most Hardware::host_bytes_per_s.
  Rate bytes_per_s{};
  std::optional<std::int64_t> capacity_bytes{};  ///< nothing: one has no limit, or no port
};

/// Bytes a second that a port moves in one direction: its own rate, at most what one link of its
/// tile takes, since a tile has one way into and out of the mesh; on switched hardware the faster
/// of its two. Nothing: no limit.
Rate port_bytes_per_s(const Hardware& hardware, const EdgePort& port);

/// The tiles and ports of a machine that can work together: those of the largest part that a port
/// for inputs and outputs reaches (edge_io; of all parts where no such port lives), of equal ones
/// that with the first tile. O(tiles) where something is dead, else O(ports); all questions
/// O(1) where no more is said.
class Living {
 public:
  explicit Living(const Hardware& hardware);
  /// Of the part that has such a tile, if it is on the mesh and lives.
  Living(const Hardware& hardware, const std::optional<TilePlace>& within);

  /// Whether all tiles live and are joined.
  bool is_whole() const { return sums_.empty(); }
  std::int64_t tiles() const { return columns_ * rows_; }
  std::int64_t dead_tiles() const { return dead_; }
  /// Of that part.
  std::int64_t joined_tiles() const { return joined_; }
  std::int64_t cut_off_tiles() const { return tiles() - dead_ - joined_; }
  TileState state(const TilePlace& tile) const;
  /// Tiles of a rectangle on the mesh that are not joined.
  std::int64_t lost_tiles(const Rectangle& tiles) const;
  /// Whether a rectangle lies on the mesh, and all its tiles are joined.
  bool is_joined(const Rectangle& tiles) const;
  /// The first tile of a rectangle on the mesh, row by row, that is not joined. O(its tiles).
  std::optional<TilePlace> first_lost(const Rectangle& tiles) const;

  /// The tiles that live and are cut off, as rectangles that do not overlap. O(tiles).
  std::vector<Rectangle> cut_off_rectangles() const;

  const LivePorts& host_ports() const { return host_ports_; }
  const LivePorts& dram_ports() const { return dram_ports_; }
  /// "12 of its 900 tiles are dead, 30 more cut off"; empty where all are joined.
  std::string text() const;

 private:
  bool is_lost(const TilePlace& tile) const { return lost_tiles({tile.x, tile.y, 1, 1}) > 0; }
  void find_part(const Hardware& hardware, const Mesh& mesh,
                 const std::optional<TilePlace>& within);
  LivePorts ports_of(const Hardware& hardware, const std::vector<EdgePort>& ports) const;

  std::int64_t columns_;
  std::int64_t rows_;
  std::int64_t dead_ = 0;
  std::int64_t joined_;
  std::vector<std::uint32_t> sums_;  // lost tiles below and left of a corner; empty: none
  std::vector<bool> is_dead_;        // by tile; likewise
  std::vector<bool> is_passing_;     // by tile, of the part; empty: none
  LivePorts host_ports_;
  LivePorts dram_ports_;
};

/// What carries bytes from a group of tiles to another.
struct BorderWay {
  std::int64_t crossings = 0;  ///< of borders between groups
  double latency_ps = 0;       ///< of all of them
  double bytes_per_ps = 0;  ///< over all links of the border with the fewest; infinite: no border
  double picoseconds(double bytes) const { return latency_ps + bytes / bytes_per_ps; }
};

/// A group of tiles, counted from (0, 0).
struct GroupPlace {
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool operator==(const GroupPlace&) const = default;
};

/// The groups of a mesh, where links between them are not as the others, and what it costs to cross
/// from one to another; else one group of all tiles. The machine and its living part have to
/// outlive it.
class GroupBorders {
 public:
  GroupBorders(const Hardware& hardware, const Living& living);

  /// Whether links between groups differ, and there are several groups.
  bool are_felt() const { return columns_ * rows_ > 1; }
  std::int64_t columns() const { return columns_; }  ///< of groups
  std::int64_t rows() const { return rows_; }
  GroupPlace group(const TilePlace& tile) const;
  Rectangle tiles(const GroupPlace& group) const;
  /// The fewest crossings over borders with joined tiles on both sides, all links of each side by
  /// side; no rate where there is no way. O(groups).
  BorderWay way(const GroupPlace& from, const GroupPlace& to) const;

 private:
  /// Links of the border between two neighbours that join tiles of the largest part.
  std::int64_t links(const GroupPlace& a, const GroupPlace& b) const;
  std::int64_t counted_links(const GroupPlace& low, bool beside, const Living& living) const;

  const Hardware& hardware_;
  std::int64_t columns_ = 1;
  std::int64_t rows_ = 1;
  std::vector<std::int64_t> east_;   // links of a group's border to the next along x
  std::vector<std::int64_t> north_;  // and along y
};

/// A hardware's wafer, on which what is cut off is dead too: where stages are laid out. O(tiles)
/// where something is dead.
Wafer joined_wafer(const Hardware& hardware);

/// Holds what is laid out on a machine against what of it lives. A problem that is not laid out yet
/// can be kept to that: joined_problem().
class LivingCheck {
 public:
  explicit LivingCheck(const Hardware& hardware);

  /// Throws InfeasibleError, "stage s1 needs tile (3, 4) of wse3, which is dead", unless all tiles
  /// of a rectangle on the mesh live, and are joined to one another. O(tiles) where something is
  /// dead.
  void demand_live(const std::string& name, const Rectangle& tiles) const;
  /// Throws InfeasibleError, "no way from k1 to k2: what is dead cuts tile (0, 0) off from tile
  /// (9, 0) of wse3", unless rectangles that demand_live() took are of one part. O(1).
  void demand_joined(const std::string& a, const Rectangle& tiles_a, const std::string& b,
                     const Rectangle& tiles_b) const;

 private:
  std::uint32_t part(const TilePlace& tile) const;

  std::string name_;
  std::optional<Mesh> mesh_;  // where something is dead
  std::optional<LiveParts> parts_;
};

/// "(3, 4)".
std::string tile_text(const TilePlace& tile);

/// A message between tiles of a mesh. It may begin in its release cycle, and not before all
/// messages in `after` (places in MessageSet::messages) are complete and `delay_cycles` have
/// passed. On a fabric it only waits until its source has its copy of a message to several.
struct Message {
  std::int64_t id = 0;
  TilePlace source;
  std::vector<TilePlace> destinations;  ///< one, or several that differ from it and each other
  /// 0 of a message to its own source: nothing is sent, the tile computes for delay_cycles.
  std::int64_t flits = 1;
  std::int64_t release_cycle = 0;
  std::vector<std::size_t> after{};
  std::int64_t delay_cycles = 0;
  /// Messages to its source, of as many flits, that are added to it flit by flit: flit i leaves
  /// once flit i of all of them is there, and delay_cycles, at least one, have passed. On a fabric
  /// alone.
  std::vector<std::size_t> adds{};
};

/// A wafer's fabric in place of the reference's routers (FabricNetwork); a flit is a word.
struct MessageFabric {
  std::int64_t hop_cycles = 1;
  std::int64_t ramp_cycles = 2;
  bool operator==(const MessageFabric&) const = default;
};

/// What of a mesh is dead.
struct DeadParts {
  std::vector<Rectangle> tiles{};
  std::vector<DeadLink> links{};
};

/// Messages on a mesh whose links move one flit a cycle.
struct MessageSet {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  Routing routing = Routing::xy;
  std::int64_t packet_flits = 16;
  std::optional<MessageFabric> fabric{};
  DeadParts dead{};
  std::vector<Message> messages;  ///< ids differ
};

/// What a processor of a tile did in a device trace.
enum class TraceEventKind : std::uint8_t {
  read,           ///< of another tile's memory, or its own
  write,          ///< likewise
  broadcast,      ///< a write to all tiles of a rectangle
  read_barrier,   ///< the end of a wait for all its reads
  write_barrier,  ///< likewise for its writes
  full_barrier,   ///< for both
  other,          ///< what moves nothing
};

struct TraceEvent {
  TraceEventKind kind = TraceEventKind::other;
  std::uint32_t network = 0;  ///< of DeviceTrace::networks
  TilePlace tile;             ///< the other one; of a broadcast, the rectangle's first tile
  TilePlace last;             ///< of a broadcast
  std::int64_t bytes = 0;
  std::int64_t cycle = 0;  ///< from the trace's first event on
};

/// What a processor of a tile did, in the order of time.
struct TraceProgram {
  TilePlace tile;
  std::string processor;
  std::vector<TraceEvent> events;
};

/// Reads, writes and barriers of a device, as tt-npe's traces have them.
struct DeviceTrace {
  std::vector<std::string> networks;  ///< that events name
  std::vector<TraceProgram> programs;
  std::size_t events = 0;   ///< of the file
  std::int64_t cycles = 0;  ///< from its first event to its last
};

/// Whether a text is a device trace, an array, and no message set.
bool is_device_trace(std::string_view text);
/// Reads a device trace (JSON, format in docs/formats.md). Throws InputError with
/// source:line:column for the first thing wrong. O(|text| + n log n) for n events.
DeviceTrace read_device_trace(std::string_view text, const std::string& source);

inline constexpr std::int64_t kMaxMeshTiles = 16'000'000;  ///< of a simulation
inline constexpr std::int64_t kMaxPacketFlits = 1'024;
inline constexpr std::int64_t kMaxFabricCycles = 1'000;  ///< of a hop or a ramp
inline constexpr std::size_t kMaxMessages = 20'000'000;
inline constexpr std::int64_t kMaxMessageFlits = 1'000'000'000;
inline constexpr std::int64_t kMaxReleaseCycle = 1'000'000'000'000;

/// Reads a message file (JSON, format in docs/formats.md). Keys that it does not know are labels
/// and mean nothing. Throws InputError with source:line:column for the first thing wrong, which
/// dependencies in a circle are too. O(|text| + d log d) for d dependencies.
MessageSet read_message_set(std::string_view text, const std::string& source);
/// The JSON Schema of message files.
std::string message_set_schema();

}  // namespace waferloom
