#include "router/flow/cell_grid.h"

#include <algorithm>
#include <set>

namespace waferloom::router {
namespace {

/// Lines along kernels' borders are left out where they alone would make more bands than this.
constexpr std::size_t kMostBorderLines = 120;

/// The starts of bands of at most `most` tiles between lines from 0 to `end`, and `end`.
std::vector<std::int64_t> band_starts(const std::set<std::int64_t>& lines, std::int64_t end,
                                      std::int64_t most) {
  std::vector<std::int64_t> starts;
  std::int64_t last = 0;
  for (const std::int64_t line : lines) {
    if (line <= last) continue;
    const std::int64_t parts = (line - last + most - 1) / most;
    for (std::int64_t part = 0; part < parts; ++part) {
      starts.push_back(last + part * (line - last) / parts);
    }
    last = line;
  }
  starts.push_back(end);
  return starts;
}

std::vector<CellIndex> bands_of(const std::vector<std::int64_t>& starts) {
  std::vector<CellIndex> bands;
  for (std::size_t band = 0; band + 1 < starts.size(); ++band) {
    bands.insert(bands.end(), static_cast<std::size_t>(starts[band + 1] - starts[band]),
                 static_cast<CellIndex>(band));
  }
  return bands;
}

}  // namespace

CellGrid::CellGrid(const Mesh& mesh, const Traffic& traffic, std::int64_t most_tiles) {
  add_lines(mesh, traffic, most_tiles);
  add_capacities(mesh);
}

void CellGrid::add_lines(const Mesh& mesh, const Traffic& traffic, std::int64_t most_tiles) {
  std::set<std::int64_t> columns;
  std::set<std::int64_t> rows;
  for (const TrafficBlock& block : traffic.blocks) {
    columns.insert({block.tiles.x, block.tiles.x + block.tiles.width});
    rows.insert({block.tiles.y, block.tiles.y + block.tiles.height});
  }
  if (columns.size() > kMostBorderLines) columns.clear();
  if (rows.size() > kMostBorderLines) rows.clear();
  columns.insert(mesh.columns());
  rows.insert(mesh.rows());
  column_starts_ = band_starts(columns, mesh.columns(), most_tiles);
  row_starts_ = band_starts(rows, mesh.rows(), most_tiles);
  column_of_ = bands_of(column_starts_);
  row_of_ = bands_of(row_starts_);
}

void CellGrid::add_capacities(const Mesh& mesh) {
  capacity_.assign(border_count(), 0);
  const auto add = [&](std::int64_t x, std::int64_t y, Direction direction) {
    const LinkIndex link = Mesh::link(mesh.node(TilePlace{x, y}), direction);
    if (!mesh.is_dead_link(link)) {
      capacity_[border(cell_at({x, y}), direction)] += mesh.bytes_per_ps(link);
    }
  };
  for (std::size_t band = 1; band < columns(); ++band) {
    for (std::int64_t y = 0; y < mesh.rows(); ++y) {
      add(column_starts_[band] - 1, y, Direction::east);
      add(column_starts_[band], y, Direction::west);
    }
  }
  for (std::size_t band = 1; band < rows(); ++band) {
    for (std::int64_t x = 0; x < mesh.columns(); ++x) {
      add(x, row_starts_[band] - 1, Direction::north);
      add(x, row_starts_[band], Direction::south);
    }
  }
}

Rectangle CellGrid::tiles(CellIndex cell) const {
  const std::size_t column = cell % columns();
  const std::size_t row = cell / columns();
  return {column_starts_[column], row_starts_[row],
          column_starts_[column + 1] - column_starts_[column],
          row_starts_[row + 1] - row_starts_[row]};
}

bool CellGrid::has_neighbour(CellIndex cell, Direction direction) const {
  const std::size_t column = cell % columns();
  const std::size_t row = cell / columns();
  switch (direction) {
    case Direction::east:
      return column + 1 < columns();
    case Direction::west:
      return column > 0;
    case Direction::north:
      return row + 1 < rows();
    case Direction::south:
      return row > 0;
  }
  return false;
}

double CellGrid::length(BorderIndex border) const {
  const CellIndex cell = border / 4;
  const auto direction = static_cast<Direction>(border % 4);
  const Rectangle here = tiles(cell);
  const Rectangle there = tiles(neighbour(cell, direction));
  const std::int64_t both =
      is_along_x(direction) ? here.width + there.width : here.height + there.height;
  return static_cast<double>(both) / 2;
}

}  // namespace waferloom::router
