#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/sweep_folder.h"
#include "model/option_spec.h"
#include "sweep/points.h"
#include "sweep/space.h"

namespace waferloom::cluster {

/// A command as sweeps see it.
struct SweptCommand {
  struct Operand {
    std::string name;
    bool required = true;
  };

  std::string name{};
  std::vector<Operand> operands{};
  std::vector<OptionSpec> options{};    ///< that may be axes: its own inputs, then common ones
  std::vector<std::string> outputs{};   ///< options that it needs, whose files nobody reads
  std::optional<std::string> effort{};  ///< the default of --effort; nothing without that option
  std::vector<std::string> networks{};  ///< names that its workload may have besides the presets
};

/// A space whose axes are options and operands of its command, and the files that they name.
struct ResolvedSpace {
  sweep::PointSpace points;
  /// What the run folder keeps, by name: "inputs/2cf24dba5fb0a30e/A.kgraph".
  std::map<std::string, std::string> inputs;
  /// The most that is known of repeats: false where a time limit rules the search.
  bool repeatable = true;
};

/// Holds every axis against the options of the space's command, which is among `commands`, reads
/// the files that values name (relative to `folder`), and makes hardware with keys of its own.
/// Throws InputError with the place in the space for a command that cannot be swept, an unknown
/// axis, a value that the option does not take, a file that is not there, a key that hardware does
/// not have, two files with the same content.
ResolvedSpace resolve_space(const sweep::Space& space, const std::vector<SweptCommand>& commands,
                            const std::string& folder, const RunReader& reader);

}  // namespace waferloom::cluster
