#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/dataflow_graph.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "planner/plans/whole_bytes.h"

namespace waferloom::planner {

// Kernels of a graph cut into partitions that a chip works on one after another (DFModel, section
// V). Everything that searches for mappings is held to `partition_cost` and `mapping_cost`.

/// Some kernels of a graph, by index: a bit for each.
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

/// A graph of one chip's kernels, and the chip: what partitions are priced in.
struct MappingProblem {
  MappingProblem(DataflowGraph graph_of_chip, const ChipRates& chip_rates);
  DataflowGraph graph;
  ChipRates rates;
  std::vector<std::size_t> level;              ///< of each kernel (DFModel's levels)
  std::vector<std::vector<std::size_t>> into;  ///< tensors that each kernel takes
  std::vector<std::vector<std::size_t>> from;  ///< tensors that each kernel makes
  std::size_t kernels() const { return graph.kernels.size(); }
  double compute_s(std::size_t kernel) const;
  double network_s(std::size_t kernel) const;
  /// Pieces that an on-chip buffer holds between two kernels of one partition.
  double buffered_pieces(const DataflowTensor& tensor) const {
    return static_cast<double>(level[tensor.to] - level[tensor.from] + 1);
  }
};

/// Pieces that a buffer holds of a tensor from or to another partition.
inline constexpr double kCutPieces = 2;

enum class PartitionBound : std::uint8_t { compute, memory, network };
const char* partition_bound_name(PartitionBound bound);

struct PartitionCost {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double weight_load_s = 0;  ///< comes before everything else
  double sram_bytes = 0;     ///< weights and buffers
  bool fits_sram = true;
  double live_dram_bytes = 0;  ///< tensors between partitions that are alive; of whole mappings
  bool fits_dram = true;
  // What the times stand for.
  double flop = 0;
  double dram_bytes = 0;
  double reduced_bytes = 0;
  double total_s() const;
  PartitionBound bound() const;  ///< the longest; of equals the first
};

/// The cost of one partition (published set-up files of DFModel; O(its kernels and tensors)):
///
///     compute  = sum of flop / rate
///     memory   = (bytes of tensors cut, each in both of its partitions, + dram_bytes) / DRAM rate
///     network  = sum of reduced bytes · seconds_per_reduced_byte (+ latency of each reduction)
///     SRAM     = weights + for each tensor bytes / pieces · (level(to) - level(from) + 1) if both
///                its kernels are inside, · 2 if one is
///     total    = max(compute, memory, network) + weights · seconds_per_weight_byte
///
/// Levels are those of the whole graph, so a tensor takes no less SRAM inside than cut: SRAM grows
/// with every kernel that comes in, and whatever does not fit has no superset that does.
PartitionCost partition_cost(const MappingProblem& problem, const KernelSet& partition);

/// Lists of kernels, in the order in which they run.
using Partitions = std::vector<std::vector<std::size_t>>;

struct MappingCost {
  std::vector<PartitionCost> partitions;
  double total_s = 0;
  bool fits = true;  ///< every partition, in SRAM and DRAM
  double flop = 0;
  double dram_bytes = 0;
  double reduced_bytes = 0;
};

/// The sum over partitions, and what is alive in DRAM during each: tensors cut, from the partition
/// that makes them to the one that takes them (matrix L of section III). Throws
/// RequestError, with names, if a kernel stands twice or nowhere, a partition is empty, or
/// a kernel runs before one whose tensor it takes. O(V + E + cut tensors · partitions).
MappingCost mapping_cost(const MappingProblem& problem, const Partitions& partitions);

/// Each kernel on its own, in the graph's order.
Partitions kernel_by_kernel(const DataflowGraph& graph);

/// SambaNova's four partitions of a transformer layer (DFModel, section VII-B): up to V, up to LN2,
/// FFN0 (and its gate), the rest. Empty for graphs without these kernels in this order.
Partitions vendor_mapping(const DataflowGraph& graph);

/// Kernels whose weights leave the SRAM no room for their own buffers read them from DRAM piece by
/// piece instead: weight_bytes become dram_bytes. Their names.
std::vector<std::string> stream_large_weights(MappingProblem& problem);

/// "{Q, K, V} {MHA1}".
std::string partitions_text(const DataflowGraph& graph, const Partitions& partitions);

/// Why a kernel fits no partition: its SRAM alone is too much. Empty if all fit. (As SRAM grows
/// with every kernel, there is a mapping exactly if each kernel fits alone.)
std::string why_beyond_sram(const MappingProblem& problem);

}  // namespace waferloom::planner
