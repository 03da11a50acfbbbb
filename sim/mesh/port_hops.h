#pragma once

#include <cstdint>

#include "model/hardware.h"

namespace waferloom::sim {

/// Hops from a tile to the nearest of a rectangle, along each axis the shorter way of a torus; 0
/// within it.
std::int64_t hops_over(const Hardware& hardware, const TilePlace& tile, const Rectangle& tiles);

}  // namespace waferloom::sim
