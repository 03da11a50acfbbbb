#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/tile_operators.h"

namespace waferloom::cli {

/// Cycles of an algorithm if programs cost nothing: in closed form, and as the words moved.
struct MovedWords {
  double closed_form = 0;
  std::int64_t moved = 0;
};
using TileInside = std::vector<MovedWords>;  ///< by place in the choices; empty: not asked for

/// A row an algorithm: cycles and where they go, links, colours, memory, and the words that moved.
std::string tile_summary(const TileJob& job, const planner::TileFindings& found,
                         const TileInside& inside, const Hardware& hardware);

}  // namespace waferloom::cli
