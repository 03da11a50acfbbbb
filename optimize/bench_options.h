#pragma once

#include <vector>

#include "model/option_spec.h"

namespace waferloom::optimize {

/// How the cases of a benchmark are run: seeds, strategy.
std::vector<OptionSpec> bench_options();

}  // namespace waferloom::optimize
