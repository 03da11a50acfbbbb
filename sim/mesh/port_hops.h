#pragma once

#include <cstdint>

#include "model/hardware.h"

namespace waferloom::sim {

/// Hops from a tile to the nearest of a rectangle, and as many back; 0 within it. Around a torus
/// the shorter way along each axis, or in each of two opposite networks. Without anything dead.
std::int64_t hops_over(const Hardware& hardware, const TilePlace& tile, const Rectangle& tiles);

}  // namespace waferloom::sim
