#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "tests/support/gpt3_operator.h"
#include "tests/support/presets.h"

namespace waferloom::planner {

/// A layer of GPT-3 175B for one sample.
inline DataflowGraph gpt3_layer() {
  TransformerPass pass;
  pass.layers = 96;
  return transformer_graph(test::gpt3_operator(), pass);
}

/// One of `tensor` chips' part of it: outputs of Q, K, V, FFN0 and GeLU, heads of the attention and
/// inputs of Proj and FFN1 are cut, whose outputs are then summed; the rest is on every chip.
inline DataflowGraph gpt3_chip_layer(std::int64_t tensor) {
  DataflowGraph graph = gpt3_layer();
  const auto parts = static_cast<double>(tensor);
  for (DataflowKernel& kernel : graph.kernels) {
    constexpr std::array<const char*, 5> kByOutputs{"Q", "K", "V", "FFN0", "GeLU"};
    constexpr std::array<const char*, 4> kByHeads{"MHA1", "Softmax", "Drop1", "MHA2"};
    const auto is_in = [&](const auto& names) {
      return std::find(names.begin(), names.end(), kernel.name) != names.end();
    };
    const bool by_inputs = kernel.name == "Proj" || kernel.name == "FFN1";
    if (!by_inputs && !is_in(kByOutputs) && !is_in(kByHeads)) continue;
    kernel.flop /= parts;
    kernel.weight_bytes /= parts;
    if (by_inputs) {
      kernel.extents.k /= tensor;
      kernel.all_reduce_bytes = kernel.output_bytes;
      continue;
    }
    kernel.output_bytes /= parts;
    (is_in(kByHeads) ? kernel.extents.outer : kernel.extents.m) /= tensor;
  }
  for (DataflowTensor& dataflow_tensor : graph.tensors)
    dataflow_tensor.bytes = graph.kernels[dataflow_tensor.from].output_bytes;
  return graph;
}

/// DFModel's eight SN10 as a ring of 8, or one of two rings of 4.
inline MappingProblem sn10_problem(std::int64_t tensor) {
  const System system = test::preset_system(tensor == 8 ? "sn10_8x1" : "sn10_4x2");
  return {gpt3_chip_layer(tensor), chip_rates(system, tensor)};
}

/// Kernels by name.
inline Partitions named(const DataflowGraph& graph,
                        const std::vector<std::vector<std::string>>& names) {
  Partitions partitions;
  for (const std::vector<std::string>& list : names) {
    partitions.emplace_back();
    for (const std::string& name : list) {
      const auto found =
          std::find_if(graph.kernels.begin(), graph.kernels.end(),
                       [&](const DataflowKernel& kernel) { return kernel.name == name; });
      partitions.back().push_back(static_cast<std::size_t>(found - graph.kernels.begin()));
    }
  }
  return partitions;
}

}  // namespace waferloom::planner
