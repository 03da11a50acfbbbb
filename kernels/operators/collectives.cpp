#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_operators.h"

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

namespace {

/// A two-way chain in groups as near to `wanted` as equal ones can be.
TwoWayChain chain_in_groups(std::int64_t tiles, std::int64_t wanted) {
  const auto chains = [](std::int64_t members) {
    return std::int64_t{members > 1} + std::int64_t{members > 2};
  };
  const std::int64_t size = (tiles + wanted - 1) / wanted;
  const std::int64_t count = (tiles + size - 1) / size;  // that are not empty
  const std::int64_t root = size / 2;
  const std::int64_t inside = std::max(root, size - 1 - root);
  const std::int64_t middle = count / 2;
  const std::int64_t among = std::max(middle, count - 1 - middle);
  const std::int64_t last = std::min(middle * size + root, tiles - 1);
  const std::int64_t back = std::max(last, tiles - 1 - last);
  TwoWayChain chain;
  chain.groups = count;
  chain.size = size;
  chain.last = tiles - (count - 1) * size;
  chain.stages = inside + among;
  chain.hops = inside + among * size + back;
  chain.passes = chains(size) + chains(count) + 1;
  chain.back = back;
  return chain;
}

/// The number of groups with the least stages, the fewest of those.
std::int64_t best_groups(std::int64_t tiles) {
  std::int64_t best = 1;
  std::int64_t least = chain_in_groups(tiles, 1).stages;
  for (std::int64_t count = 2; count * count <= 4 * tiles && count <= tiles; ++count) {
    const std::int64_t stages = chain_in_groups(tiles, count).stages;
    if (stages >= least) continue;
    least = stages;
    best = count;
  }
  return best;
}

/// The same, remembered by a thread: a search asks for the same lines thousands of times.
std::int64_t known_groups(std::int64_t tiles) {
  constexpr std::int64_t kMostKnown = 4096;
  if (tiles > kMostKnown) return best_groups(tiles);
  thread_local std::array<std::int64_t, kMostKnown + 1> known{};
  std::int64_t& groups = known[static_cast<std::size_t>(tiles)];
  if (groups == 0) groups = best_groups(tiles);
  return groups;
}

}  // namespace

TwoWayChain two_way_chain(const TileLine& line) {
  const auto [tiles, groups] = line;
  return chain_in_groups(tiles, groups > 0 ? std::min(groups, tiles) : known_groups(tiles));
}

double taken_in(std::vector<double> begins, double words) {
  std::sort(begins.begin(), begins.end());
  double end = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    end = std::max(end, begins[i] + words * static_cast<double>(begins.size() - i));
  }
  return end;
}

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// taken_in of two streams, either of which may never begin.
double both_taken_in(double first, double second, double words) {
  if (first > second) std::swap(first, second);
  if (first == kNever) return 0;
  return second == kNever ? first + words : std::max(first + 2 * words, second + words);
}

}  // namespace

double TwoWayChain::moving_cycles(const TileFabric& fabric, double words) const {
  const double adding = 2 * fabric.ramp_cycles + 1;
  // Chains from both ends of a group to its root.
  const auto inside = [&](std::int64_t left, std::int64_t right) {
    const auto begin = [&](std::int64_t length) {
      return length > 0 ? static_cast<double>(length) * (adding + fabric.hop_cycles) : kNever;
    };
    return both_taken_in(begin(left), begin(right), words);
  };
  const std::int64_t middle = size / 2;
  const std::int64_t last_root = std::min(middle, last - 1);
  const double full = inside(middle, size - 1 - middle);
  const double smaller = inside(last_root, last - 1 - last_root);
  // Chains of the roots. The one from the right begins at the last group, which may be done before.
  const double stage = adding + static_cast<double>(size) * fabric.hop_cycles;
  const std::int64_t roots_left = groups / 2;
  const auto left = static_cast<double>(roots_left);
  const auto right = static_cast<double>(groups - 1 - roots_left);
  const double nearer = static_cast<double>(middle - last_root) * fabric.hop_cycles;
  const double from_left = left > 0 ? full + left * stage : kNever;
  const double from_right =
      right > 0 ? std::max(smaller + right * stage - nearer, full + (right - 1) * stage) : kNever;
  const double sums = std::max(full, both_taken_in(from_left, from_right, words));
  return sums + adding + static_cast<double>(back) * fabric.hop_cycles + words;
}

std::int64_t TwoWayChain::root(std::int64_t group) const {
  return group * size + (group + 1 < groups ? size / 2 : std::min(size / 2, last - 1));
}

double two_way_all_reduce_cycles(const TileFabric& fabric, const TwoWayChain& chain,
                                 std::int64_t elements) {
  constexpr double kPhases = 3;  // two reductions, one broadcast
  const auto stages = static_cast<double>(chain.stages);
  const auto words = static_cast<double>(words_of(fabric, elements));
  return kPhases * fabric.cycles.phase + stages * fabric.cycles.chain_stage +
         words * fabric.cycles.reduced_word + chain.moving_cycles(fabric, words);
}

}  // namespace waferloom
