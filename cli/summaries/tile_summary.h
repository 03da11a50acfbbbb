#pragma once

#include <string>

#include "planner/tile_operators.h"

namespace waferloom::cli {

/// A row an algorithm: cycles and where they go, links, colours, memory, and the words that moved.
std::string tile_summary(const TileJob& job, const planner::TileFindings& found,
                         const planner::TileInside& inside, const Hardware& hardware);

}  // namespace waferloom::cli
