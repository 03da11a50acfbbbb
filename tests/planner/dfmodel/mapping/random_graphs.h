#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"

namespace waferloom::planner {

/// Random kernels and tensors with small whole figures, so that totals that differ, differ by more
/// than rounding.
class RandomGraphs {
 public:
  explicit RandomGraphs(std::uint64_t seed) : engine_(seed) {}

  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }

  /// Each pair of kernels is joined with a chance of `percent`.
  DataflowGraph graph(std::size_t kernels, std::int64_t percent) {
    DataflowGraph graph;
    graph.pieces = 8;
    for (std::size_t i = 0; i < kernels; ++i) {
      DataflowKernel kernel;
      kernel.name = "k" + std::to_string(i);
      kernel.type = draw(0, 1) == 0 ? KernelType::gemm : KernelType::element_wise;
      kernel.flop = static_cast<double>(draw(0, 40));
      kernel.weight_bytes = static_cast<double>(draw(0, 20));
      kernel.all_reduce_bytes = static_cast<double>(draw(0, 2) == 0 ? draw(1, 30) : 0);
      kernel.dram_bytes = static_cast<double>(draw(0, 3) == 0 ? draw(1, 9) : 0);
      graph.kernels.push_back(kernel);
    }
    for (std::size_t to = 1; to < kernels; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (draw(1, 100) > percent) continue;
        graph.tensors.push_back({from, to, static_cast<double>(8 * draw(1, 8))});
      }
    }
    return graph;
  }

  /// A chip with SRAM for about 1 / `shares` of the whole graph, but for each kernel alone.
  MappingProblem problem(DataflowGraph graph, double shares) {
    ChipRates rates;
    rates.flop_per_s = static_cast<double>(draw(1, 3));
    rates.element_flop_per_s = static_cast<double>(draw(1, 2));
    rates.dram_bytes_per_s = static_cast<double>(draw(2, 6));
    rates.seconds_per_reduced_byte = static_cast<double>(draw(1, 2));
    rates.seconds_per_reduction = static_cast<double>(draw(0, 2));
    MappingProblem problem(std::move(graph), rates);
    KernelSet all(problem.kernels());
    double alone = 0;
    for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) {
      all.insert(kernel);
      const KernelSet only(problem.kernels(), {kernel});
      alone = std::max(alone, partition_cost(problem, only).sram_bytes);
    }
    const double whole = partition_cost(problem, all).sram_bytes;
    problem.rates.sram_bytes = std::max(alone, whole / shares);
    return problem;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace waferloom::planner
