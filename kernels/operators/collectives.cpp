#include <algorithm>
#include <cmath>

#include "kernels/mesh_collectives.h"

// Problem: tell what collectives on a line of tiles cost without simulating them.
// Idea: five counts of a collective (words at a tile, hops of all words, links, longest way, depth)
// give its time. All-reduces that chain in software also pay for each tile that adds.
// Source: Luczynski et al., "Near-Optimal Wafer-Scale Reduce" (HPDC'24), Eq. 1 and Section 4; the
// two-way chain is that of MeshGEMV in WaferLLM (OSDI'25), its cycles are fitted on measured rows.
// Cost: O(1) each; two_way_chain without a number of groups O(√tiles).
namespace waferloom {

double traffic_cycles(const TileFabric& fabric, const LineTraffic& traffic) {
  const double moving = std::max(traffic.contention, traffic.energy / std::max(traffic.links, 1.0) +
                                                         traffic.distance * fabric.hop_cycles);
  return moving + (2 * fabric.ramp_cycles + 1) * traffic.depth;
}

LineTraffic reduction_traffic(LineReduction reduction, std::int64_t tiles, double words,
                              std::int64_t group) {
  const auto count = static_cast<double>(tiles);
  const double links = std::max(count - 1, 0.0);
  if (tiles < 2) return {0, 0, 1, 0, 0};
  switch (reduction) {
    case LineReduction::star:
      return {words * links, 0, links, 0, 1};  // messages follow one another without a gap
    case LineReduction::chain:
      return {words, words * links, links, links, links};
    case LineReduction::tree: {
      const double levels = std::ceil(std::log2(count));
      return {words * levels, words * count / 2 * levels, links, links, levels};
    }
    case LineReduction::two_phase: {
      const double size =
          group > 0 ? static_cast<double>(std::min(group, tiles)) : std::ceil(std::sqrt(count));
      const double groups = std::ceil(count / size);
      return {2 * words, words * (groups * (size - 1) + (groups - 1) * size), links, links,
              (size - 1) + (groups - 1)};
    }
  }
  return {};
}

LineTraffic broadcast_traffic(std::int64_t tiles, double words) {
  if (tiles < 2) return {0, 0, 1, 0, 0};
  const auto links = static_cast<double>(tiles - 1);
  return {words, words * links, links, links, 1};
}

double least_reduction_cycles(const TileFabric& fabric, std::int64_t tiles, double words) {
  if (tiles < 2) return 0;
  const auto links = static_cast<double>(tiles - 1);
  // Between neighbours each link carries the words of those behind it at least once.
  return std::max(words, words + (links - 1) * fabric.hop_cycles) + 2 * fabric.ramp_cycles + 1;
}

TwoWayChain two_way_chain(std::int64_t tiles, std::int64_t groups) {
  const auto of = [tiles](std::int64_t count) {
    const std::int64_t size = (tiles + count - 1) / count;
    const std::int64_t root = size / 2;
    const std::int64_t inside = std::max(root, size - 1 - root);
    const std::int64_t middle = count / 2;
    const std::int64_t among = std::max(middle, count - 1 - middle);
    const std::int64_t last = std::min(middle * size + root, tiles - 1);
    const std::int64_t back = std::max(last, tiles - 1 - last);
    return TwoWayChain{inside + among, inside + among * size + back};
  };
  if (groups > 0) return of(std::min(groups, tiles));
  TwoWayChain best = of(1);
  for (std::int64_t count = 2; count * count <= 4 * tiles && count <= tiles; ++count) {
    const TwoWayChain chain = of(count);
    if (chain.stages < best.stages) best = chain;
  }
  return best;
}

double two_way_all_reduce_cycles(const TileFabric& fabric, std::int64_t tiles,
                                 std::int64_t elements, std::int64_t groups) {
  if (tiles < 2) return 0;
  constexpr double kPhases = 3;  // two reductions, one broadcast
  const TwoWayChain chain = two_way_chain(tiles, groups);
  return kPhases * fabric.cycles.phase +
         static_cast<double>(chain.stages) * fabric.cycles.chain_stage +
         static_cast<double>(chain.hops) * fabric.hop_cycles +
         static_cast<double>(elements) * fabric.cycles.chain_element;
}

}  // namespace waferloom
