#pragma once

#include <string_view>

namespace waferloom::optimize {

/// The rows of Narayanan et al. (SC'21), Table 1, as JSON: megatron_table1.json, which
/// scripts/study_megatron.py reads too.
std::string_view megatron_table1();

}  // namespace waferloom::optimize
