#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/rectangle.h"
#include "model/traffic.h"

namespace waferloom::router {

/// Within so much of the bound nothing is left to gain.
inline constexpr double kNearBound = 1.01;

/// Why no routes keep their busiest link shorter.
struct BoundProof {
  enum class Kind : std::uint8_t {
    none,
    links_out,  ///< those out of some tiles
    links_in,   ///< those into them
    lanes,      ///< of a tensor
    prices,     ///< of borders between cells
  };
  Kind kind = Kind::none;
  Rectangle tiles{};
  std::string tensor{};
};
/// In a few words; empty for none.
std::string proof_text(const BoundProof& proof);

/// What no routes of a traffic can beat.
struct RouteBound {
  double time_ps = 0;  ///< of a sample, of the busiest link
  BoundProof proof{};
  double priced_ps = 0;  ///< what prices of borders between cells prove, no more than time_ps
  /// By tensor: the part of priced_ps that its bytes pay on their cheapest way; they add up to it.
  std::vector<double> tolls{};
  /// By tensor: what a sample needs of the lanes that there may be, at the links' rate.
  std::vector<double> lanes_ps{};
  std::string infeasible{};  ///< why there are no routes: one sentence; empty: there may be
};

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
