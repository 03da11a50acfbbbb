#pragma once

#include <cstdint>
#include <vector>

#include "model/mesh.h"

namespace waferloom::router {

/// The parts that dead tiles and links cut a mesh into: tiles of a part reach one another by links
/// that are live both ways. O(tiles).
class LiveParts {
 public:
  explicit LiveParts(const Mesh& mesh);

  /// Whether nothing is dead, and all tiles are one part.
  bool is_whole() const { return part_.empty(); }
  std::uint32_t part(NodeIndex node) const { return part_.empty() ? 0 : part_[node]; }

 private:
  std::vector<std::uint32_t> part_;  // by tile; empty where nothing is dead
};

}  // namespace waferloom::router
