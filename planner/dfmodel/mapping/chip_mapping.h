#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/dataflow_graph.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "planner/plans/whole_bytes.h"

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

/// The graph of a chip's kernels and the rates of the chip. Partitions are priced with them.
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
  /// Pieces that an on-chip buffer holds between two kernels of the same partition.
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
  double weight_load_s = 0;  ///< before all else; nothing overlaps with it
  double sram_bytes = 0;     ///< weights and buffers
  bool fits_sram = true;
  double live_dram_bytes = 0;  ///< live tensors between partitions; only whole mappings have it
  bool fits_dram = true;
  // What the times stand for.
  double flop = 0;
  double dram_bytes = 0;
  double reduced_bytes = 0;
  double total_s() const;
  PartitionBound bound() const;  ///< the longest time; among equals the first of the enumeration
};

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
/// Levels are those of the whole graph. So a tensor inside a partition takes at least as much SRAM
/// as a cut tensor, and SRAM grows with every kernel that is added. If a partition does not fit, no
/// superset of it fits.
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

/// The sum over partitions, and what is alive in DRAM during each. A cut tensor is alive from the
/// partition that makes it to the partition that takes it (matrix L of section III). Throws
/// RequestError, with names, if a kernel stands in two partitions or in none, if a partition is
/// empty, or if a kernel runs before the maker of a tensor that it takes.
/// O((V + cut tensors) · partitions + E).
MappingCost mapping_cost(const MappingProblem& problem, const Partitions& partitions);

/// Each kernel on its own, in the graph's order.
Partitions kernel_by_kernel(const DataflowGraph& graph);

/// SambaNova's four partitions of a transformer layer (DFModel, section VII-B): up to V, up to LN2,
/// FFN0 (and its gate), the rest. Empty for graphs without these kernels in this order.
Partitions vendor_mapping(const DataflowGraph& graph);

/// Streams weights that are too large: if a kernel's weights and buffers do not fit the SRAM, the
/// kernel reads the weights from DRAM piece by piece. Its weight_bytes become dram_bytes. Returns
/// the names of these kernels.
std::vector<std::string> stream_large_weights(MappingProblem& problem);

/// "{Q, K, V} {MHA1}".
std::string partitions_text(const DataflowGraph& graph, const Partitions& partitions);

/// Says which kernel needs more than the SRAM even alone. Empty if each kernel fits alone. SRAM
/// grows with every kernel, so a mapping that fits the SRAM exists exactly if each fits alone.
std::string why_beyond_sram(const MappingProblem& problem);

}  // namespace waferloom::planner
