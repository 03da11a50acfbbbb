#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/problem.h"
#include "model/problem/constraints.h"

// The files that make a problem: its kernel graph, its wafer, and the rules of its placements.
namespace waferloom {

/// Reads a contest case (format in docs/formats.md). `source` names it in messages. Header keys
/// that are missing take the defaults of ProblemData. Throws InputError with
/// source:line:column and all bad lines at once where that is cheap (at most 20). Never reads
/// beyond `text`, allocates in proportion to it.
/// Header words that no key has but that look like a key (`wlenght=5`), which the format takes for
/// prose, are added to `doubts`, at most 20 of them.
Problem read_kgraph(std::string_view text, const std::string& source,
                    std::vector<InputProblem>* doubts = nullptr);

/// Writes the problem in the same form; read_kgraph(write_kgraph(p)) is p.
std::string write_kgraph(const Problem& problem);

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
