#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mesh_operators.h"
#include "kernels/tile_cycles.h"

namespace waferloom {

/// How a vector is reduced along a line of tiles.
enum class LineReduction : std::uint8_t { star, chain, tree, two_phase };
inline constexpr std::array<std::string_view, 4> kLineReductionNames{"star", "chain", "tree",
                                                                     "two-phase"};

/// What a collective puts on a line of tiles, in words: the terms of Luczynski et al. (HPDC'24).
struct LineTraffic {
  double contention = 0;  ///< C, the most words that one tile sends or takes in
  double energy = 0;      ///< E, hops of all words together
  double links = 1;       ///< N, links in use
  double distance = 0;    ///< L, hops of the longest way
  double depth = 0;       ///< D, steps that wait for one another
};

/// T = max(C, E/N + L·hop) + (2·ramp + 1)·D, in cycles (HPDC'24, Eq. 1; there a hop takes one).
double traffic_cycles(const TileFabric& fabric, const LineTraffic& traffic);

/// What a reduction of so many words over `tiles` in a line to the first costs (HPDC'24, Section
/// 4). In groups of `group` tiles for two_phase; 0: the root of their number. O(1).
LineTraffic reduction_traffic(LineReduction reduction, std::int64_t tiles, double words,
                              std::int64_t group = 0);

/// Of a broadcast of so many words from one end of a line of tiles to all, in the routers.
LineTraffic broadcast_traffic(std::int64_t tiles, double words);

/// What a line or a rectangle of tiles can do together with a vector on each tile.
enum class MeshCollective : std::uint8_t { reduce, all_reduce, broadcast };
inline constexpr std::array<std::string_view, 3> kMeshCollectiveNames{"reduce", "all-reduce",
                                                                      "broadcast"};

/// An algorithm for a collective, and its cycles without what programs take.
struct CollectiveWay {
  std::string name;  ///< "chain", "2-d two-phase", "ring" …
  double words = 0;  ///< cycles in which the busiest tile or link moves words
  double hops = 0;   ///< cycles of ways through routers, as far as words do not hide them
  double ramps = 0;  ///< cycles between tiles and routers, and of additions
  double cycles() const { return words + hops + ramps; }
  CollectiveWay& operator+=(const CollectiveWay& next);
};
/// All ways for so many words on tiles, the fastest first, of equals in the order of the names
/// above. A line has star, chain, tree and two-phase; for an all-reduce each of them followed by a
/// broadcast, a two-way chain, and a ring. The ring is folded on the line, so that neighbours are
/// two hops apart; in each of its 2 (P − 1) steps a tile passes a P-th of the words on, whole. A
/// rectangle has each of star, chain, tree and two-phase along its rows and then along the first
/// column ("2-d"), and a chain that snakes over all tiles. `group` is of two-phase and of the
/// two-way chain as above. O(1), but O(√P) for the two-way chain.
std::vector<CollectiveWay> collective_ways(const TileFabric& fabric, MeshCollective collective,
                                           const TileGrid& tiles, double words,
                                           std::int64_t group = 0);

/// No reduction of so many words over a line of tiles to its first takes fewer cycles. Whatever its
/// depth D, sums that wait for one another, each of them takes two ramps, an adder and a hop; the
/// last tile's words go all the way; and all words make at least E(P, D) hops (HPDC'24, Section 5:
/// E(P, D) is the least over i of E(i, D) + E(P − i, D − 1) + i), a share of which some link
/// carries. HPDC'24 adds these terms; where they pass at the same time, streams are faster than
/// that bound. O(P · D).
double least_reduction_cycles(const TileFabric& fabric, std::int64_t tiles, double words);

/// The way of an all-reduce along a line as WaferLLM's MeshGEMV does it: groups of tiles, in each a
/// chain from both ends to its root, a chain of the roots from both ends, and a broadcast from the
/// last root.
struct TwoWayChain {
  std::int64_t groups = 1;
  std::int64_t size = 1;    ///< of a group
  std::int64_t last = 1;    ///< of the last group, which may be smaller
  std::int64_t stages = 0;  ///< tiles that add, one behind the other
  std::int64_t hops = 0;    ///< on the longest way, the broadcast's included
  std::int64_t passes = 0;  ///< of the words through the last root's ramp: in by chains, out once
  std::int64_t back = 0;    ///< hops of the broadcast
  /// Cycles of fabric and adders for so many words: chains from both ends to the roots, chains of
  /// the roots from both ends, the broadcast.
  double moving_cycles(const TileFabric& fabric, double words) const;
  /// The root of a group, by its number: the middle tile.
  std::int64_t root(std::int64_t group) const;
};
/// Without a number of groups that with the least stages, O(√tiles) the first time. At least a
/// tile.
TwoWayChain two_way_chain(const TileLine& line);

/// When a tile that takes in one word a cycle has all of some streams of so many words, by when
/// their first words come: none ends before all that begin with or after it are in. O(n log n).
double taken_in(std::vector<double> begins, double words);

/// Cycles of such an all-reduce of so many elements: three phases, its stages' additions, and what
/// the fabric takes to move the words.
double two_way_all_reduce_cycles(const TileFabric& fabric, const TwoWayChain& chain,
                                 std::int64_t elements);

}  // namespace waferloom
