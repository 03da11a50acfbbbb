#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/hardware.h"

namespace waferloom {

/// A tile of the mesh, counted row by row from (0, 0).
using NodeIndex = std::uint32_t;

inline constexpr std::array<Direction, 4> kDirections{Direction::east, Direction::west,
                                                      Direction::north, Direction::south};
Direction opposite(Direction direction);
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

  /// Whether any tile or link is.
  bool has_dead() const { return has_dead_; }
  bool is_dead(NodeIndex node) const { return (marks_[node] & kDeadTile) != 0; }
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
    return open_part_ * std::min(figures_[0].bytes_per_ps, figures_[1].bytes_per_ps);
  }
  /// Whether all links are of one speed.
  bool is_uniform() const { return uniform_; }

 private:
  struct LinkFigures {
    double bytes_per_ps;
    std::int64_t latency;
  };
  static constexpr std::uint16_t kDeadTile = 16;      // bits 0 to 3: links out of it
  static constexpr std::uint16_t kReservedEast = 32;  // and the next three, by direction
  const LinkFigures& figures(LinkIndex link) const {
    return figures_[!uniform_ && crosses_groups(link) ? 1 : 0];
  }
  bool crosses_groups(LinkIndex link) const;
  void mark_dead(const Hardware& hardware);
  void mark_dead_tiles(const std::vector<Rectangle>& dead);
  void mark_reserved(const std::vector<Rectangle>& kernels);

  bool switched_;
  std::uint32_t columns_;
  std::uint32_t rows_;
  std::uint32_t group_columns_;
  std::uint32_t group_rows_;
  bool uniform_;
  bool has_dead_;
  std::array<LinkFigures, 2> figures_;  // within a group of tiles, between two
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

}  // namespace waferloom
