#include "sim/tile_groups.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "kernels/kernel.h"

namespace waferloom::sim {
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

/// Tiles along an axis.
struct Stretch {
  std::int64_t begin = 0;
  std::int64_t length = 0;
};

/// Borders of groups of `group` tiles that blocks of `side` tiles cross in a stretch.
std::int64_t crossings(const Stretch& tiles, std::int64_t side, std::int64_t group) {
  if (group <= 0) return 0;
  std::int64_t count = 0;
  for (std::int64_t at = tiles.begin; at < tiles.begin + tiles.length; at += side) {
    count += (at + side - 1) / group - at / group;
  }
  return count;
}

/// Sides of blocks of so many tiles that tile a rectangle: the fewest borders of groups crossed,
/// then the nearest to a square. There are some wherever the number divides the rectangle's: the
/// greatest common divisor with the width is one.
Extent block_of(const Rectangle& tiles, std::int64_t count, const Grouping& groups) {
  Extent best{0, 0};
  std::pair<std::int64_t, std::int64_t> least;
  for (std::int64_t width = 1; width <= std::min(count, tiles.width); ++width) {
    const std::int64_t height = count / width;
    if (width * height != count || tiles.width % width != 0 || tiles.height % height != 0) continue;
    const std::int64_t crossed =
        crossings({tiles.x, tiles.width}, width, groups.columns) * (tiles.height / height) +
        crossings({tiles.y, tiles.height}, height, groups.rows) * (tiles.width / width);
    const std::pair found{crossed, std::abs(width - height)};
    if (best.width == 0 || found < least) {
      best = Extent{width, height};
      least = found;
    }
  }
  return best;
}

/// Blocks of so many tiles, and those with the same part in all of them.
struct Blocks {
  std::vector<TileGroup> blocks;
  std::vector<TileGroup> across;
};

Blocks blocks_of(const Rectangle& tiles, std::int64_t count, const Grouping& groups) {
  Blocks found;
  const Extent block = block_of(tiles, count, groups);
  // Blocks in a ring too.
  for (const TilePlace& at :
       ring_of({0, 0, tiles.width / block.width, tiles.height / block.height})) {
    found.blocks.push_back(ring_of(
        {tiles.x + at.x * block.width, tiles.y + at.y * block.height, block.width, block.height}));
  }
  found.across.resize(static_cast<std::size_t>(count));
  for (const TileGroup& group : found.blocks) {
    for (std::size_t part = 0; part < group.size(); ++part)
      found.across[part].push_back(group[part]);
  }
  return found;
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

TileGroup ring_through(TileGroup tiles) {
  TilePlace low = tiles.front();
  TilePlace high = tiles.front();
  for (const TilePlace& tile : tiles) {
    low = {std::min(low.x, tile.x), std::min(low.y, tile.y)};
    high = {std::max(high.x, tile.x), std::max(high.y, tile.y)};
  }
  const Rectangle box{low.x, low.y, high.x - low.x + 1, high.y - low.y + 1};
  const bool fills = box.width * box.height == static_cast<std::int64_t>(tiles.size());
  return fills ? ring_of(box) : tiles;
}

StageGroups stage_groups(const Rectangle& tiles, const StageDegrees& degrees, GroupOrder order,
                         const Grouping& groups) {
  if (tiles.width * tiles.height != degrees.tensor * degrees.data) {
    throw std::logic_error("a stage has tensor times data tiles");
  }
  if (order == GroupOrder::strided) {
    Blocks found = blocks_of(tiles, degrees.data, groups);
    return {std::move(found.across), std::move(found.blocks)};
  }
  Blocks found = blocks_of(tiles, degrees.tensor, groups);
  return {std::move(found.blocks), std::move(found.across)};
}

}  // namespace waferloom::sim
