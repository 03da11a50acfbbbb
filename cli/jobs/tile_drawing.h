#pragma once

#include "cli/summaries/tile_summary.h"
#include "viz/tile_picture.h"

namespace waferloom::cli {

/// The picture of `model tile`: the algorithms' cycles, and who sends words to whom on a rectangle
/// of at most four rows and columns (eight on a line).
viz::TilePicture tile_picture(const TileJob& job, const planner::TileFindings& found,
                              const Hardware& hardware);

}  // namespace waferloom::cli
