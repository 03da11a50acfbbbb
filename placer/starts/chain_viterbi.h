#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/int128.h"
#include "placer/ports/port_matching.h"
#include "placer/ports/port_options.h"

namespace waferloom::placer {

/// What a chain pays for, in any common unit; all non-negative.
struct ChainPrices {
  Price half_tile = 0;  ///< a unit of Score::half_distance: wlength
  Price mismatch = 0;   ///< an adapter mismatch: wadapter
  /// Further half tiles' price of every kernel's thin side, and the price of a tile of its area:
  /// multipliers for a row that must not grow too long and for a wafer that is nearly full.
  Price thin = 0;
  Price area = 0;
};

/// The cheapest executions of a chain laid out in one row, each kernel with its thin side along
/// it and centred, so that each edge is half the sum of two thin sides long, and half a tile more
/// where one long side is odd and the other even.
struct ChainPlan {
  Price cost = 0;                     ///< in the prices' unit, the multipliers' part included
  std::int64_t half_distance = 0;     ///< Σ edges, as in Score
  std::int64_t adapter = 0;           ///< Σ edges mismatches
  std::int64_t row_length = 0;        ///< Σ thin sides, tiles
  std::vector<Execution> executions;  ///< by position in the path
  std::vector<bool> rotated;          ///< whether R90 lays the thin side along x
};

/// Exact minimum, by Viterbi over ports, over all executions at the beginnings of their classes
/// (docs/placer.md, exact chains). Built once for a path and asked at many caps and prices.
/// The path's kernels are distinct; the connections between consecutive ones are all paid, others
/// not looked at. The problem is acyclic.
class ChainViterbi {
 public:
  ChainViterbi(const ShapeLibrary& library, const PortClasses& classes,
               std::vector<KernelIndex> path);

  /// Nothing if some kernel has no execution within time (in 1/time_denominator), memory and
  /// wafer. O(Σ ports) after listing them.
  std::optional<ChainPlan> cheapest(std::int64_t time, const ChainPrices& prices) const;

 private:
  /// The connections between positions i and i + 1.
  struct Link {
    std::int64_t count = 0;
    std::int64_t units = 0;             ///< Σ their weights, in 1/distance_denominator
    EdgeEnd first = EdgeEnd::producer;  ///< which end position i is
  };
  /// The options of one position under a cap, and the cheapest of each port.
  struct Stage {
    PortOptions list;
    std::vector<std::size_t> cheapest;  ///< option, by port
    std::vector<Price> cost;            ///< of the path up to here, by port
  };

  std::vector<Stage> stages(std::int64_t time, const ChainPrices& prices) const;
  MatchPrices match_prices(const Link& link, const ChainPrices& prices) const;
  std::int64_t units_at(std::size_t position) const;
  ChainPlan trace(std::int64_t time, const ChainPrices& prices,
                  const std::vector<Stage>& stages) const;

  const ShapeLibrary* library_;
  const PortClasses* classes_;
  std::vector<KernelIndex> path_;
  std::vector<Link> links_;
};

/// The kernels from end to end if the problem's graph is a single path (directions aside; parallel
/// connections count once), starting at the end with the smaller index; else nothing. O(n + m).
std::optional<std::vector<KernelIndex>> as_chain(const Problem& problem);

}  // namespace waferloom::placer
