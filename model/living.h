#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/rectangle.h"

namespace waferloom {

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
  bool is_lost(std::int64_t x, std::int64_t y) const { return lost_tiles({x, y, 1, 1}) > 0; }
  void find_part(const Hardware& hardware, const Mesh& mesh,
                 const std::optional<TilePlace>& within);
  LivePorts ports_of(const Hardware& hardware, const std::vector<EdgePort>& ports) const;

  std::int64_t columns_;
  std::int64_t rows_;
  std::int64_t dead_ = 0;
  std::int64_t joined_;
  std::vector<std::uint32_t> sums_;  // lost tiles below and left of a corner; empty: none
  std::vector<bool> is_dead_;        // by tile; likewise
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

}  // namespace waferloom
