#include "sim/mesh/port_hops.h"

#include <algorithm>

namespace waferloom::sim {
namespace {

/// Steps from a place on a ring to the nearest of `length` places from `first`.
std::int64_t around(std::int64_t at, std::int64_t first, std::int64_t length, std::int64_t side) {
  if (at >= first && at < first + length) return 0;
  const std::int64_t up = (first - at + side) % side;
  const std::int64_t down = (at - (first + length - 1) + side) % side;
  return std::min(up, down);
}

}  // namespace

std::int64_t hops_over(const Hardware& hardware, const TilePlace& tile, const Rectangle& tiles) {
  if (hardware.topology != Topology::torus) return hops_to(tile, tiles);
  return around(tile.x, tiles.x, tiles.width, hardware.wafer.width) +
         around(tile.y, tiles.y, tiles.height, hardware.wafer.height);
}

}  // namespace waferloom::sim
