#include "planner/dfmodel/mapping/additive_cost.h"

#include "planner/dfmodel/mapping/chip_mapping.h"

namespace waferloom::planner {

KernelShares::KernelShares(const MappingProblem& problem)
    : problem_(problem), done_(problem.kernels(), false) {
  const auto pieces = static_cast<double>(problem.graph.pieces);
  const double dram = problem.rates.dram_bytes_per_s;
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) {
    const DataflowKernel& dataflow_kernel = problem.graph.kernels[kernel];
    CostSums sums{problem.compute_s(kernel),
                  dataflow_kernel.dram_bytes / dram,
                  problem.network_s(kernel),
                  dataflow_kernel.weight_bytes,
                  problem.rates.streams_weights ? 0 : dataflow_kernel.weight_bytes * pieces,
                  0};
    alone_.push_back(sums);
    rest_ += sums;
    for (const std::size_t i : problem.from[kernel]) {  // cut, unless its taker comes in too
      const double bytes = problem.graph.tensors[i].bytes;
      sums.memory_s += bytes / dram;
      sums.sram += bytes * kCutPieces;
      sums.live_dram_bytes += bytes;
    }
    for (const std::size_t i : problem.into[kernel]) {  // not cut any more
      const DataflowTensor& tensor = problem.graph.tensors[i];
      sums.memory_s -= tensor.bytes / dram;
      sums.sram += tensor.bytes * (problem.buffered_pieces(tensor) - kCutPieces);
      sums.live_dram_bytes -= tensor.bytes;
    }
    fresh_.push_back(sums);
  }
  now_ = fresh_;
}

double KernelShares::total_s(const CostSums& sums) const {
  return with_room(
      sums, problem_.rates.sram_bytes - sums.sram / static_cast<double>(problem_.graph.pieces));
}

double KernelShares::with_room(const CostSums& sums, double room_bytes) const {
  const ChipRates& rates = problem_.rates;
  const double others = std::max(sums.compute_s, sums.network_s);
  const double loaded =
      loaded_weight_bytes(rates, {sums.weight_bytes, room_bytes, sums.memory_s, others});
  const double memory = sums.memory_s + (sums.weight_bytes - loaded) / rates.dram_bytes_per_s;
  return std::max(others, memory) + loaded * rates.seconds_per_weight_byte;
}

void KernelShares::turn(std::size_t kernel, bool done) {
  done_[kernel] = done;
  if (done) {
    rest_ -= alone_[kernel];
  } else {
    rest_ += alone_[kernel];
  }
  const double sign = done ? 1 : -1;
  for (const std::size_t i : problem_.from[kernel]) {
    const DataflowTensor& tensor = problem_.graph.tensors[i];
    if (!done_[tensor.to]) waiting_bytes_ += sign * tensor.bytes;
    renew(tensor.to);
  }
  for (const std::size_t i : problem_.into[kernel]) {
    const DataflowTensor& tensor = problem_.graph.tensors[i];
    if (done_[tensor.from]) waiting_bytes_ -= sign * tensor.bytes;
  }
}

void KernelShares::renew(std::size_t kernel) {
  now_[kernel] = fresh_[kernel];
  for (const std::size_t i : problem_.into[kernel]) {
    const DataflowTensor& tensor = problem_.graph.tensors[i];
    if (!done_[tensor.from]) continue;
    // It is read instead of taken back, and stays alive.
    now_[kernel].memory_s += 2 * tensor.bytes / problem_.rates.dram_bytes_per_s;
    now_[kernel].sram += tensor.bytes * (2 * kCutPieces - problem_.buffered_pieces(tensor));
    now_[kernel].live_dram_bytes += tensor.bytes;
  }
}

}  // namespace waferloom::planner
