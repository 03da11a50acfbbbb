#pragma once

#include <cstdint>
#include <string>

#include "model/hardware.h"
#include "model/routes.h"
#include "router/route_result.h"

namespace waferloom::router {

/// In a few words; empty for none.
std::string proof_text(const BoundProof& proof);

struct RouteBoundOptions {
  std::int64_t rounds = 8;  ///< of the flow; 0: ends, cuts and lanes alone
  std::int64_t cell = 32;   ///< tiles of a cell's side at most
};

/// A bound on the busiest link of all routes of a traffic, without laying lanes: what ends, cuts
/// and lanes prove, and a flow of a few rounds on coarse cells (docs/router.md, "The bound"). No
/// more than the busiest link of any routes whose lanes leave and reach blocks at the sides that
/// the router chooses, as its own do. Throws RequestError for traffic that is not on the
/// mesh. O(tiles + rounds · tensors · cells · log cells).
RouteBound route_bound(const Traffic& traffic, const Hardware& hardware,
                       const RouteBoundOptions& options = {});

}  // namespace waferloom::router
