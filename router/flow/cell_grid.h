#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "model/routes.h"

namespace waferloom::router {

using CellIndex = std::uint32_t;
/// A directed border between a cell and its neighbour: 4 · cell + direction.
using BorderIndex = std::uint32_t;

/// The mesh cut into cells by lines along kernels' borders (where these are few) and at most so
/// many tiles apart. A border's capacity is that of the links across it, in bytes a picosecond;
/// links inside a cell are free. So a flow that keeps to the borders' capacities is a relaxation of
/// any routing of the mesh.
class CellGrid {
 public:
  CellGrid(const Mesh& mesh, const Traffic& traffic, std::int64_t most_tiles);

  std::size_t columns() const { return column_starts_.size() - 1; }
  std::size_t rows() const { return row_starts_.size() - 1; }
  std::size_t cell_count() const { return columns() * rows(); }
  std::size_t border_count() const { return 4 * cell_count(); }

  CellIndex cell_at(const TilePlace& tile) const {
    return row_of_[static_cast<std::size_t>(tile.y)] * static_cast<CellIndex>(columns()) +
           column_of_[static_cast<std::size_t>(tile.x)];
  }
  /// Tiles [x, x + width) × [y, y + height).
  Rectangle tiles(CellIndex cell) const;
  static BorderIndex border(CellIndex cell, Direction direction) {
    return 4 * cell + static_cast<BorderIndex>(direction);
  }
  bool has_neighbour(CellIndex cell, Direction direction) const;
  CellIndex neighbour(CellIndex cell, Direction direction) const {
    const auto across = static_cast<CellIndex>(columns());
    switch (direction) {
      case Direction::east:
        return cell + 1;
      case Direction::west:
        return cell - 1;
      case Direction::north:
        return cell + across;
      case Direction::south:
        return cell - across;
    }
    return cell;
  }
  /// 0 where no link crosses.
  double capacity(BorderIndex border) const { return capacity_[border]; }
  /// Links that cross it, dead ones too.
  std::int64_t links(BorderIndex border) const {
    const Rectangle here = tiles(border / 4);
    return is_along_x(static_cast<Direction>(border % 4)) ? here.height : here.width;
  }
  /// Tiles from the middle of a cell to that of its neighbour.
  double length(BorderIndex border) const;

 private:
  void add_lines(const Mesh& mesh, const Traffic& traffic, std::int64_t most_tiles);
  void add_capacities(const Mesh& mesh);

  std::vector<std::int64_t> column_starts_;  // and behind the last the mesh's end
  std::vector<std::int64_t> row_starts_;
  std::vector<CellIndex> column_of_;  // by x
  std::vector<CellIndex> row_of_;     // by y
  std::vector<double> capacity_;      // by border
};

}  // namespace waferloom::router
