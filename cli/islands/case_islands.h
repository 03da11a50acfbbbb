#pragma once

#include "cli/console/progress.h"
#include "cli/islands/island_request.h"
#include "cli/options/options.h"
#include "optimize/case_islands.h"

namespace waferloom::cli {

/// Optimises a case by islands, on the engine that the request names.
optimize::OptimizedCase optimize_by_islands(const optimize::CaseJob& job,
                                            const optimize::SearchControl& control,
                                            const IslandRequest& request,
                                            const CommonOptions& common, Progress& progress);

/// Does the task of the request, which names one, and answers the exit code, as place_island_task.
int case_island_task(const optimize::CaseJob& job, const optimize::SearchControl& control,
                     const IslandRequest& request, const CommonOptions& common);

}  // namespace waferloom::cli
