#pragma once

#include <optional>
#include <string>

#include "cluster/sweep_folder.h"

namespace waferloom::cluster {

/// Seconds of a point, the mean of a hundred results; nothing if there is none.
std::optional<double> mean_seconds(const SweepFolder& run);

/// "  12 exit code 2: file.kgraph:3:1: expected …" for each reason of failures with the first
/// message of it by id; empty without failures.
std::string failure_lines(const SweepFolder& run);

}  // namespace waferloom::cluster
