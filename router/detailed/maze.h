#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/wafer.h"
#include "router/detailed/track_loads.h"

namespace waferloom::router {

/// Where a path may lead.
struct MazeLimits {
  std::int64_t margin = 0;  ///< tiles around the two ends
  /// Where there is none, on the whole mesh.
  bool far = true;
  /// By tile, row by row: tiles with one of some bits are closed; null: none is.
  const std::vector<std::uint64_t>* blocked = nullptr;
  std::uint64_t bits = 0;
};

/// Finds cheapest paths tile by tile (Lee 1961, with costs: Dijkstra).
class Maze {
 public:
  explicit Maze(const TrackLoads& loads) : loads_(loads) {}

  /// The cheapest path between two tiles within limits that takes no dead link; nothing if there
  /// is none. O(tiles log tiles).
  std::optional<std::vector<PathLeg>> find(const TilePlace& from, const TilePlace& to, float part,
                                           const MazeLimits& limits);

  /// Of some bits those that leave a way between two tiles over live links if the tiles that have
  /// them in `blocked` are closed: all bits at once, by flooding. O(tiles · bits).
  std::uint64_t open_bits(const TilePlace& from, const TilePlace& to,
                          const std::vector<std::uint64_t>& blocked, std::uint64_t bits);

  /// Tiles that all searches so far have reached.
  std::int64_t reached() const { return reached_; }

 private:
  std::optional<std::vector<PathLeg>> find_within(const Rectangle& window, const TilePlace& from,
                                                  const TilePlace& to, float part,
                                                  const MazeLimits& limits);

  const TrackLoads& loads_;
  std::int64_t reached_ = 0;
  /// By tile; what an earlier search left counts as never reached.
  struct Reached {
    double cost = 0;
    std::uint32_t search = 0;
    std::uint8_t came_by = 0;
  };
  std::vector<Reached> reached_by_;
  std::uint32_t search_ = 0;
  std::vector<std::pair<double, std::uint32_t>> heap_;
  std::vector<std::uint64_t> open_;  // by tile: bits that reach it
};

}  // namespace waferloom::router
