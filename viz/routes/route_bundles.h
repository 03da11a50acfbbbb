#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/routes.h"
#include "model/wafer.h"

namespace waferloom::viz {

/// What the lanes of a bundle cover between two turns.
struct RouteBand {
  Direction direction = Direction::east;
  Rectangle hull;                ///< around all that they cover
  std::vector<Rectangle> tiles;  ///< exactly what they cover; neighbours of one extent are joined
};

/// Lanes of a tensor that run side by side from their first tiles to their last ones.
struct RouteBundle {
  std::vector<std::size_t> lanes;  ///< of the tensor, side by side
  std::vector<RouteBand> bands;    ///< from producer to consumer, at least one
};

/// The lanes of a tensor as bundles. Two lanes run side by side where their paths turn the same
/// way, and between any two turns are at most `apart` ≥ 1 tiles from each other, across (1: on
/// neighbouring tracks) as along. A lane without hops is a band of one tile. Bundles are in order
/// of their first lanes. O(lanes · lanes within `apart`).
std::vector<RouteBundle> route_bundles(const std::vector<RoutedLane>& lanes, std::int64_t apart);

/// The tiles that lanes of a bundle cover, all bands together; where they turn or cross some count
/// twice.
std::int64_t covered_tiles(const RouteBundle& bundle);

}  // namespace waferloom::viz
