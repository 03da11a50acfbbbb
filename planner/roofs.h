#pragma once

#include <string>
#include <vector>

#include "planner/dfmodel/mapping/chip_mapping.h"

namespace waferloom::planner {

/// The three roofs of a chip (hierarchical roofline, DFModel section VII, Fig. 18).
struct Roofs {
  double flop_per_s = 0;           ///< after utilisation
  double dram_bytes_per_s = 0;     ///< infinite without DRAM
  double network_bytes_per_s = 0;  ///< of a link; infinite for one chip
};

/// A mapping below the roofs: what it reaches, and FLOP for each byte from and to DRAM and for each
/// byte over a link (infinite where there are none).
struct RoofPoint {
  double flop_per_s = 0;
  double memory_intensity = 0;
  double network_intensity = 0;
  /// min(roof, rate · intensity): no mapping reaches more, one partition reaches it.
  double attainable(const Roofs& roofs) const;
  PartitionBound bound(const Roofs& roofs) const;  ///< the roof that is lowest
};

/// Roofs of one of `tensor` chips. The link is that of the innermost dimension.
Roofs roofs_of(const System& system, std::int64_t tensor, double samples = 1);

/// Bytes over a link are those which take as long as the all-reduces do without latency.
RoofPoint roof_point(const MappingProblem& problem, const MappingCost& cost, const Roofs& roofs);

}  // namespace waferloom::planner
