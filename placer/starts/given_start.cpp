#include "placer/starts/given_start.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/shape_curve.h"
#include "model/placement.h"
#include "model/problem.h"
#include "placer/annealing/curve_annealer.h"
#include "placer/annealing/slicing_recovery.h"
#include "placer/bounds/bounds.h"
#include "placer/free/free_squeeze.h"
#include "placer/shapes/kernel_cut.h"

namespace waferloom::placer {
namespace {

struct Middle {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

/// What is given, without executions that no kernel can have, and nothing farther off the wafer
/// than searches can count.
PartialPlacement possible(const Problem& problem, PartialPlacement given) {
  const auto near = [](std::int64_t at) {
    return std::clamp(at, -kMaxWaferSide, 2 * kMaxWaferSide);
  };
  for (KernelIndex i = 0; i < given.kernels.size(); ++i) {
    auto& placed = given.kernels[i];
    if (!placed) continue;
    placed->x = near(placed->x);
    placed->y = near(placed->y);
    if (!within_limits(problem.kernel(i), placed->execution)) placed.reset();
  }
  return given;
}

/// The slowest of the kernels that are there, or what the wafer allows at best.
std::int64_t time_of(const SearchContext& context, const PartialPlacement& given) {
  std::int64_t time = context.area_bound;
  for (KernelIndex i = 0; i < given.kernels.size(); ++i) {
    if (!given.kernels[i]) continue;
    time = std::max(time, compute_time(context.problem.kernel(i), given.kernels[i]->execution,
                                       context.problem.time_denominator()));
  }
  return time;
}

/// Whether an execution can stand in a search: it has a size within memory and wafer.
bool stands(const SearchContext& context, KernelIndex kernel, const PlacedKernel& placed,
            std::int64_t time) {
  const Kernel& formal = context.problem.kernel(kernel);
  const KernelLimits limits = context.library.limits(context.library.type_of(kernel), time);
  const auto execution = execute(formal, cut_of(formal, placed.execution), limits);
  if (!execution || memory_words(formal, placed.execution) > limits.memory_words ||
      !has_room(formal, placed.execution, limits.buffers)) {
    return false;
  }
  const Extent size = extent(formal, *execution);
  return std::max(size.width, size.height) <= context.library.largest_side();
}

/// Where a kernel that has no place belongs: in the middle of its placed neighbours, or of the
/// wafer.
Middle middle_of_neighbours(const Problem& problem, const std::vector<KernelIndex>& neighbours,
                            const std::vector<std::optional<Middle>>& middles) {
  Middle sum;
  std::int64_t count = 0;
  for (const KernelIndex other : neighbours) {
    if (!middles[other]) continue;
    sum.x += middles[other]->x;
    sum.y += middles[other]->y;
    ++count;
  }
  if (count == 0) return Middle{problem.wafer().width / 2, problem.wafer().height / 2};
  return Middle{sum.x / count, sum.y / count};
}

Placement completed(const SearchContext& context, const PartialPlacement& given) {
  const Problem& problem = context.problem;
  const std::int64_t time = time_of(context, given);
  const Neighbours neighbours = graph_neighbours(problem);
  std::vector<std::optional<Middle>> middles(given.kernels.size());
  for (KernelIndex i = 0; i < given.kernels.size(); ++i) {
    if (!given.kernels[i]) continue;
    const Rectangle tiles = rectangle(problem.kernel(i), *given.kernels[i]);
    middles[i] = Middle{tiles.x + tiles.width / 2, tiles.y + tiles.height / 2};
  }
  Placement placement;
  placement.kernels.resize(given.kernels.size());
  for (const KernelIndex i : context.order) {
    if (given.kernels[i] && stands(context, i, *given.kernels[i], time)) {
      placement.kernels[i] = *given.kernels[i];
      continue;
    }
    if (!middles[i]) middles[i] = middle_of_neighbours(problem, neighbours[i], middles);
    const std::vector<Shape> front = context.library.front(context.library.type_of(i), time);
    const Shape& smallest = smallest_shape(front);
    placement.kernels[i] = PlacedKernel{smallest.execution, middles[i]->x - smallest.size.width / 2,
                                        middles[i]->y - smallest.size.height / 2, false};
  }
  return placement;
}

}  // namespace

void given_start(const SearchContext& context, const PartialPlacement& start, std::uint64_t seed,
                 const EmitPlacement& emit) {
  constexpr std::uint64_t kMovesPerKernel = 20'000;
  const auto is_there = [](const std::optional<PlacedKernel>& kernel) {
    return kernel.has_value();
  };
  const PartialPlacement given = possible(context.problem, start);
  if (std::none_of(given.kernels.begin(), given.kernels.end(), is_there)) return;
  if (const auto legal = whole_legal_placement(context.problem, given)) {
    emit(*legal);
    return;
  }
  const Placement whole = completed(context, given);
  if (!context.space.binds()) {
    const SlicingTree tree = nearest_slicing_tree(context.problem, whole);
    if (const auto placement = refit(context.library, tree, slowest_time(context.problem))) {
      emit(*placement);
    }
  }
  AnnealBudget budget;
  budget.moves = kMovesPerKernel * context.problem.kernel_count();
  budget.stop = context.stop;
  RandomStream random({seed, 0, 0});
  constexpr double kWireWeight = 0.1;
  squeeze_free(context.library, context.space, whole, kWireWeight, budget, random, emit);
}

}  // namespace waferloom::placer
