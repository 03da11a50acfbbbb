#include "planner/dfmodel/mapping/cycle_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/errors.h"
#include "planner/dfmodel.h"

namespace waferloom::planner {
namespace {

std::int64_t quotient_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// A kernel's work as the arrays see it: `repeats` times `rows` × `columns` steps of `depth`
/// cycles.
struct ArrayWork {
  std::int64_t rows = 1;     ///< ⌈m / width⌉
  std::int64_t columns = 1;  ///< ⌈t / height⌉; 1 for operations on elements
  double depth = 1;
  double repeats = 1;
};

ArrayWork array_work(const DataflowKernel& kernel, const CycleChip& chip) {
  const Extents& extents = kernel.extents;
  const std::int64_t tile = std::min(chip.tile, extents.n);
  const bool is_matrix = is_product(kernel);
  ArrayWork work;
  work.rows = quotient_up(extents.m, chip.width);
  work.columns = is_matrix ? quotient_up(tile, chip.height) : 1;
  work.depth = static_cast<double>(is_matrix ? extents.k : tile);
  work.repeats =
      static_cast<double>(extents.outer) * static_cast<double>(quotient_up(extents.n, tile));
  return work;
}

}  // namespace

CycleChip cycle_chip(const System& system) {
  const Chip& chip = system.chip;
  if (chip.cores > 0 && chip.systolic_width > 0 && chip.systolic_height > 0 && chip.clock_hz > 0) {
    return {chip.cores, chip.systolic_width, chip.systolic_height, chip.clock_hz};
  }
  throw RequestError("system " + system.name +
                     ": cycles need cores, systolic_width, systolic_height and clock_hz "
                     "of the chip");
}

double kernel_cycles(const DataflowKernel& kernel, const CycleChip& chip, CoreGrid grid) {
  const ArrayWork work = array_work(kernel, chip);
  return work.repeats * work.depth * static_cast<double>(quotient_up(work.rows, grid.lane)) *
         static_cast<double>(quotient_up(work.columns, grid.stage));
}

CoreGrid fewest_cores(const DataflowKernel& kernel, const CycleChip& chip, double cycles) {
  const ArrayWork work = array_work(kernel, chip);
  CoreGrid best{0, 0};
  for (std::int64_t stage = 1; stage <= work.columns; ++stage) {
    const auto passes = static_cast<double>(quotient_up(work.columns, stage));
    const double rows = std::floor(cycles / (work.repeats * work.depth * passes));
    if (rows < 1) continue;
    const double lanes = std::min(rows, static_cast<double>(work.rows));
    const CoreGrid grid{quotient_up(work.rows, static_cast<std::int64_t>(lanes)), stage};
    if (best.cores() == 0 || grid.cores() < best.cores()) best = grid;
  }
  return best;
}

CoreAllocation allocate_cores(const DataflowGraph& graph, const std::vector<std::size_t>& kernels,
                              const CycleChip& chip) {
  CoreAllocation found;
  if (static_cast<std::int64_t>(kernels.size()) > chip.cores) {
    found.cycles = std::numeric_limits<double>::infinity();
    return found;
  }
  const auto allocation = [&](double cycles) {
    CoreAllocation tried;
    for (const std::size_t kernel : kernels) {
      const CoreGrid grid = fewest_cores(graph.kernels[kernel], chip, cycles);
      if (grid.cores() == 0 || tried.cores + grid.cores() > chip.cores) return CoreAllocation{};
      tried.cores += grid.cores();
      tried.grids.push_back(grid);
    }
    return tried;
  };
  double enough = 0;
  for (const std::size_t kernel : kernels) {
    enough = std::max(enough, kernel_cycles(graph.kernels[kernel], chip, {1, 1}));
  }
  double too_few = 0;  // whole cycles in between
  while (enough - too_few > 1) {
    const double middle = std::floor(too_few + (enough - too_few) / 2);
    (allocation(middle).cores > 0 ? enough : too_few) = middle;
  }
  found = allocation(enough);
  for (std::size_t i = 0; i < found.grids.size(); ++i) {
    found.cycles =
        std::max(found.cycles, kernel_cycles(graph.kernels[kernels[i]], chip, found.grids[i]));
  }
  return found;
}

std::int64_t largest_micro_batch(const MicroBatchMemory& memory) {
  if (!(memory.cut_bytes > 0)) {
    throw RequestError("no tensor goes between partitions: nothing limits a micro-batch");
  }
  const double left = memory.dram_bytes / memory.layers - memory.weight_bytes;
  return left <= 0 ? 0 : static_cast<std::int64_t>(std::floor(left / memory.cut_bytes));
}

PartitionCompute cycle_compute(const DataflowGraph& graph, const CycleChip& chip) {
  return [&graph, &chip](const std::vector<std::size_t>& kernels) {
    return allocate_cores(graph, kernels, chip).cycles / chip.clock_hz;
  };
}

MappingCost cycle_mapping_cost(const MappingProblem& problem, const CycleChip& chip,
                               const Partitions& partitions) {
  MappingCost cost = mapping_cost(problem, partitions, cycle_compute(problem.graph, chip));
  for (const PartitionCost& partition : cost.partitions) {
    cost.fits = cost.fits && std::isfinite(partition.compute_s);
  }
  return cost;
}

}  // namespace waferloom::planner
