#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/problem.h"

namespace waferloom {

/// Reads a contest case (format in docs/formats.md). `source` names it in messages. Header keys
/// that are missing take the defaults of ProblemData. Throws InputError with
/// source:line:column and all bad lines at once where that is cheap (at most 20); never reads
/// beyond `text`, allocates in proportion to it.
/// Header words that no key has but that look like one (`wlenght=5`), which the format takes for
/// prose, are added to `doubts`, at most 20 of them.
Problem read_kgraph(std::string_view text, const std::string& source,
                    std::vector<InputProblem>* doubts = nullptr);

/// Writes the problem in the same form; read_kgraph(write_kgraph(p)) is p.
std::string write_kgraph(const Problem& problem);

}  // namespace waferloom
