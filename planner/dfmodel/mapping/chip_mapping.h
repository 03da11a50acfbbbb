#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/workload.h"
#include "planner/dfmodel.h"

namespace waferloom::planner {

// The kernels of a graph are cut into partitions. A chip works on them one after another (DFModel,
// section V). `partition_cost` and `mapping_cost` price every mapping, from every search.

/// A set of kernels of a graph: a bit for each index.
class KernelSet {
 public:
  explicit KernelSet(std::size_t kernels) : words_((kernels + 63) / 64, 0) {}
  KernelSet(std::size_t kernels, const std::vector<std::size_t>& members);
  void insert(std::size_t kernel) { words_[kernel / 64] |= std::uint64_t{1} << (kernel % 64); }
  bool contains(std::size_t kernel) const {
    return (words_[kernel / 64] >> (kernel % 64) & 1) != 0;
  }
  bool operator==(const KernelSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

/// Pieces that a buffer holds of a tensor from or to another partition.
inline constexpr double kCutPieces = 2;

/// What decides how many of a partition's weights are loaded before it works.
struct WeightDemand {
  double weight_bytes = 0;
  double room_bytes = 0;  ///< of the SRAM, beside the buffers
  double memory_s = 0;    ///< of the tensors alone
  double others_s = 0;    ///< the longer of compute and network
};

/// Bytes of weights that are loaded before a partition works. The rest is streamed: it is read from
/// DRAM in each pass, while the partition works, and takes no SRAM. All are loaded if the chip does
/// not stream. Otherwise x loaded bytes take
///
///     max(others, memory + (weights - x) / DRAM rate) + x · seconds_per_weight_byte
///
/// which falls until memory is not the longest any more, and grows from there. So the answer is
/// exact, and more room never makes it slower. Among equals: none if a load takes as long as a
/// stream, as many as have room if loads take no time.
double loaded_weight_bytes(const ChipRates& rates, const WeightDemand& demand);

/// The cost of a partition, as in the published set-up files of DFModel. O(kernels of the graph,
/// and tensors of the partition's kernels).
///
///     compute  = sum of flop / rate
///     memory   = (bytes of tensors cut, each in both of its partitions, + dram_bytes) / DRAM rate
///     network  = sum of reduced bytes · seconds_per_reduced_byte (+ latency of each reduction)
///     SRAM     = weights + for each tensor bytes / pieces · (level(to) - level(from) + 1) if both
///                its kernels are inside, · 2 if one is
///     total    = max(compute, memory, network) + weights · seconds_per_weight_byte
///
/// Weights that are streamed (loaded_weight_bytes) count in memory, and neither in SRAM nor in the
/// last line.
///
/// Levels are those of the whole graph. So a tensor inside a partition takes at least as much SRAM
/// as a cut tensor, and SRAM grows with every kernel that is added. If a partition does not fit, no
/// superset of it fits. `compute_s` stands for the sum over kernels, if given.
PartitionCost partition_cost(const MappingProblem& problem, const KernelSet& partition,
                             std::optional<double> compute_s = {});

/// Seconds of compute of a partition's kernels.
using PartitionCompute = std::function<double(const std::vector<std::size_t>&)>;

/// The sum over partitions, and what is alive in DRAM during each. A cut tensor is alive from the
/// partition that makes it to the partition that takes it (matrix L of section III). Throws
/// RequestError, with names, if a kernel stands in two partitions or in none, if a partition is
/// empty, or if a kernel runs before the maker of a tensor that it takes.
/// Compute is what `compute_s` says of a partition's kernels, or the sum over them without it.
/// O((V + cut tensors) · partitions + E).
MappingCost mapping_cost(const MappingProblem& problem, const Partitions& partitions,
                         const PartitionCompute& compute_s = {});

/// Kernels of a partition whose weights are streamed in whole or in part: those with the most
/// weights, as few as hold the streamed bytes; of equal ones the first.
std::vector<std::size_t> streamed_kernels(const DataflowGraph& graph,
                                          const std::vector<std::size_t>& partition,
                                          double streamed_bytes);

/// "{Q, K, V} {MHA1}".
std::string partitions_text(const DataflowGraph& graph, const Partitions& partitions);

/// Says which kernel needs more than the SRAM even alone. Empty if each kernel fits alone. SRAM
/// grows with every kernel, so a mapping that fits the SRAM exists exactly if each fits alone.
std::string why_beyond_sram(const MappingProblem& problem);

}  // namespace waferloom::planner
