#pragma once

#include <vector>

#include "router/detailed/lane_ends.h"
#include "router/detailed/track_loads.h"

namespace waferloom::router {

/// A way of a lane and what it costs on the tracks.
struct TrackPath {
  std::vector<PathLeg> legs;
  double cost = 0;
};

/// Finds paths of lanes on the cheapest tracks.
class TrackSearch {
 public:
  TrackSearch(const CellGrid& grid, const TrackLoads& loads) : grid_(grid), loads_(loads) {}

  /// The cheapest path that turns where the lane's guide does, each straight run on a track of its
  /// own in the cells of the guide, by dynamic programming over the runs: O(hops · cell's side).
  /// Or, if that is cheaper, one with at most two turns, of which a few are tried.
  TrackPath cheapest(const LaneTask& lane, float part);

 private:
  struct Run {
    Direction direction = Direction::east;
    std::int64_t first_track = 0;  // [first, last): rows of a run along x, else columns
    std::int64_t last_track = 0;
    std::int64_t low = 0;  // tiles along the run that its cells have: [low, high)
    std::int64_t high = 0;
  };
  std::vector<Run> runs_of(const LaneTask& lane) const;
  void follow(const LaneTask& lane, const std::vector<Run>& runs, float part, TrackPath& best);
  void try_turns(const LaneTask& lane, float part, bool x_first, TrackPath& best);

  const CellGrid& grid_;
  const TrackLoads& loads_;
  std::vector<std::vector<std::vector<float>>> sums_;  // by run and track
  std::vector<std::vector<double>> least_;             // likewise
  std::vector<std::vector<std::size_t>> before_;       // likewise: the track of the run before
  std::vector<float> near_;
  std::vector<float> far_;
};

/// A path through turning points: straight pieces from each to the next.
std::vector<PathLeg> legs_through(const std::vector<TilePlace>& points);

}  // namespace waferloom::router
