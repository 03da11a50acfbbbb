#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routes.h"
#include "router/detailed/lane_router.h"

namespace waferloom::router {

/// Moves bytes of tensors from lanes on busy links to their other lanes, so that the busiest link
/// needs less of a sample's time: a lane that has to share a link, or meets a slow one, carries
/// less. Paths stay, and a lane leaves and arrives at the rate of a tile's ramp, as an adapter
/// feeds it, too. Each round, tensor by tensor, a lane's bytes shrink with the root of what the
/// busiest link of its path needs; the best round is kept. `lanes` are tensor by tensor; each keeps
/// at least a byte. Deterministic. O(rounds · hops).
void balance_lane_bytes(std::vector<LanePath>& lanes, const Traffic& traffic,
                        const Hardware& hardware, const Mesh& mesh, std::int64_t rounds);

}  // namespace waferloom::router
