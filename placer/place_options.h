#pragma once

#include <vector>

#include "model/option_spec.h"

namespace waferloom::placer {

/// Of every search: seed, threads, time-limit and effort.
std::vector<OptionSpec> search_options();

/// How `place` searches: a row of strategies(), each explained, those for ablation gathered behind
/// the one that they lack a part of.
OptionSpec strategy_option();

}  // namespace waferloom::placer
