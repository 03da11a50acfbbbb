#pragma once

#include <array>
#include <cstdint>
#include <string_view>

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

/// No reduction of so many words over a line of tiles to its first takes fewer cycles: every tile
/// sends its words at least a hop, the root takes one tile's words in, and the last tile's words go
/// all the way.
double least_reduction_cycles(const TileFabric& fabric, std::int64_t tiles, double words);

/// The way of an all-reduce along a line as WaferLLM's MeshGEMV does it: groups of tiles, in each a
/// chain from both ends to its root, a chain of the roots from both ends, and a broadcast from the
/// last root.
struct TwoWayChain {
  std::int64_t stages = 0;  ///< tiles that add, one behind the other
  std::int64_t hops = 0;    ///< on the longest way, the broadcast's included
};
/// In so many groups; 0: the number with the least stages. `tiles` ≥ 1.
TwoWayChain two_way_chain(std::int64_t tiles, std::int64_t groups = 0);

/// Cycles of such an all-reduce of so many elements: three phases, and at each stage an addition.
double two_way_all_reduce_cycles(const TileFabric& fabric, std::int64_t tiles,
                                 std::int64_t elements, std::int64_t groups = 0);

}  // namespace waferloom
