#pragma once

#include <vector>

#include "model/option_spec.h"

namespace waferloom::optimize {

/// What `optimize` is asked for. Defaults are those of CaseSearchOptions and PlanSearchOptions;
/// `top`, whose default is another for a case and a network, and `routing` have none.
std::vector<OptionSpec> optimize_options();

}  // namespace waferloom::optimize
