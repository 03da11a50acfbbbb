#pragma once

#include <string>
#include <string_view>

#include "model/solution.h"

namespace waferloom {

/// Reads a solution in the contest's format (docs/formats.md); `include …` and `name(…)` lines
/// are tolerated. Throws InputError with source:line:column for what is not of that form, numbers
/// beyond ± kMaxCoordinate included; what is of the form but wrong is left to verify.
Solution read_solution(std::string_view text, const std::string& source);

/// Writes a solution in the contest's format, kernels first, then places.
std::string write_solution(const Solution& solution);

}  // namespace waferloom
