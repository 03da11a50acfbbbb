#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "model/report.h"
#include "model/run_control.h"
#include "sim/collective.h"
#include "sim/collective/collective_phases.h"
#include "sim/time.h"

namespace waferloom::sim {

/// Groups whose tiles send one another equal parts in each of some steps.
struct ExchangeGroups {
  std::vector<TileGroup> groups;
  std::int64_t steps = 1;
};

/// The time of a collective, phase by phase as macro-flows, over xy routes. If steps are equal and
/// all tiles take part in each, as in rings, running every step takes the same time. In chains that
/// fill, and in groups that get out of step, there is less contention than this model assumes.
class Collective {
 public:
  /// `count` equal collectives run at once on a mesh of the hardware. Throws RequestError if a tile
  /// is dead, or if no route joins two tiles; RunCut. O(flows · hops).
  Collective(const Mesh& mesh, const Hardware& hardware, const Phases& phases,
             Contention contention, std::int64_t count = 1, const RunControl& control = {});
  /// The tiles of each group send one another equal parts, those of all groups at once, `steps`
  /// times: what direct_phases make of them, without a flow for each pair. Groups have equally many
  /// tiles, and routes stay inside the rectangle around all of them; of switched hardware no tile
  /// is dead. O(tiles) of groups that fill grids of rows and columns, and of that rectangle.
  Collective(const Mesh& mesh, const Hardware& hardware, const ExchangeGroups& exchange,
             Contention contention);
  /// The time of a collective of `bytes`. A step takes the longest latency, and the largest share,
  /// rounded up to bytes, at the rate that the busiest link leaves to it. A phase takes its steps
  /// times that. DRAM ports add their response and their time (PALM, Eqs. 2 and 5). When flows
  /// share a port, the port serves a flow while the mesh moves another. A step in which chains fill
  /// takes the time of an average flow alone. O(phases).
  Picoseconds time(std::int64_t bytes) const;
  /// The time of half of an all-reduce: a reduce-scatter or an all-gather, P − 1 steps.
  Picoseconds half_time(std::int64_t bytes) const { return time(bytes) / 2; }
  /// What the time is made of, "link", "dram" and "latency", one after another: they add up to it.
  /// Links and ports are named by those of the phase in which they take longest; not named without
  /// contention. O(phases).
  std::vector<NamedBound> parts(const Mesh& mesh, std::int64_t bytes) const;

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;
  /// Rates of the largest share in bytes a picosecond, infinite without limit.
  struct Rates {
    double mesh;
    double port;
  };
  struct Step {
    std::int64_t count;
    Share share;  // the largest
    Rates alone;
    Rates met;            // with contention
    Picoseconds latency;  // the longest
    // What leaves least to the largest share, as Loads counts places; of links and ways of tiles,
    // and of ports.
    std::size_t link = kNowhere;
    std::size_t port = kNowhere;
    // Steps in which chains fill, and the average rate and latency of a flow in such a step.
    std::int64_t filling = 0;
    double filling_rate = 0;  // of the largest share, in bytes a picosecond
    Picoseconds filling_latency = 0;
  };
  /// What a phase takes.
  struct PhaseTime {
    Picoseconds links = 0;
    Picoseconds ports = 0;
    Picoseconds latency = 0;
  };
  static PhaseTime time_of(const Step& step, std::int64_t bytes);

  std::vector<Step> steps_;
};

}  // namespace waferloom::sim
