#include <algorithm>

#include "model/workload.h"

namespace waferloom {

std::string_view kernel_type_name(KernelType type) {
  return kKernelTypeNames[static_cast<std::size_t>(type)];
}

std::vector<std::size_t> levels(const DataflowGraph& graph) {
  std::vector<std::vector<std::size_t>> into(graph.kernels.size());
  for (const DataflowTensor& tensor : graph.tensors) into[tensor.to].push_back(tensor.from);
  std::vector<std::size_t> level(graph.kernels.size(), 0);
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
    for (const std::size_t from : into[kernel]) {
      level[kernel] = std::max(level[kernel], level[from] + 1);
    }
  }
  return level;
}

bool is_product(const DataflowKernel& kernel) {
  return kernel.type == KernelType::gemm || kernel.type == KernelType::conv;
}

double total_flop(const DataflowGraph& graph) {
  double sum = 0;
  for (const DataflowKernel& kernel : graph.kernels) sum += kernel.flop;
  return sum * graph.repeats;
}

}  // namespace waferloom
