#include "sim/mesh/link_bytes.h"

#include <utility>

#include "model/mesh.h"

namespace waferloom::sim {

void LinkBytes::count(const Route& route, std::int64_t bytes) {
  for (const Leg& leg : route.legs) {
    changes_[Mesh::link(leg.from, leg.direction)] += bytes;
    if (mesh_.is_switched()) continue;
    const NodeIndex end = end_of(mesh_, leg);
    if (comes_around(end, leg.direction)) continue;
    changes_[Mesh::link(end, leg.direction)] -= bytes;
  }
}

/// Lines of links begin anew where they come around a torus.
bool LinkBytes::comes_around(NodeIndex node, Direction direction) const {
  if (!mesh_.wraps()) return false;
  return mesh_.is_around(Mesh::link(mesh_.neighbour(node, opposite(direction)), direction));
}

std::vector<std::int64_t> LinkBytes::totals() const {
  std::vector<std::int64_t> result = changes_;
  const auto add_one_before = [&](NodeIndex node, Direction direction) {
    if (mesh_.has_neighbour(node, opposite(direction)) && !comes_around(node, direction)) {
      result[Mesh::link(node, direction)] +=
          result[Mesh::link(mesh_.neighbour(node, opposite(direction)), direction)];
    }
  };
  for (NodeIndex node = 0; node < mesh_.node_count(); ++node) {
    add_one_before(node, Direction::east);
    add_one_before(node, Direction::north);
  }
  for (auto node = static_cast<NodeIndex>(mesh_.node_count()); node-- > 0;) {
    add_one_before(node, Direction::west);
    add_one_before(node, Direction::south);
  }
  return result;
}

std::vector<LinkLoad> LinkBytes::take(const Rectangle& tiles) {
  std::vector<LinkLoad> loads;
  const auto add_line = [&](NodeIndex first, std::int64_t count, Direction direction,
                            std::int64_t stride) {
    std::int64_t carried = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto node = static_cast<NodeIndex>(static_cast<std::int64_t>(first) + i * stride);
      const LinkIndex link = Mesh::link(node, direction);
      carried = std::exchange(changes_[link], 0) + (mesh_.is_switched() ? 0 : carried);
      if (carried != 0) loads.push_back({link, carried});
    }
  };
  const std::int64_t columns = mesh_.columns();
  for (std::int64_t y = tiles.y; y < tiles.y + tiles.height; ++y) {
    add_line(mesh_.node({tiles.x, y}), tiles.width, Direction::east, 1);
    add_line(mesh_.node({tiles.x + tiles.width - 1, y}), tiles.width, Direction::west, -1);
  }
  for (std::int64_t x = tiles.x; x < tiles.x + tiles.width; ++x) {
    add_line(mesh_.node({x, tiles.y}), tiles.height, Direction::north, columns);
    add_line(mesh_.node({x, tiles.y + tiles.height - 1}), tiles.height, Direction::south, -columns);
  }
  return loads;
}

}  // namespace waferloom::sim
