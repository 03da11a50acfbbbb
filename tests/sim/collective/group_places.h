#pragma once

#include <cstdint>
#include <utility>

#include "sim/tile_groups.h"

namespace waferloom::sim {

/// Groups of the mesh in which hierarchical collectives reduce first.
inline constexpr Grouping kGroups{4, 4};

/// A tile as a key.
using Place = std::pair<std::int64_t, std::int64_t>;

}  // namespace waferloom::sim
