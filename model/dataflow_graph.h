#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom {

// A workload as DFModel has it (section III): kernels, and tensors between them.

enum class KernelType : std::uint8_t { gemm, element_wise, conv, embedding, communication };
inline constexpr std::array<std::string_view, 5> kKernelTypeNames{"gemm", "element-wise", "conv",
                                                                  "embedding", "communication"};
std::string_view kernel_type_name(KernelType type);

/// C[outer][m × n] = A[outer][m × k] · B[outer][k × n], or an operation on outer · m · n elements.
struct Extents {
  std::int64_t outer = 1;
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
  bool operator==(const Extents&) const = default;
};

/// Work of one kernel: of the whole network's, or of one chip's after sharding.
struct DataflowKernel {
  std::string name;
  KernelType type = KernelType::element_wise;
  Extents extents{};
  double flop = 0;
  double weight_bytes = 0;
  double output_bytes = 0;
  double all_reduce_bytes = 0;  ///< of every chip, among those that share the kernel
  /// From and to DRAM in whatever partition: weights that no SRAM has room for, key-value caches.
  double dram_bytes = 0;
  bool operator==(const DataflowKernel&) const = default;
};

/// Whether it multiplies matrices, for which chips have a rate of their own.
bool is_product(const DataflowKernel& kernel);

/// What one kernel hands to another one. A tensor that several take stands once for each.
struct DataflowTensor {
  std::size_t from = 0;
  std::size_t to = 0;
  double bytes = 0;
  bool operator==(const DataflowTensor&) const = default;
};

/// What a graph of kernels has as a whole.
struct GraphFigures {
  /// Pieces that a tensor goes through a chip in (a GPT's tokens): on-chip buffers hold a few of
  /// them.
  std::int64_t pieces = 1;
  double repeats = 1;  ///< layers of which this is one
  double element_bytes = 2;
  bool operator==(const GraphFigures&) const = default;
};

/// Kernels and tensors without cycles. Kernels stand behind those whose tensors they take.
struct DataflowGraph : GraphFigures {
  std::string name;
  std::vector<DataflowKernel> kernels{};
  std::vector<DataflowTensor> tensors{};
  bool operator==(const DataflowGraph&) const = default;
};

/// Tensors from a source to each kernel, at most: 0 for sources (DFModel's levels). O(V + E).
std::vector<std::size_t> levels(const DataflowGraph& graph);

double total_flop(const DataflowGraph& graph);  ///< of all repeats

/// Most kernels and most tensors of a file.
inline constexpr std::size_t kMaxDataflowKernels = 100'000;
inline constexpr std::size_t kMaxDataflowTensors = 1'000'000;

/// Reads partitions of a graph's kernels (model/schemas/mapping.schema.json): lists of names, in
/// the order in which they run on a chip. Throws InputError with source:line:column for unknown
/// keys, the name of another network, names that no kernel has, kernels that stand twice or
/// nowhere, partitions without kernels, and a kernel that runs before one whose tensor it takes.
/// Members are sorted by index.
std::vector<std::vector<std::size_t>> read_mapping(std::string_view text, const std::string& source,
                                                   const DataflowGraph& graph);

}  // namespace waferloom
