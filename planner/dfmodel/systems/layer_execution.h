#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/dfmodel.h"
#include "planner/system_plan.h"

namespace waferloom::planner {

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
