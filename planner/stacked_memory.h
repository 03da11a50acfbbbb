#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system.h"
#include "model/workload.h"

namespace waferloom::planner {

// What of a chip should compute and what should be memory, under memories of different rates
// (DFModel, section VIII-C): a fixed number of units of one area, each a core or a piece of SRAM.

/// A memory behind the chip.
struct StackedMemory {
  std::string name;
  double bytes_per_s = 0;
};

struct AreaStudy {
  std::int64_t units = 2080;
  double unit_flop_per_s = 0;  ///< of a core
  double unit_sram_bytes = 0;  ///< of a piece of memory
  double utilisation = 0.9;
  std::int64_t chips = 1024;
  std::vector<std::int64_t> tensors{256, 512, 1024};  ///< chips that share a layer
  std::vector<double> compute_shares{};               ///< of the units, each between 0 and 1
  std::vector<StackedMemory> memories{};
};

/// The paper's: 2080 units like the 1040 cores and 1040 pieces of memory of the given chip, shares
/// from 0.2 to 0.8 in steps of 0.05, DDR of 100 GB/s, HBM of 1 TB/s, 3-D memory of 100 TB/s. Throws
/// RequestError for a chip whose cores are not known.
AreaStudy paper_area_study(const System& system);

struct AreaPoint {
  double share = 0;
  std::int64_t tensor = 1;     ///< of the best degrees
  double layer_s = 0;          ///< a layer forward on a group, in its best mapping
  double flop_per_s = 0;       ///< of all chips; 0: nothing fits the SRAM
  std::size_t partitions = 0;  ///< of that mapping
  std::string bound{};         ///< of the longest partition: compute or memory
};

struct AreaCurve {
  StackedMemory memory;
  std::vector<AreaPoint> points;  ///< by share
  std::size_t best = 0;           ///< of the greatest rate; of equals the first share
};

/// The rate at which layers go forward, for each memory and each share of the chip that computes.
/// Each layer is cut by the best tensor degree. Its kernels are in the partitions that
/// best_mapping() proves best. Groups of chips are the stages of a pipeline that is always full.
/// The network is left out: it is the same for every chip of the study, and would hide what
/// differs. Throws RequestError for degrees that do not divide the layer.
std::vector<AreaCurve> study_area(const TransformerOperator& layer, const AreaStudy& study);

}  // namespace waferloom::planner
