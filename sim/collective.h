#pragma once

#include <cstdint>
#include <vector>

#include "sim/collective_phases.h"
#include "sim/mesh.h"
#include "sim/time.h"

namespace waferloom {

/// Whether flows of one step share what they meet at: links, and the ways of tiles into the mesh
/// and out of it.
enum class Meeting : std::uint8_t { ignored, shares };

/// How long collectives take, phase by phase as macro-flows, over xy routes. Where steps are alike
/// and all tiles take part in each, as in rings, that is what running every step gives; chains that
/// fill and groups that get out of step meet less than it supposes.
class Collective {
 public:
  /// On a mesh of the hardware. Throws std::invalid_argument where a tile is dead, or no way leads
  /// from one to another. O(flows · hops).
  Collective(const Mesh& mesh, const Hardware& hardware, const Phases& phases, Meeting meeting);
  /// How long one of so many bytes takes: of every phase its steps times the longest latency and
  /// the largest share, rounded up to bytes, at the rate that the busiest link leaves it; where it
  /// goes through DRAM ports, their response and the time at the busiest one besides (PALM, Eq. 2,
  /// 5). O(phases).
  Picoseconds time(std::int64_t bytes) const;
  /// How long its first or second half takes, a reduce-scatter or an all-gather: P − 1 steps.
  Picoseconds half_time(std::int64_t bytes) const { return time(bytes) / 2; }

 private:
  struct Step {
    std::int64_t count = 1;
    Share share;                   // the largest
    double bytes_per_ps = 0;       // of that, on the mesh
    double port_bytes_per_ps = 0;  // through ports; infinite without
    Picoseconds latency = 0;       // the longest
  };
  std::vector<Step> steps_;
};

}  // namespace waferloom
