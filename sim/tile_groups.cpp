#include "sim/tile_groups.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "kernels/kernel.h"

namespace waferloom {
namespace {

/// Row by row, every other row backwards.
TileGroup snake(const Rectangle& tiles) {
  TileGroup group;
  for (std::int64_t row = 0; row < tiles.height; ++row) {
    for (std::int64_t i = 0; i < tiles.width; ++i) {
      const std::int64_t column = row % 2 == 0 ? i : tiles.width - 1 - i;
      group.push_back({tiles.x + column, tiles.y + row});
    }
  }
  return group;
}

/// A ring over an even number of rows, at least 2, and at least 2 columns: along the first column
/// upwards, and back in a snake over the others.
TileGroup ring_of_even_rows(const Rectangle& tiles) {
  TileGroup group;
  for (std::int64_t row = 0; row < tiles.height; ++row) group.push_back({tiles.x, tiles.y + row});
  for (std::int64_t i = 0; i < tiles.height; ++i) {
    const std::int64_t row = tiles.height - 1 - i;
    for (std::int64_t j = 1; j < tiles.width; ++j) {
      group.push_back({tiles.x + (i % 2 == 0 ? j : tiles.width - j), tiles.y + row});
    }
  }
  return group;
}

Rectangle turned(const Rectangle& tiles) { return {tiles.y, tiles.x, tiles.height, tiles.width}; }

/// Sides of blocks of so many tiles that tile a rectangle, the nearest to a square. There are some
/// wherever the number divides the rectangle's: the greatest common divisor with the width is one.
Extent block_of(const Rectangle& tiles, std::int64_t count) {
  Extent best{0, 0};
  for (std::int64_t width = 1; width <= std::min(count, tiles.width); ++width) {
    const std::int64_t height = count / width;
    if (width * height != count || tiles.width % width != 0 || tiles.height % height != 0) continue;
    if (best.width == 0 || std::abs(width - height) < std::abs(best.width - best.height)) {
      best = Extent{width, height};
    }
  }
  return best;
}

}  // namespace

TileGroup ring_of(const Rectangle& tiles) {
  if (std::min(tiles.width, tiles.height) < 2 || tiles.width * tiles.height % 2 != 0) {
    return snake(tiles);
  }
  if (tiles.height % 2 == 0) return ring_of_even_rows(tiles);
  TileGroup group = ring_of_even_rows(turned(tiles));
  for (TilePlace& tile : group) std::swap(tile.x, tile.y);
  return group;
}

StageGroups stage_groups(const Rectangle& tiles, std::int64_t tensor, std::int64_t data) {
  if (tiles.width * tiles.height != tensor * data) {
    throw std::invalid_argument("a stage has tensor times data tiles");
  }
  StageGroups groups;
  const Extent block = block_of(tiles, tensor);
  // Replicas in a ring too.
  for (const TilePlace& at :
       ring_of({0, 0, tiles.width / block.width, tiles.height / block.height})) {
    groups.tensor.push_back(ring_of(
        {tiles.x + at.x * block.width, tiles.y + at.y * block.height, block.width, block.height}));
  }
  groups.data.resize(static_cast<std::size_t>(tensor));
  for (const TileGroup& replica : groups.tensor) {
    for (std::size_t part = 0; part < replica.size(); ++part) {
      groups.data[part].push_back(replica[part]);
    }
  }
  return groups;
}

}  // namespace waferloom
