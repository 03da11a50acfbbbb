#pragma once

#include <cstdint>
#include <optional>

#include "model/bottleneck.h"
#include "model/plan.h"
#include "model/run_control.h"
#include "sim/network_kind.h"

namespace waferloom::sim {

/// What came of passes through regions.
struct ResidentTimes {
  std::int64_t first_cycles = 0;  ///< until the first group's first token is out
  std::int64_t pass_cycles = 0;   ///< from one token of a request to its next, settled
  std::int64_t move_cycles = 0;   ///< of these, vectors on their way between regions, first group
  std::int64_t busiest_link_words = 0;
  std::uint64_t events = 0;
  bool stopped = false;
};

/// What bounds the time from a request's token to its next at a clock: all regions and the ends one
/// behind the other, the slowest region for all groups, or vectors between regions.
std::optional<Bottleneck> resident_bottleneck(const ResidentPass& pass, const ResidentTimes& times,
                                              double clock_hz);

/// Runs passes of all groups one behind the other on a network. A region works for one group at a
/// time, and between two groups for an embedding and a head, which use all tiles. Its vectors leave
/// by a lane a row, each to the far end of the next region's row. Three passes are run; the period
/// is that of the last. Throws RequestError as run_messages.
ResidentTimes run_resident_pass(const ResidentPass& pass, NetworkKind network,
                                const RunControl& control = {});

}  // namespace waferloom::sim
