#pragma once

#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "sim/collective/collective_phases.h"
#include "sim/time.h"

namespace waferloom::sim {

/// Whether flows of one step share what they meet at: links, and the ways of tiles into the mesh
/// and out of it.
enum class Contention : std::uint8_t { ignored, simulated };

/// How long collectives take, phase by phase as macro-flows, over xy routes. Where steps are alike
/// and all tiles take part in each, as in rings, that is what running every step gives; chains that
/// fill and groups that get out of step meet less than it supposes.
class Collective {
 public:
  /// On a mesh of the hardware, `count` of them alike at once. Throws RequestError where a
  /// tile is dead, or no way leads from one to another. O(flows · hops).
  Collective(const Mesh& mesh, const Hardware& hardware, const Phases& phases,
             Contention contention, std::int64_t count = 1);
  /// How long one of so many bytes takes: of every phase its steps times the longest latency and
  /// the largest share, rounded up to bytes, at the rate that the busiest link leaves it. Through
  /// DRAM ports the response and the port's time come besides (PALM, Eq. 2, 5); of those that meet,
  /// ports serve one while the mesh moves another. Steps in which chains fill take as long as an
  /// average flow alone. O(phases).
  Picoseconds time(std::int64_t bytes) const;
  /// How long its first or second half takes, a reduce-scatter or an all-gather: P − 1 steps.
  Picoseconds half_time(std::int64_t bytes) const { return time(bytes) / 2; }

 private:
  /// Rates of the largest share in bytes a picosecond, infinite without limit.
  struct Rates {
    double mesh;
    double port;
  };
  struct Step {
    std::int64_t count;
    Share share;  // the largest
    Rates alone;
    Rates met;            // with those that it meets
    Picoseconds latency;  // the longest
    // Steps in which chains fill, and what a flow takes in one on average.
    std::int64_t filling = 0;
    double filling_rate = 0;  // of the largest share, in bytes a picosecond
    Picoseconds filling_latency = 0;
  };
  std::vector<Step> steps_;
};

}  // namespace waferloom::sim
