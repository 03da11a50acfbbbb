#pragma once

#include "cli/options.h"
#include "cli/progress.h"
#include "optimize/run_control.h"

namespace waferloom {

/// What a search may do under these options, stopped by signals, telling `progress`, which has to
/// live longer.
RunControl search_control(const CommonOptions& options, Progress& progress);

}  // namespace waferloom
