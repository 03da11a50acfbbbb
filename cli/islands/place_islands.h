#pragma once

#include "cli/console/progress.h"
#include "cli/islands/island_request.h"
#include "cli/options/options.h"
#include "optimize/placer_run.h"

namespace waferloom::cli {

/// Places by islands, on the engine that the request names.
optimize::PlacerOutcome place_by_islands(const optimize::PlacerRun& run,
                                         const optimize::SearchControl& control,
                                         const IslandRequest& request, const CommonOptions& common,
                                         Progress& progress);

/// Does the task of the request, which names one, and answers the exit code: 0 also where there is
/// nothing to do any more. After a signal nothing is written.
int place_island_task(const optimize::PlacerRun& run, const optimize::SearchControl& control,
                      const IslandRequest& request, const CommonOptions& common);

}  // namespace waferloom::cli
