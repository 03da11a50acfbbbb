#include "router/flow/live_parts.h"

#include <limits>

namespace waferloom::router {

LiveParts::LiveParts(const Mesh& mesh) {
  if (!mesh.has_dead()) return;
  constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();
  part_.assign(mesh.node_count(), kUnseen);
  std::vector<NodeIndex> reached;
  std::uint32_t parts = 0;
  for (NodeIndex first = 0; first < part_.size(); ++first) {
    if (part_[first] != kUnseen) continue;
    part_[first] = parts;
    reached.assign(1, first);
    while (!reached.empty()) {
      const NodeIndex at = reached.back();
      reached.pop_back();
      for (const Direction direction : kDirections) {
        if (mesh.is_dead_link(Mesh::link(at, direction))) continue;
        const NodeIndex next = mesh.neighbour(at, direction);
        if (part_[next] != kUnseen || mesh.is_dead_link(Mesh::link(next, opposite(direction)))) {
          continue;
        }
        part_[next] = parts;
        reached.push_back(next);
      }
    }
    ++parts;
  }
}

}  // namespace waferloom::router
