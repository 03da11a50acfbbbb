#pragma once

#include <cstdint>

#include "model/report.h"

namespace waferloom::sim {

/// How much of a wafer a plan uses. Shares of peak are the operations that the network's samples
/// need, a second (what is computed again does not count), over the peak rate of the data type, not
/// its achievable part: the model FLOP utilisation of PaLM (Chowdhery et al., 2022, B).
struct TileUse {
  std::int64_t plan_tiles = 0;
  std::int64_t wafer_tiles = 0;    ///< that are not dead
  double peak_share_of_plan = 0;   ///< 0 to 1, of the plan's tiles
  double peak_share_of_wafer = 0;  ///< 0 to 1, of all that are not dead
};

/// With the share of the wafer's tiles.
Json tile_use_json(const TileUse& use);

}  // namespace waferloom::sim
