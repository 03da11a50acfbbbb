#pragma once

#include <string>
#include <vector>

#include "cli/console/warnings.h"
#include "cli/options/options.h"
#include "model/placement.h"
#include "model/problem.h"

namespace waferloom::cli {

/// Larger inputs are refused, so that a device or an endless pipe does not fill the memory.
inline constexpr std::size_t kMaxInputBytes = std::size_t{256} * 1024 * 1024;
/// The same of networks, which may be models that have their weights inside.
inline constexpr std::size_t kMaxModelBytes = std::size_t{1536} * 1024 * 1024;

/// How messages name an input: its path, or "standard input" for "-".
std::string source_name(const std::string& path);

/// The names of files without their folders, between commas; stdin has none.
std::string file_names(const std::vector<std::string>& paths);

/// The bytes of a file, or of stdin for "-". Throws InputError if it cannot be read or is larger
/// than `most`, Failure::time_limit or ::interrupted if those come first.
std::string read_input(const std::string& path, const CommonOptions& options,
                       std::size_t most = kMaxInputBytes);
/// Throws InputError, as read_input does, for a file that was read with a larger limit.
void check_input_size(const std::string& path, std::size_t bytes,
                      std::size_t most = kMaxInputBytes);

/// The files that a problem is made of; no wafer and no constraints where they are empty.
struct ProblemFiles {
  std::string graph;        ///< the case
  std::string wafer;        ///< in place of the case's
  std::string constraints;  ///< fixed kernels and regions
  /// The paths that are there.
  std::vector<std::string> paths() const;
};

/// --wafer and --constraints.
Options<ProblemFiles> problem_file_options();

/// What messages call a case: its file, or the name that it has itself where it came over stdin.
std::string case_title(const Problem& problem, const std::string& path);

/// Throws Failure::usage if more than one of the paths is "-".
void check_one_stdin(const std::vector<std::string>& paths);

/// Reads a case and what goes with it; InputError for what is wrong in it.
Problem read_problem(const ProblemFiles& files, const CommonOptions& options, Warnings& warnings);

/// Reads and parses; InputError for what is wrong in it.
Problem read_case(const std::string& path, const CommonOptions& options, Warnings& warnings);
Solution read_solution_file(const std::string& path, const CommonOptions& options);

}  // namespace waferloom::cli
