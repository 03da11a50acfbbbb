#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"

namespace waferloom::planner {

// DFModel's first model of compute: cycles of systolic arrays (SCALE-Sim's formula), with cores
// given to the kernels of a partition so that the slowest is as fast as can be. Its utilisation is
// 1 and a partition's weights are loaded once for all samples of a micro-batch, before anything
// else. Kernels' extents are outputs × inputs × tokens: m, k, n.
/// Throws RequestError, with the key, if the chip's file does not say.
CycleChip cycle_chip(const System& system);

/// Cores that a kernel's outputs and tokens are spread over: lane · stage in all.
struct CoreGrid {
  std::int64_t lane = 1;
  std::int64_t stage = 1;
  std::int64_t cores() const { return lane * stage; }
  bool operator==(const CoreGrid&) const = default;
};

/// Cycles of a kernel. With t = min(tile, n), there are outer · ⌈n / t⌉ tiles, and each takes
/// ⌈m / (width · lane)⌉ · ⌈t / (height · stage)⌉ · k for a product, and ⌈m / (width · lane)⌉ · t
/// for an operation on elements.
double kernel_cycles(const DataflowKernel& kernel, const CycleChip& chip, CoreGrid grid);

/// The fewest cores with which a kernel takes at most so many cycles; cores() is 0 if none do.
CoreGrid fewest_cores(const DataflowKernel& kernel, const CycleChip& chip, double cycles);

struct CoreAllocation {
  double cycles = 0;            ///< of the slowest kernel
  std::vector<CoreGrid> grids;  ///< of each kernel given; of equal ones the fewest cores
  std::int64_t cores = 0;
};

/// Cores for the kernels of a partition, the slowest of them as fast as can be: bisection on its
/// cycles. With more kernels than cores there is none: infinitely many cycles, no grids.
/// O(kernels · tile / height · log(cycles)).
CoreAllocation allocate_cores(const DataflowGraph& graph, const std::vector<std::size_t>& kernels,
                              const CycleChip& chip);

/// What a micro-batch is limited by: DRAM for each layer less its weights, for what goes between
/// partitions for each sample (every tensor cut, in both its partitions).
struct MicroBatchMemory {
  double dram_bytes = 0;
  double layers = 1;
  double weight_bytes = 0;  ///< of a layer, on a chip
  double cut_bytes = 0;     ///< of a layer, on a chip, for a sample
};
/// ⌊(dram / layers - weights) / cut⌋, not below 0; 0 cut bytes are RequestError.
std::int64_t largest_micro_batch(const MicroBatchMemory& memory);

/// A partition's compute by cycles. Keeps references to both.
PartitionCompute cycle_compute(const DataflowGraph& graph, const CycleChip& chip);

/// A mapping's cost with compute by cycles. The problem's rates say the rest, with
/// seconds_per_weight_byte = 1 / (DRAM rate · micro-batch). A partition with more kernels than the
/// chip has cores does not fit, and takes infinitely long.
MappingCost cycle_mapping_cost(const MappingProblem& problem, const CycleChip& chip,
                               const Partitions& partitions);

}  // namespace waferloom::planner
