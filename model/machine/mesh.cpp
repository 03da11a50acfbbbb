#include "model/mesh.h"

#include <limits>

namespace waferloom {

namespace {

constexpr double kPicosecondsPerSecond = 1e12;

/// Tiles between two intervals; negative where they overlap.
std::int64_t gap(std::int64_t a, std::int64_t a_length, std::int64_t b, std::int64_t b_length) {
  return std::max(b - (a + a_length), a - (b + b_length));
}

}  // namespace

Direction opposite(Direction direction) {
  return static_cast<Direction>(static_cast<std::uint8_t>(direction) ^ 1U);
}

Direction facing_side(const Rectangle& of, const Rectangle& other) {
  if (gap(of.x, of.width, other.x, other.width) >= gap(of.y, of.height, other.y, other.height)) {
    return 2 * other.x + other.width > 2 * of.x + of.width ? Direction::east : Direction::west;
  }
  return 2 * other.y + other.height > 2 * of.y + of.height ? Direction::north : Direction::south;
}

double bytes_per_ps(const Rate& rate) {
  if (!rate) return std::numeric_limits<double>::infinity();
  return static_cast<double>(*rate) / kPicosecondsPerSecond;
}

Mesh::Mesh(const Hardware& hardware, const LinkReserve& reserve)
    : switched_(hardware.topology == Topology::switched),
      wraps_(hardware.topology == Topology::torus),
      networks_(hardware.networks),
      columns_(static_cast<std::uint32_t>(hardware.wafer.width)),
      rows_(static_cast<std::uint32_t>(hardware.wafer.height)),
      group_columns_(static_cast<std::uint32_t>(hardware.group_columns)),
      group_rows_(static_cast<std::uint32_t>(hardware.group_rows)),
      uniform_(!switched_ && (reserve.kernels.empty() || reserve.percent == 0) &&
               hardware.column_link.value_or(hardware.link) == hardware.link &&
               (hardware.link == hardware.group_link ||
                (group_columns_ >= columns_ && group_rows_ >= rows_))),
      has_dead_(!hardware.wafer.dead.empty() || !hardware.dead_links.empty()),
      figures_{figures_of(hardware.link), figures_of(hardware.group_link),
               figures_of(hardware.column_link.value_or(hardware.link))},
      one_rate_(figures_[0].bytes_per_ps == figures_[1].bytes_per_ps &&
                figures_[0].bytes_per_ps == figures_[2].bytes_per_ps),
      open_part_(reserve.kernels.empty() ? 1.0
                                         : static_cast<double>(100 - reserve.percent) / 100.0),
      marks_(node_count(), 0) {
  mark_dead(hardware);
  if (reserve.percent > 0) mark_reserved(reserve.kernels);
}

Mesh::LinkFigures Mesh::figures_of(const LinkClass& link) {
  return {waferloom::bytes_per_ps(link.bytes_per_s), link.latency_ps};
}

double Mesh::tile_bytes_per_ps() const {
  if (switched_) return std::numeric_limits<double>::infinity();
  return std::max(figures_[0].bytes_per_ps, figures_[2].bytes_per_ps);
}

std::string Mesh::link_text(LinkIndex link) const {
  return std::string("link ") + link_name(link) + " of tile " + tile_text(place(source(link)));
}

bool Mesh::has_neighbour(NodeIndex node, Direction direction) const {
  if (switched_) return false;
  if (wraps_) return (is_along_x(direction) ? columns_ : rows_) > 1;
  return !leads_off(node, direction);
}

bool Mesh::leads_off(NodeIndex node, Direction direction) const {
  switch (direction) {
    case Direction::east:
      return x(node) + 1 == columns_;
    case Direction::west:
      return x(node) == 0;
    case Direction::north:
      return y(node) + 1 == rows_;
    case Direction::south:
      return y(node) == 0;
  }
  return true;
}

bool Mesh::is_around(LinkIndex link) const {
  return wraps_ && leads_off(source(link), direction(link));
}

NodeIndex Mesh::neighbour(NodeIndex node, Direction direction) const {
  const bool is_around = wraps_ && leads_off(node, direction);
  switch (direction) {
    case Direction::east:
      return is_around ? node + 1 - columns_ : node + 1;
    case Direction::west:
      return is_around ? node + columns_ - 1 : node - 1;
    case Direction::north:
      return is_around ? x(node) : node + columns_;
    case Direction::south:
      return is_around ? node + columns_ * (rows_ - 1) : node - columns_;
  }
  return node;
}

std::optional<std::uint32_t> Mesh::hops_along(NodeIndex from, NodeIndex to,
                                              Direction direction) const {
  const bool along_x = is_along_x(direction);
  const bool is_up = is_upward(direction);
  const std::uint32_t here = along_x ? x(from) : y(from);
  const std::uint32_t there = along_x ? x(to) : y(to);
  const std::uint32_t low = is_up ? here : there;
  const std::uint32_t high = is_up ? there : here;
  if (high >= low) return high - low;
  if (!wraps_) return std::nullopt;
  return high + (along_x ? columns_ : rows_) - low;
}

bool Mesh::crosses_groups(LinkIndex link) const {
  if (switched_) return !is_along_x(direction(link));
  const NodeIndex from = source(link);
  const NodeIndex to = neighbour(from, direction(link));
  return x(from) / group_columns_ != x(to) / group_columns_ ||
         y(from) / group_rows_ != y(to) / group_rows_;
}

void Mesh::mark_tiles(const std::vector<Rectangle>& rectangles, std::uint16_t mark) {
  // How many rectangles cover a tile, as differences along both axes, summed up below: O(tiles)
  // however much they overlap.
  const std::size_t stride = std::size_t{columns_} + 1;
  std::vector<std::int32_t> cover(stride * (std::size_t{rows_} + 1), 0);
  for (const Rectangle& tiles : rectangles) {
    const auto left = static_cast<std::size_t>(tiles.x);
    const auto right = static_cast<std::size_t>(tiles.x + tiles.width);
    const std::size_t low = stride * static_cast<std::size_t>(tiles.y);
    const std::size_t high = stride * static_cast<std::size_t>(tiles.y + tiles.height);
    ++cover[low + left];
    --cover[low + right];
    --cover[high + left];
    ++cover[high + right];
  }
  for (std::uint32_t row = 0; row < rows_; ++row) {
    std::int32_t along = 0;
    for (std::uint32_t column = 0; column < columns_; ++column) {
      const std::size_t at = stride * row + column;
      along += cover[at];
      cover[at] = along + (row > 0 ? cover[at - stride] : 0);
      if (cover[at] > 0) marks_[node(column, row)] = mark;
    }
  }
}

void Mesh::mark_reserved(const std::vector<Rectangle>& kernels) {
  const auto mark = [&](std::int64_t column, std::int64_t row, Direction direction) {
    const auto bit = static_cast<unsigned>(kReservedEast) << static_cast<unsigned>(direction);
    std::uint16_t& marks = marks_[node(TilePlace{column, row})];
    marks = static_cast<std::uint16_t>(marks | bit);
  };
  for (const Rectangle& tiles : kernels) {
    const std::int64_t right = tiles.x + tiles.width;
    const std::int64_t top = tiles.y + tiles.height;
    for (std::int64_t row = tiles.y; row < top; ++row) {
      for (std::int64_t column = tiles.x; column < right; ++column) {
        if (column + 1 < right) mark(column, row, Direction::east);
        if (column > tiles.x) mark(column, row, Direction::west);
        if (row + 1 < top) mark(column, row, Direction::north);
        if (row > tiles.y) mark(column, row, Direction::south);
      }
    }
  }
}

void Mesh::mark_dead(const Hardware& hardware) {
  constexpr std::uint16_t kPasses = kDeadTile | kPassing;
  if (!hardware.passing.empty()) mark_tiles(hardware.passing, kPasses);
  if (!hardware.wafer.dead.empty()) mark_tiles(closed_tiles(hardware), kDeadTile);
  for (const DeadLink& link : hardware.dead_links) {
    const NodeIndex from =
        node(static_cast<std::uint32_t>(link.x), static_cast<std::uint32_t>(link.y));
    marks_[from] |= static_cast<std::uint16_t>(1U << static_cast<unsigned>(link.direction));
  }
  for (NodeIndex from = 0; from < node_count(); ++from) {
    for (const Direction direction : kDirections) {
      const bool leads_nowhere =
          !switched_ && (!has_neighbour(from, direction) || is_closed(neighbour(from, direction)));
      if (is_closed(from) || leads_nowhere) {
        marks_[from] |= static_cast<std::uint16_t>(1U << static_cast<unsigned>(direction));
      }
    }
  }
}

}  // namespace waferloom
