#pragma once

#include <string>

#include "planner/tile_operators.h"

namespace waferloom::cli {

/// A row an algorithm: cycles and where they go, links, colours, memory.
std::string tile_summary(const planner::TileJob& job, const planner::TileFindings& found,
                         const Hardware& hardware);

}  // namespace waferloom::cli
