#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/dataflow_graph.h"
#include "model/system.h"
#include "planner/dfmodel/mapping/chip_rates.h"

namespace waferloom::planner {

/// How a chip goes through a layer (DFModel, section II-B).
enum class ChipExecution : std::uint8_t {
  kernel_by_kernel,  ///< every tensor goes through DRAM: GPUs, TPUs
  dataflow,          ///< kernels share the chip, in the best partitions: RDUs, wafers
};
inline constexpr std::array<std::string_view, 2> kExecutionNames{"kernel-by-kernel", "dataflow"};
std::string_view execution_name(ChipExecution execution);

/// A pass of a layer on one of the chips that share it. Parts go on at once within a partition, so
/// the total is no more than their sum and no less than the longest.
struct LayerTime {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double total_s = 0;
  std::size_t partitions = 0;
  bool is_optimal = false;       ///< proved, of dataflow
  std::string why_infeasible{};  ///< why there is none; then the times are 0
};

/// Where a chip's weights are.
enum class WeightHome : std::uint8_t {
  sram,  ///< all of them, always: a chip reads none from DRAM
  dram,  ///< read once in every pass
};

/// Rates of a chip of the system whose kernels `network` joins, innermost dimension first: compute
/// at the chip's efficiency for `samples`, all-reduces as network_times.h has them.
ChipRates layer_rates(const System& system, const std::vector<NetworkDimension>& network,
                      double samples);

/// The time of a pass, priced by chip_mapping.h. Weights at home in DRAM add their bytes to the
/// DRAM traffic of their kernels, `weight_passes` times (backward reads them and writes gradients).
/// Of dataflow, a kernel whose weights leave the SRAM no room for its buffers streams them: they
/// take none of it. Kernel by kernel the SRAM is taken to hold what a kernel works on at a time.
LayerTime layer_time(DataflowGraph chip_graph, const ChipRates& rates, ChipExecution execution,
                     WeightHome home, double weight_passes = 1);

}  // namespace waferloom::planner
