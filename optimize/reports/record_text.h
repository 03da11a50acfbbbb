#pragma once

#include <string>

#include "model/placement.h"
#include "model/problem.h"

namespace waferloom::optimize {

/// Throws InputError: `source` is no record of islands, for what was found in it.
[[noreturn]] void refuse_record(const std::string& source, const std::string& found);

/// The placement of a record's solution. Throws InputError if it is not legal.
VerifiedPlacement recorded_placement(const std::string& text, const std::string& source,
                                     const Problem& problem);

}  // namespace waferloom::optimize
