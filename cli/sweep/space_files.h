#pragma once

#include <map>
#include <string>

#include "cli/options/arguments.h"
#include "sweep/points.h"
#include "sweep/space.h"

namespace waferloom::cli {

/// A space whose axes are options and operands of its command, and the files that they name.
struct ResolvedSpace {
  const Command* command = nullptr;
  sweep::PointSpace points;
  /// What the run folder keeps, by name: "inputs/2cf24dba5fb0a30e/A.kgraph".
  std::map<std::string, std::string> inputs;
  /// The most that is known of repeats: false where a time limit rules the search.
  bool repeatable = true;
};

/// Holds every axis against the options of the command that `command_named` finds, reads the files
/// that values name (relative to `folder`), and makes hardware with keys of its own. Throws
/// InputError with the place in the space for a command that cannot be swept, an unknown axis, a
/// value that the option does not take, a file that is not there, a key that hardware does not
/// have, two files with the same content.
ResolvedSpace resolve_space(const sweep::Space& space, const std::string& folder,
                            const CommonOptions& options, CommandByName command_named);

}  // namespace waferloom::cli
