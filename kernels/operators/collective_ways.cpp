#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/mesh_collectives.h"

// Problem: find the fastest way to reduce, all-reduce or broadcast a vector on tiles, and bound it.
// Idea: list all ways with their closed forms and sort. An all-reduce is a reduction and then a
// broadcast, or something of its own. On a rectangle a reduction goes along all rows at once, then
// along the first column.
// Source: the algorithms are those of Luczynski et al., "Near-Optimal Wafer-Scale Reduce"
// (HPDC'24), Sections 4 to 6, and the least energy E(P, D) theirs; the times are exact for streams
// of words, where their formula adds contention, ways and depth that pass at the same time. Cost:
// O(1) a way; the bound O(P²) at most.
namespace waferloom {
namespace {

/// From a corner to all, in the routers: a word goes along the first column and, from each of its
/// routers, along the row.
CollectiveWay broadcast_way(const TileFabric& fabric, std::int64_t rows, std::int64_t columns,
                            double words) {
  if (rows * columns < 2) return {"routers"};
  return {"routers", words, static_cast<double>(rows + columns - 2) * fabric.hop_cycles,
          2 * fabric.ramp_cycles + 1};
}

/// Splits cycles into those in which the root takes words in, ways, and what is left.
CollectiveWay split(double cycles, double words, double hops) {
  CollectiveWay way;
  way.words = std::min(words, cycles);
  way.hops = std::min(hops, cycles - way.words);
  way.ramps = cycles - way.words - way.hops;
  return way;
}

/// A tree over tiles 0 to n − 1: when the first word of its sum is at tile 0, and when the last is.
/// Tile 0 takes in the sums of tiles 1, 2, 4 …, the roots of what lies behind them.
struct TreeTimes {
  double first = 0;
  double last = 0;
};
TreeTimes tree_times(const TileFabric& fabric, std::int64_t tiles, double words) {
  TreeTimes times;
  std::vector<double> begins;
  for (std::int64_t half = 1; half < tiles; half *= 2) {
    const TreeTimes below = tree_times(fabric, std::min(half, tiles - half), words);
    const double way = fabric.way(static_cast<double>(half)) + 1;
    begins.push_back(below.first + way);
    times.first = std::max(times.first, begins.back());
    times.last = std::max(times.last, below.last > 0 ? below.last + way : way + words);
  }
  times.last = std::max(times.last, taken_in(begins, words));
  return times;
}

/// Groups are as even as can be, smaller ones last. The roots' chain begins once the groups' chains
/// are done: the last root's sum goes from root to root, and waits for each one's own.
double two_phase_cycles(const TileFabric& fabric, std::int64_t tiles, double words,
                        std::int64_t group) {
  const double adding = 2 * fabric.ramp_cycles + 1;
  std::int64_t wanted = 1;
  while (wanted * wanted < tiles) ++wanted;
  if (group > 0) wanted = std::min(group, tiles);
  const std::int64_t groups = (tiles + wanted - 1) / wanted;
  const auto size_of = [&](std::int64_t g) {
    return tiles / groups + (g < tiles % groups ? 1 : 0);
  };
  const auto first_word = [&](std::int64_t g) {
    return static_cast<double>(size_of(g) - 1) * (adding + fabric.hop_cycles);
  };
  const auto own = [&](std::int64_t g) { return size_of(g) > 1 ? first_word(g) + words : 0; };
  double begin = own(groups - 1);
  if (groups == 1) return begin;
  for (std::int64_t g = groups - 2; g >= 0; --g) {
    const double comes = begin + static_cast<double>(size_of(g)) * fabric.hop_cycles + adding;
    std::vector<double> streams{comes};
    if (size_of(g) > 1) streams.push_back(first_word(g));
    begin = std::max({comes, own(g), taken_in(std::move(streams), words) - words});
  }
  return begin + words;
}

/// Streaming sums along a line to its first tile. A star's root takes one tile's words in after the
/// other's. A chain's words go through all tiles. Of two-phase the roots' chain begins once the
/// groups' chains are done.
CollectiveWay line_way(const TileFabric& fabric, LineReduction reduction, std::int64_t tiles,
                       double words, std::int64_t group = 0) {
  if (tiles < 2) return {};
  const auto links = static_cast<double>(tiles - 1);
  const double all_hops = links * fabric.hop_cycles;
  const double stage = 2 * fabric.ramp_cycles + 1;
  switch (reduction) {
    case LineReduction::star:
      return split(std::max(fabric.hop_cycles + links * words, all_hops + words) + stage,
                   links * words, all_hops);
    case LineReduction::chain:
      return {"", words, all_hops, links * stage};
    case LineReduction::tree:
      return split(tree_times(fabric, tiles, words).last,
                   words * std::ceil(std::log2(static_cast<double>(tiles))), all_hops);
    case LineReduction::two_phase:
      return split(two_phase_cycles(fabric, tiles, words, group), 2 * words, all_hops);
  }
  return {};
}

CollectiveWay two_way_chain_way(const TileFabric& fabric, std::int64_t tiles, double words,
                                std::int64_t groups) {
  if (tiles < 2) return {};
  const TwoWayChain chain = two_way_chain({tiles, groups});
  return split(chain.moving_cycles(fabric, words), static_cast<double>(chain.passes) * words,
               static_cast<double>(chain.hops) * fabric.hop_cycles);
}

CollectiveWay ring_way(const TileFabric& fabric, std::int64_t tiles, double words) {
  if (tiles < 2) return {"ring"};
  const double hops = tiles == 2 ? 1 : 2;
  const auto steps = static_cast<double>(2 * (tiles - 1));
  return {"ring", steps * std::ceil(words / static_cast<double>(tiles)),
          steps * hops * fabric.hop_cycles, steps * (2 * fabric.ramp_cycles + 1)};
}

std::vector<CollectiveWay> reductions(const TileFabric& fabric, std::int64_t rows,
                                      std::int64_t columns, double words, std::int64_t group) {
  std::vector<CollectiveWay> ways;
  const bool is_line = rows == 1 || columns == 1;
  for (std::size_t i = 0; i < kLineReductionNames.size(); ++i) {
    const auto reduction = static_cast<LineReduction>(i);
    CollectiveWay way = line_way(fabric, reduction, columns, words, group);
    way += line_way(fabric, reduction, rows, words, group);
    way.name = (is_line ? "" : "2-d ") + std::string(kLineReductionNames[i]);
    ways.push_back(way);
  }
  if (is_line) return ways;
  ways.push_back(line_way(fabric, LineReduction::chain, rows * columns, words));
  ways.back().name = "snake";
  return ways;
}

/// E(P, D) for one depth more, from that of D − 1; infinite where D steps do not suffice.
std::vector<double> deeper(const std::vector<double>& shallower) {
  std::vector<double> energy(shallower.size(), std::numeric_limits<double>::infinity());
  energy[1] = 0;
  // The root takes in last what tile i has gathered from tiles i to P − 1. As P grows the best i
  // does not fall.
  std::size_t from = 1;
  for (std::size_t tiles = 2; tiles < energy.size(); ++tiles) {
    std::size_t best = from;
    for (std::size_t i = from; i < tiles; ++i) {
      const double cost = energy[i] + shallower[tiles - i] + static_cast<double>(i);
      if (cost >= energy[tiles]) continue;
      energy[tiles] = cost;
      best = i;
    }
    from = best;
  }
  return energy;
}

}  // namespace

CollectiveWay& CollectiveWay::operator+=(const CollectiveWay& next) {
  words += next.words;
  hops += next.hops;
  ramps += next.ramps;
  return *this;
}

std::vector<CollectiveWay> collective_ways(const TileFabric& fabric, MeshCollective collective,
                                           const TileGrid& tiles, double words,
                                           std::int64_t group) {
  const auto [rows, columns] = tiles;
  const CollectiveWay broadcast = broadcast_way(fabric, rows, columns, words);
  if (collective == MeshCollective::broadcast) return {broadcast};
  std::vector<CollectiveWay> ways = reductions(fabric, rows, columns, words, group);
  if (collective == MeshCollective::all_reduce) {
    for (CollectiveWay& way : ways) way += broadcast;
    const bool is_line = rows == 1 || columns == 1;
    CollectiveWay chain = two_way_chain_way(fabric, columns, words, group);
    chain += two_way_chain_way(fabric, rows, words, group);
    chain.name = is_line ? "two-way chain" : "2-d two-way chain";
    ways.push_back(chain);
    if (is_line) ways.push_back(ring_way(fabric, rows * columns, words));
  }
  std::stable_sort(ways.begin(), ways.end(), [](const CollectiveWay& a, const CollectiveWay& b) {
    return a.cycles() < b.cycles();
  });
  return ways;
}

double least_reduction_cycles(const TileFabric& fabric, std::int64_t tiles, double words) {
  if (tiles < 2) return 0;
  const auto links = static_cast<double>(tiles - 1);
  const double stage = 2 * fabric.ramp_cycles + 1;
  const double way = links * fabric.hop_cycles + stage + words - 1;
  std::vector<double> energy(static_cast<std::size_t>(tiles) + 1,
                             std::numeric_limits<double>::infinity());
  energy[1] = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t depth = 1; depth < tiles; ++depth) {
    energy = deeper(energy);
    const double hops = energy[static_cast<std::size_t>(tiles)];
    const double deep = static_cast<double>(depth) * (stage + fabric.hop_cycles) + words - 1;
    least = std::min(least, std::max({way, deep, words * hops / links + stage}));
    // More depth makes no words' hops fewer, or takes longer by itself than what was found.
    if (hops <= links || deep >= least) break;
  }
  return least;
}

}  // namespace waferloom
