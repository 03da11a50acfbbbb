#include "viz/floorplan/floorplan_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "model/wafer.h"

namespace waferloom::viz {
namespace {

/// Positions beyond this are drawn nowhere and would overflow the judge's arithmetic.
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;

bool is_sane(const PlacedKernel& placed) {
  return std::max(std::abs(placed.x / 2), std::abs(placed.y / 2)) < kFarthest / 2;
}

KernelFacts kernel_facts(const Problem& problem, KernelIndex index, const PlacedKernel& placed) {
  KernelFacts facts;
  const Kernel& kernel = problem.kernel(index);
  if (!within_limits(kernel, placed.execution)) return facts;
  PlacedKernel near = placed;
  near.x = std::clamp(placed.x, -kFarthest, kFarthest);
  near.y = std::clamp(placed.y, -kFarthest, kFarthest);
  facts.tiles = rectangle(kernel, near);
  facts.time = compute_time(kernel, placed.execution, problem.time_denominator());
  facts.memory_words = memory_words(kernel, placed.execution);
  facts.outside = !contains({0, 0, problem.wafer().width, problem.wafer().height}, *facts.tiles);
  facts.over_memory = facts.memory_words > problem.memory_limit();
  return facts;
}

/// Marks overlapping kernels: sorted by left edge, each is compared with those that begin before
/// it ends.
void find_overlaps(FloorplanFacts& facts) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < facts.kernels.size(); ++i) {
    if (facts.kernels[i].tiles) order.push_back(i);
  }
  const auto tiles = [&](std::size_t i) -> const Rectangle& { return *facts.kernels[i].tiles; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tiles(a).x < tiles(b).x; });
  for (std::size_t a = 0; a < order.size(); ++a) {
    const Rectangle& left = tiles(order[a]);
    for (std::size_t b = a + 1; b < order.size() && tiles(order[b]).x < left.x + left.width; ++b) {
      if (!overlap(left, tiles(order[b]))) continue;
      ++facts.overlap_count;
      facts.kernels[order[a]].overlaps = facts.kernels[order[b]].overlaps = true;
      if (facts.shared.size() < kMostShared) {
        facts.shared.push_back(intersection(left, tiles(order[b])));
      }
    }
  }
}

/// Marks kernels on dead tiles.
void find_dead(const Problem& problem, FloorplanFacts& facts) {
  std::vector<std::size_t> owners;
  std::vector<Rectangle> tiles;
  for (std::size_t i = 0; i < facts.kernels.size(); ++i) {
    if (!facts.kernels[i].tiles) continue;
    owners.push_back(i);
    tiles.push_back(*facts.kernels[i].tiles);
  }
  const std::vector<Rectangle>& dead = problem.wafer().dead;
  constexpr std::size_t kMostPairs = 100'000;
  std::size_t drawn = 0;
  for (const auto& [kernel, broken] : overlapping_pairs_between(tiles, dead, kMostPairs)) {
    facts.kernels[owners[kernel]].on_dead = true;
    if (drawn++ < kMostShared) facts.shared.push_back(intersection(tiles[kernel], dead[broken]));
  }
}

/// Marks fixed kernels, and those that are not where constraints ask them to be.
void find_misplaced(const Problem& problem, const Placement& placement, FloorplanFacts& facts) {
  for (const FixedKernel& fixed : problem.constraints().fixed) {
    const PlacedKernel& placed = placement.kernels[fixed.kernel];
    KernelFacts& kernel = facts.kernels[fixed.kernel];
    kernel.fixed = true;
    kernel.misplaced = placed.x != fixed.x || placed.y != fixed.y ||
                       placed.rotated != fixed.rotated ||
                       (fixed.execution && *fixed.execution != placed.execution);
  }
  for (const Region& region : problem.constraints().regions) {
    for (const KernelIndex index : region.kernels) {
      KernelFacts& kernel = facts.kernels[index];
      if (!kernel.tiles || region.rule == RegionRule::prefer) continue;
      const bool kept = region.rule == RegionRule::inside ? contains(region.area, *kernel.tiles)
                                                          : !overlap(region.area, *kernel.tiles);
      kernel.misplaced = kernel.misplaced || !kept;
    }
  }
}

std::vector<int> edge_mismatches(const Problem& problem, const Placement& placement,
                                 const std::vector<KernelFacts>& kernels) {
  std::vector<int> mismatches;
  for (const Connection& edge : problem.connections()) {
    const bool sized = kernels[edge.producer].tiles && kernels[edge.consumer].tiles;
    const auto shown = [&](KernelIndex kernel) {
      return signature(problem.kernel(kernel), placement.kernels[kernel].execution);
    };
    mismatches.push_back(sized ? adapter_mismatches(shown(edge.producer), shown(edge.consumer))
                               : 0);
  }
  return mismatches;
}

}  // namespace

FloorplanFacts inspect(const Problem& problem, const Placement& placement) {
  if (placement.kernels.size() != problem.kernel_count()) {
    throw std::logic_error(fmt::format("the placement has {} kernels, the problem {}",
                                       placement.kernels.size(), problem.kernel_count()));
  }
  FloorplanFacts facts;
  std::vector<Rectangle> sized;
  std::vector<std::int64_t> times;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    facts.kernels.push_back(kernel_facts(problem, i, placement.kernels[i]));
    if (!facts.kernels[i].tiles) continue;
    sized.push_back(*facts.kernels[i].tiles);
    times.push_back(facts.kernels[i].time);
  }
  for (const TerminalConnection& edge : problem.terminal_connections()) {
    const bool input = problem.terminals()[edge.terminal].kind == Terminal::Kind::input;
    (input ? facts.kernels[edge.kernel].is_input : facts.kernels[edge.kernel].is_output) = true;
  }
  facts.mismatches = edge_mismatches(problem, placement, facts.kernels);
  find_overlaps(facts);
  find_dead(problem, facts);
  find_misplaced(problem, placement, facts);
  facts.covered = covered_tiles(sized, {0, 0, problem.wafer().width, problem.wafer().height});
  if (!times.empty()) {
    facts.slowest = *std::max_element(times.begin(), times.end());
    facts.fastest = *std::min_element(times.begin(), times.end());
  }
  const bool scorable = sized.size() == problem.kernel_count() &&
                        std::all_of(placement.kernels.begin(), placement.kernels.end(), &is_sane);
  try {
    if (scorable) facts.score = score(problem, placement);
  } catch (const std::overflow_error&) {  // heavy edges to places far off the wafer: no score
  }
  return facts;
}

}  // namespace waferloom::viz
