#pragma once

#include <string>
#include <string_view>

#include "model/problem.h"
#include "model/problem/constraints.h"

namespace waferloom {

/// Reads a constraints file (JSON, format in docs/formats.md) for the kernels of a problem. Throws
/// InputError with source:line:column.
Constraints read_constraints(std::string_view text, const std::string& source,
                             const Problem& problem);

/// The problem under these constraints. Throws InputError, naming `source`, where they break an
/// invariant of Problem.
Problem with_constraints(const Problem& problem, Constraints constraints,
                         const std::string& source);

}  // namespace waferloom
