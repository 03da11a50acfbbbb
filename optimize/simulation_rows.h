#pragma once

#include <vector>

#include "model/run_control.h"
#include "planner/validation.h"

namespace waferloom::optimize {

/// Published throughputs of clusters and wafers beside simulated ones: Narayanan et al. (SC'21),
/// Table 1, and PALM's Eq. 1 and Tables IV and VII. The studies in scripts/ have more of it
/// (docs/studies.md). The rows of `validate` that need the simulator, which planner does not know;
/// the target waferloom::validation, so that searches do not link what is published. Throws RunCut.
std::vector<planner::ValidationRow> simulation_rows(const RunControl& control = {});

}  // namespace waferloom::optimize
