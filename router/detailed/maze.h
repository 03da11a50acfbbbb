#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/rectangle.h"
#include "router/detailed/track_loads.h"

namespace waferloom::router {

/// Finds cheapest paths tile by tile (Lee 1961, with costs: Dijkstra).
class Maze {
 public:
  explicit Maze(const TrackLoads& loads) : loads_(loads) {}

  /// The cheapest path between two tiles that takes no dead link and no tile of which `blocked`
  /// (by tile, row by row; none: null) has a bit of `bits`, first within `margin` tiles around the
  /// two, then on the whole mesh; nothing if there is none. O(tiles log tiles).
  std::optional<std::vector<PathLeg>> find(const TilePlace& from, const TilePlace& to, float part,
                                           std::int64_t margin,
                                           const std::vector<std::uint64_t>* blocked = nullptr,
                                           std::uint64_t bits = 0);

 private:
  std::optional<std::vector<PathLeg>> find_within(const Rectangle& window, const TilePlace& from,
                                                  const TilePlace& to, float part,
                                                  const std::vector<std::uint64_t>* blocked,
                                                  std::uint64_t bits);

  const TrackLoads& loads_;
  std::vector<double> cost_;
  std::vector<std::uint8_t> came_by_;
};

}  // namespace waferloom::router
