#pragma once

#include <string>
#include <vector>

#include "model/option_spec.h"

namespace waferloom::optimize {

/// What `plan` is asked for. Defaults are those of PlanJob and Plan.
std::vector<OptionSpec> plan_options();

/// Samples of a batch, for `plan` and `optimize`.
OptionSpec batch_option();

}  // namespace waferloom::optimize
