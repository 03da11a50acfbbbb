#pragma once

#include "cli/console/progress.h"
#include "cli/options/options.h"
#include "optimize/run_control.h"

namespace waferloom::cli {

/// What stops a run under these options: signals and the time limit. Nobody is told.
RunControl run_control(const CommonOptions& options);
/// The same, telling `progress`, which has to live longer.
RunControl run_control(const CommonOptions& options, Progress& progress);

/// What a search may do under these options, without anybody to tell.
optimize::SearchControl search_control(const CommonOptions& options);
/// What a search may do under these options, stopped by signals, telling `progress`, which has to
/// live longer.
optimize::SearchControl search_control(const CommonOptions& options, Progress& progress);

}  // namespace waferloom::cli
