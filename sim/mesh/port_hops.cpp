#include "sim/mesh/port_hops.h"

#include <algorithm>

namespace waferloom::sim {
namespace {

/// Steps from a place to the nearest of some places around a ring, either way.
struct RingSteps {
  std::int64_t up = 0;
  std::int64_t down = 0;
};

RingSteps around(std::int64_t at, std::int64_t first, std::int64_t length, std::int64_t side) {
  if (at >= first && at < first + length) return {};
  return {(first - at + side) % side, (at - (first + length - 1) + side) % side};
}

}  // namespace

std::int64_t hops_over(const Hardware& hardware, const TilePlace& tile, const Rectangle& tiles) {
  if (hardware.topology != Topology::torus) return hops_to(tile, tiles);
  const RingSteps x = around(tile.x, tiles.x, tiles.width, hardware.wafer.width);
  const RingSteps y = around(tile.y, tiles.y, tiles.height, hardware.wafer.height);
  if (hardware.networks == Networks::opposite) return std::min(x.up + y.up, x.down + y.down);
  return std::min(x.up, x.down) + std::min(y.up, y.down);
}

}  // namespace waferloom::sim
