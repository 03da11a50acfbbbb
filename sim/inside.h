#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/tile_job.h"
#include "model/message_set.h"
#include "model/run_control.h"

namespace waferloom::sim {

/// Tiles of a rectangle whose words are moved one by one.
inline constexpr std::int64_t kMostInsideTiles = 1'024;
inline constexpr std::size_t kMostInsideMessages = 1'000'000;

/// The very words of an operator on its rectangle, by one of its algorithms (TileChoice), as
/// messages on the fabric: who sends what to whom, after what. Products of tiles are delays. What
/// programs take for their steps is left out, so the makespan stands beside the cost on
/// `fabric.without_program()`. An operator without words of its own is one delay a tile. Throws
/// RequestError for a rectangle of more than kMostInsideTiles tiles or more than
/// kMostInsideMessages messages, and for a shift beyond the rectangle.
MessageSet operator_messages(const TileJob& job, const std::string& algorithm,
                             const TileFabric& fabric);

/// Cycles until the last message has arrived, on the network `packet`. Nothing if the run was cut.
/// Throws as operator_messages.
std::optional<std::int64_t> inside_cycles(const TileJob& job, const std::string& algorithm,
                                          const TileFabric& fabric, const RunControl& control = {});

}  // namespace waferloom::sim
