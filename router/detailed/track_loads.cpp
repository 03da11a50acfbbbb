#include "router/detailed/track_loads.h"

#include <algorithm>

namespace waferloom::router {
namespace {

/// What lanes count as at least where links are dead: less than this times the scale of dead links
/// would cost less than kDeadCost.
constexpr float kLeastPart = 0.06F;

/// Whether a link leads off the mesh, or around it.
bool is_at_border(const Mesh& mesh, NodeIndex node, Direction direction) {
  switch (direction) {
    case Direction::east:
      return mesh.x(node) + 1 == mesh.columns();
    case Direction::west:
      return mesh.x(node) == 0;
    case Direction::north:
      return mesh.y(node) + 1 == mesh.rows();
    case Direction::south:
      return mesh.y(node) == 0;
  }
  return true;
}

}  // namespace

TrackLoads::TrackLoads(const Mesh& mesh, const std::vector<float>& room)
    : columns_(mesh.columns()),
      rows_(mesh.rows()),
      least_part_(mesh.has_dead() ? kLeastPart : 0.0F) {
  for (const std::size_t across : {0, 1}) {
    crowd_[across].assign(mesh.node_count(), 0);
    crowd_scale_[across].resize(mesh.node_count());
  }
  tiles_.resize(mesh.node_count());
  for (NodeIndex node = 0; node < mesh.node_count(); ++node) {
    tiles_[node].scale.fill(kDeadScale);
    tiles_[node].crowd_scale = 1 / room[node];
    crowd_scale_[0][node] = 1 / room[node];
    crowd_scale_[1][index(Direction::north, mesh.x(node), mesh.y(node))] = 1 / room[node];
  }
  const double open = mesh.tile_bytes_per_ps();
  for (const Direction direction : kDirections) {
    const auto at = static_cast<std::size_t>(direction);
    full_[at].assign(mesh.node_count(), 0);
    scale_[at].assign(mesh.node_count(), kDeadScale);
    for (NodeIndex node = 0; node < mesh.node_count(); ++node) {
      const LinkIndex link = Mesh::link(node, direction);
      if (mesh.is_dead_link(link)) continue;
      const auto scale = static_cast<float>(open / mesh.bytes_per_ps(link));
      scale_[at][index_of({mesh.x(node), mesh.y(node)}, direction)] = scale;
      if (!is_at_border(mesh, node, direction)) tiles_[node].scale[at] = scale;
    }
  }
}

inline float TrackLoads::Piece::cost(std::size_t i, float part) const {
  return rise(full[i], part * scale[i]) + rise(crowd[i], more[i]) + kHop;
}

TrackLoads::Piece TrackLoads::piece(Direction direction, std::int64_t line,
                                    std::int64_t first) const {
  const auto at = static_cast<std::size_t>(direction);
  const std::size_t link = index(direction, line, first);
  const std::size_t across = is_along_x(direction) ? 0 : 1;
  const std::size_t tile = link + ahead(direction);
  return {full_[at].data() + link, scale_[at].data() + link, crowd_[across].data() + tile,
          crowd_scale_[across].data() + tile};
}

void TrackLoads::add_up(Direction direction, std::int64_t line, std::int64_t first,
                        std::size_t links, float part, std::vector<float>& sums) const {
  part = std::max(part, least_part_);
  const Piece at = piece(direction, line, first);
  sums.resize(links + 1);
  float sum = 0;
  sums[0] = 0;
  for (std::size_t i = 0; i < links; ++i) {
    sum += at.cost(i, part);
    sums[i + 1] = sum;
  }
}

double TrackLoads::cost(Direction direction, std::int64_t line, std::int64_t first,
                        std::int64_t links, float part) const {
  part = std::max(part, least_part_);
  const Piece at = piece(direction, line, first);
  float sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(links); ++i) sum += at.cost(i, part);
  return static_cast<double>(sum);
}

double TrackLoads::path_cost(TilePlace from, const std::vector<PathLeg>& path, float part) const {
  double sum = 0;
  for (const PathLeg& leg : path) {
    const bool along_x = is_along_x(leg.direction);
    const bool up = leg.direction == Direction::east || leg.direction == Direction::north;
    std::int64_t& along = along_x ? from.x : from.y;
    sum += cost(leg.direction, along_x ? from.y : from.x, up ? along : along - leg.hops, leg.hops,
                part);
    along += up ? leg.hops : -leg.hops;
  }
  return sum;
}

template <typename Visit>
void TrackLoads::for_each_piece(TilePlace at, const std::vector<PathLeg>& path,
                                Visit&& visit) const {
  for (const PathLeg& leg : path) {
    const bool along_x = is_along_x(leg.direction);
    const bool up = leg.direction == Direction::east || leg.direction == Direction::north;
    std::int64_t& along = along_x ? at.x : at.y;
    const std::int64_t first = up ? along : along - leg.hops;
    visit(leg.direction, index(leg.direction, along_x ? at.y : at.x, first), leg.hops);
    along += up ? leg.hops : -leg.hops;
  }
}

void TrackLoads::change(const TilePlace& from, const std::vector<PathLeg>& path, float part,
                        bool adds) {
  const float lanes = adds ? 1 : -1;
  if (!adds) part = -part;
  const auto crowd = [&](std::int64_t x, std::int64_t y) {
    const std::size_t by_row = index(Direction::east, y, x);
    const std::size_t by_column = index(Direction::north, x, y);
    crowd_[0][by_row] += lanes * crowd_scale_[0][by_row];
    crowd_[1][by_column] += lanes * crowd_scale_[1][by_column];
    tiles_[by_row].crowd = crowd_[0][by_row];
  };
  for_each_piece(from, path, [&](Direction direction, std::size_t first, std::int64_t links) {
    const auto at = static_cast<std::size_t>(direction);
    const auto length = static_cast<std::size_t>(is_along_x(direction) ? columns_ : rows_);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(links); ++i) {
      full_[at][i] += part * scale_[at][i];
      const std::size_t tile = i + ahead(direction);
      const auto line = static_cast<std::int64_t>(tile / length);
      const auto along = static_cast<std::int64_t>(tile % length);
      is_along_x(direction) ? crowd(along, line) : crowd(line, along);
      const std::int64_t from_here = along + (ahead(direction) == 1 ? -1 : 1);
      tiles_[is_along_x(direction) ? index(Direction::east, line, from_here)
                                   : index(Direction::east, from_here, line)]
          .full[at] = full_[at][i];
    }
  });
  crowd(from.x, from.y);
}

double TrackLoads::fullest(const TilePlace& from, const std::vector<PathLeg>& path) const {
  float most = 0;
  for_each_piece(from, path, [&](Direction direction, std::size_t first, std::int64_t links) {
    const auto at = static_cast<std::size_t>(direction);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(links); ++i) {
      most = std::max(most, full_[at][i]);
    }
  });
  return static_cast<double>(most);
}

}  // namespace waferloom::router
