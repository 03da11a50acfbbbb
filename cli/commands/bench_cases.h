#pragma once

#include <string>
#include <vector>

#include "benchmarks_ispd2020/case_options.h"
#include "cli/console/warnings.h"
#include "cli/options/options.h"
#include "optimize/bench.h"

namespace waferloom::cli {

/// The names among `known` that `given` holds, in upper or lower case, one or several between
/// commas or blanks in each. Failure::usage with a suggestion if one is not known; `what` names the
/// option or operand.
std::vector<std::string> case_names_of(const std::vector<std::string>& given,
                                       const std::string& what,
                                       const std::vector<std::string>& known);

/// The contest's cases, generated in memory: those that `given`, the operand or option `what`,
/// names, or all if it is empty.
std::vector<optimize::BenchCase> contest_bench_cases(const std::string& what,
                                                     const std::vector<std::string>& given);

/// The fixed table of generated cases, or those of it that are small, as --generated says,
/// likewise.
std::vector<optimize::BenchCase> generated_bench_cases(ispd2020::GeneratedTable table,
                                                       const std::string& what,
                                                       const std::vector<std::string>& given);

/// The .kgraph files of a folder by name, likewise. A case has published totals where it bears a
/// contest case's name and is that case by header, weights and kernels. A file that cannot be
/// placed is a case with its fault.
std::vector<optimize::BenchCase> folder_bench_cases(const std::string& folder,
                                                    const std::vector<std::string>& given,
                                                    const CommonOptions& options,
                                                    Warnings& warnings);

}  // namespace waferloom::cli
