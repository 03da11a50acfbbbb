#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "model/routes.h"

namespace waferloom::router {

/// How full every link and how crowded every tile is, along tracks: rows of links east and west,
/// columns of links north and south, so that a straight piece of a path is a piece of an array. A
/// link's fullness is 1 where it carries what the target allows, a tile's crowd where as many lanes
/// cross it as have room. Dead links are so full that no lane takes them while another way is open.
class TrackLoads {
 public:
  /// `room` is how many lanes may cross each tile, by tile, at least 1.
  TrackLoads(const Mesh& mesh, const std::vector<float>& room);

  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }

  /// What a lane that fills an open link by `part` costs on each link of a straight piece: added up
  /// in `sums` from 0 on, a number more than there are links. `line` is the row of a piece along x,
  /// else the column; `first` the lower end, in tiles.
  void add_up(Direction direction, std::int64_t line, std::int64_t first, std::size_t links,
              float part, std::vector<float>& sums) const;
  /// The same of a whole piece.
  double cost(Direction direction, std::int64_t line, std::int64_t first, std::int64_t links,
              float part) const;
  /// The same of a path.
  double path_cost(TilePlace from, const std::vector<PathLeg>& path, float part) const;
  /// The links out of a tile, by direction, and the tile, close together for searches that go from
  /// tile to tile.
  struct Tile {
    std::array<float, 4> full{};
    std::array<float, 4> scale{};  ///< of a link that is dead, or leads off the mesh, kDeadScale
    float crowd = 0;
    float crowd_scale = 0;
    bool is_dead(Direction direction) const {
      return scale[static_cast<std::size_t>(direction)] >= kDeadScale;
    }
  };
  /// By row and column.
  const Tile& tile(std::size_t at) const { return tiles_[at]; }
  /// The part that costs are reckoned with.
  float reckoned(float part) const { return std::max(part, least_part_); }
  /// Of a link from a tile to the next, `part` as it is reckoned.
  static double link_cost(const Tile& from, Direction direction, const Tile& to, float part) {
    const auto at = static_cast<std::size_t>(direction);
    return static_cast<double>(rise(from.full[at], part * from.scale[at]) +
                               rise(to.crowd, to.crowd_scale) + kHop);
  }

  /// Puts a lane on its path, or takes it off.
  void add(const TilePlace& from, const std::vector<PathLeg>& path, float part) {
    change(from, path, part, true);
  }
  void remove(const TilePlace& from, const std::vector<PathLeg>& path, float part) {
    change(from, path, part, false);
  }
  /// Of the fullest link of a path.
  double fullest(const TilePlace& from, const std::vector<PathLeg>& path) const;

  /// From which costs on it is certain that a path takes a dead link.
  static constexpr double kDeadCost = 1e15;

 private:
  static constexpr float kDeadScale = 1e5F;
  /// What a hop costs where a link is empty, so that short ways are taken there.
  static constexpr float kHop = 1e-3F;

  template <typename Visit>
  void for_each_piece(TilePlace at, const std::vector<PathLeg>& path, Visit&& visit) const;
  std::size_t index(Direction direction, std::int64_t line, std::int64_t first) const {
    return static_cast<std::size_t>(line * (is_along_x(direction) ? columns_ : rows_) + first);
  }
  /// Where a link lies on its track; of the mesh's border, where there is none, anywhere.
  std::size_t index_of(const TilePlace& from, Direction direction) const {
    switch (direction) {
      case Direction::east:
        return index(direction, from.y, from.x);
      case Direction::west:
        return index(direction, from.y, std::max<std::int64_t>(0, from.x - 1));
      case Direction::north:
        return index(direction, from.x, from.y);
      case Direction::south:
        return index(direction, from.x, std::max<std::int64_t>(0, from.y - 1));
    }
    return 0;
  }
  /// Costs grow with the fourth power of fullness: a link that is full costs as much as a long way
  /// around it.
  static float rise(float full, float part) {
    const float after = (full + part) * (full + part);
    const float before = full * full;
    return after * after - before * before;
  }
  /// Of the tile that a link leads to, from the link's place.
  static std::size_t ahead(Direction direction) {
    return direction == Direction::east || direction == Direction::north ? 1 : 0;
  }

  std::int64_t columns_;
  std::int64_t rows_;
  float least_part_;  // that costs are reckoned with
  /// A straight piece of a path in the arrays below.
  struct Piece {
    const float* full;
    const float* scale;
    const float* crowd;
    const float* more;
    /// What a lane costs on its i-th link.
    float cost(std::size_t i, float part) const;
  };
  Piece piece(Direction direction, std::int64_t line, std::int64_t first) const;
  void change(const TilePlace& from, const std::vector<PathLeg>& path, float part, bool adds);

  std::array<std::vector<float>, 4> full_;   // by direction and place on its track
  std::array<std::vector<float>, 4> scale_;  // what a part of an open link is of this one
  std::vector<Tile> tiles_;                  // the same, row by row
  /// Of tiles, row by row and column by column; a lane more crowds a tile by its scale.
  std::array<std::vector<float>, 2> crowd_;
  std::array<std::vector<float>, 2> crowd_scale_;
};

}  // namespace waferloom::router
