#include "benchmarks_ispd2020/generated/shelf_placement.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/least_split.h"
#include "kernels/quarters.h"

namespace waferloom::ispd2020 {
namespace {

/// A rectangle of a kernel and how it comes about.
struct Tile {
  Execution execution;
  Extent size;
  std::int64_t area() const { return size.width * size.height; }
};

/// A kernel and the room for it.
struct Lodger {
  const Kernel& kernel;
  KernelLimits limits;
  Extent room;
};

/// The rectangle under this cut of the image and, where there are as many, of the channels; nothing
/// if memory or room do not allow it.
std::optional<Tile> cut_tile(const Lodger& lodger, const ImageSplit& cut) {
  Tile tile;
  tile.execution.h = cut.h;
  tile.execution.w = cut.w;
  for (std::size_t i = 0; i < convolution_total(lodger.kernel); ++i) {
    const Convolution& conv = lodger.kernel.convolutions[i];
    const std::int64_t c = std::min(cut.c, conv.in4 / kQuarters);
    tile.execution.c[i] = c;
    tile.execution.k[i] = least_k(conv, {cut.h, cut.w, c}, lodger.limits);
    if (c < 1 || tile.execution.k[i] < 1) return std::nullopt;
  }
  tile.size = extent(lodger.kernel, tile.execution);
  if (tile.size.width > lodger.room.width || tile.size.height > lodger.room.height) {
    return std::nullopt;
  }
  return tile;
}

/// The tile of least area over cuts by powers of two, the lowest of several.
std::optional<Tile> least_tile(const Lodger& lodger) {
  std::optional<Tile> best;
  const auto try_cut = [&](const ImageSplit& cut) {
    const std::optional<Tile> tile = cut_tile(lodger, cut);
    if (!tile) return;
    if (!best || tile->area() < best->area() ||
        (tile->area() == best->area() && tile->size.height < best->size.height)) {
      best = tile;
    }
  };
  for (std::int64_t h = 1; h <= lodger.kernel.height; h *= 2) {
    for (std::int64_t w : {h, 2 * h}) {
      if (w > lodger.kernel.width) continue;
      for (std::int64_t c = 1; h * w * (c + 1) <= lodger.room.height; c *= 2) try_cut({h, w, c});
    }
  }
  return best;
}

/// The least tiles of all kernels; nothing if one has none.
std::optional<std::vector<Tile>> least_tiles(const Problem& problem, std::int64_t height) {
  KernelLimits limits;
  limits.time = std::numeric_limits<std::int64_t>::max();
  limits.time_denominator = problem.time_denominator();
  limits.memory_words = problem.memory_limit();
  std::vector<Tile> tiles;
  for (const ProblemKernel& kernel : problem.kernels()) {
    const auto tile = least_tile({kernel.kernel, limits, {problem.wafer().width, height}});
    if (!tile) return std::nullopt;
    tiles.push_back(*tile);
  }
  return tiles;
}

}  // namespace

std::optional<Placement> shelf_placement(const Problem& problem, std::int64_t height) {
  const std::optional<std::vector<Tile>> tiles = least_tiles(problem, height);
  if (!tiles) return std::nullopt;
  std::vector<KernelIndex> order(tiles->size());
  for (KernelIndex i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](KernelIndex a, KernelIndex b) {
    return (*tiles)[a].size.height > (*tiles)[b].size.height;
  });
  Placement placement;
  placement.kernels.resize(tiles->size());
  std::int64_t x = 0;
  std::int64_t shelf = 0;       // where it begins
  std::int64_t next_shelf = 0;  // above its first tile
  for (const KernelIndex kernel : order) {
    const Tile& tile = (*tiles)[kernel];
    if (x + tile.size.width > problem.wafer().width) {
      shelf = next_shelf;
      x = 0;
    }
    if (x == 0) next_shelf = shelf + tile.size.height;
    if (next_shelf > height) return std::nullopt;
    placement.kernels[kernel] = {tile.execution, x, shelf, false};
    x += tile.size.width;
  }
  return placement;
}

}  // namespace waferloom::ispd2020
