#pragma once

#include <vector>

#include "model/option_spec.h"

namespace waferloom {

/// How a network's operators are cut: samples, data, tensor. Defaults are those of OperatorCut.
std::vector<OptionSpec> workload_options();

}  // namespace waferloom
