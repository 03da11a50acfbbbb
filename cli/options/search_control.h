#pragma once

#include "cli/console/progress.h"
#include "cli/options/options.h"
#include "optimize/run_control.h"

namespace waferloom::cli {

/// What a run may do under these options, without anybody to tell.
optimize::RunControl search_control(const CommonOptions& options);
/// What a search may do under these options, stopped by signals, telling `progress`, which has to
/// live longer.
optimize::RunControl search_control(const CommonOptions& options, Progress& progress);

}  // namespace waferloom::cli
