#include "sim/mesh/link_bytes.h"

namespace waferloom::sim {

void LinkBytes::count(const Route& route, std::int64_t bytes) {
  for (const Leg& leg : route.legs) {
    changes_[Mesh::link(leg.from, leg.direction)] += bytes;
    if (mesh_.is_switched()) continue;
    changes_[Mesh::link(end_of(mesh_, leg), leg.direction)] -= bytes;
  }
}

std::vector<std::int64_t> LinkBytes::totals() const {
  std::vector<std::int64_t> result = changes_;
  const auto add_one_before = [&](NodeIndex node, Direction direction) {
    if (mesh_.has_neighbour(node, opposite(direction))) {
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

}  // namespace waferloom::sim
