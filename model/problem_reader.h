#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/problem.h"
#include "model/problem/constraints.h"

// Files that change a problem: its wafer, and the rules of its placements.
namespace waferloom {

/// What a wafer file says.
struct WaferFile {
  Wafer wafer;
  std::optional<std::int64_t> memory_limit;
};

/// Reads a wafer file (JSON, format in docs/formats.md): {width, height, memory_limit, dead}. What
/// of a dead rectangle lies beyond the wafer is cut off; one that lies wholly beyond it is refused.
/// Throws InputError with source:line:column.
WaferFile read_wafer(std::string_view text, const std::string& source);

/// The problem on that wafer. Throws InputError, naming `source`, where it breaks an invariant of
/// Problem.
Problem with_wafer(const Problem& problem, const WaferFile& file, const std::string& source);

/// Reads a constraints file (JSON, format in docs/formats.md) for the kernels of a problem. Throws
/// InputError with source:line:column.
Constraints read_constraints(std::string_view text, const std::string& source,
                             const Problem& problem);

/// The problem under these constraints. Throws InputError, naming `source`, where they break an
/// invariant of Problem.
Problem with_constraints(const Problem& problem, Constraints constraints,
                         const std::string& source);

}  // namespace waferloom
