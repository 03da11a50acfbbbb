#pragma once

#include <vector>

#include "planner/validation.h"

namespace waferloom::cli {

/// Published throughputs of clusters and wafers beside simulated ones: Narayanan et al. (SC'21),
/// Table 1, and
/// PALM's Eq. 1 and Tables IV and VII. The studies in scripts/ have more of it (docs/studies.md).
std::vector<planner::ValidationRow> simulation_rows();

}  // namespace waferloom::cli
