#pragma once

#include <cstdint>

#include "model/workload.h"

namespace waferloom::planner {

/// What takes a network and does not know all that one may have. docs/workloads.md has the table,
/// with those that know everything.
enum class NetworkUser : std::uint8_t { serve, streaming, pipeline, chip_serving };

/// The layer as it is where no token looks beyond its window, which demand_known sees to.
TransformerOperator without_window(TransformerOperator layer);

/// Throws RequestError by the name of the first operator that has a key which is not known; a
/// window that no token of `tokens` (0: an operator's own) looks beyond is no matter.
void demand_known(const Workload& workload, NetworkUser user, std::int64_t tokens = 0);

}  // namespace waferloom::planner
