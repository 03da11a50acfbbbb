#pragma once

#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "model/wafer.h"
#include "sim/mesh/route.h"

namespace waferloom::sim {

/// Counts the bytes that each link carries. Counting a route takes O(its legs), whatever their
/// length: differences along each row and column are kept, and summed when asked for.
class LinkBytes {
 public:
  explicit LinkBytes(const Mesh& mesh) : mesh_(mesh), changes_(mesh.link_count(), 0) {}
  void count(const Route& route, std::int64_t bytes);
  /// By LinkIndex. O(links).
  std::vector<std::int64_t> totals() const;
  /// The links that carry anything, and counts nothing any more. `tiles` hold all that was counted.
  /// O(tiles).
  std::vector<LinkLoad> take(const Rectangle& tiles);

 private:
  bool comes_around(NodeIndex node, Direction direction) const;

  const Mesh& mesh_;
  std::vector<std::int64_t> changes_;  // against the link before on the same row or column
};

}  // namespace waferloom::sim
