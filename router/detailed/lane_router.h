#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/run_control.h"
#include "router/detailed/lane_ends.h"
#include "router/detailed/maze.h"
#include "router/detailed/track_loads.h"
#include "router/detailed/track_search.h"

namespace waferloom::router {

/// A lane on its path.
struct LanePath {
  LaneTask task;
  std::size_t tensor = 0;
  float part{};  ///< of the target that it fills an open link by
  std::vector<PathLeg> legs{};
  std::int64_t colour = 0;
};

/// What the busiest link needs of a sample's time, in picoseconds.
double busiest_of(const std::vector<LanePath>& lanes, const Mesh& mesh);

struct LaneRouterOptions {
  std::int64_t passes = 8;
  double target_ps = 0;  ///< above 0: what links should need of a sample's time at most
  double enough_ps = 0;  ///< links that need less do not matter
  double bound_ps = 0;   ///< which no routes get below
  /// Ends the search early; before all lanes have a path, RunCut is thrown.
  RunControl control = {};
};

/// Detailed routing of lanes by negotiated congestion: every lane takes the path that is cheapest
/// beside the others; then, in passes, those through links that are too full are taken up and laid
/// again, on cheap tracks or, where these do not help, through a maze.
class LaneRouter {
 public:
  /// `room` is how many lanes may cross each tile, by tile, at least 1.
  LaneRouter(const CellGrid& grid, const Mesh& mesh, const std::vector<float>& room,
             const LaneRouterOptions& options);

  /// Gives every lane a path, the best that were met. Answers the first that has none, or -1.
  std::ptrdiff_t route(std::vector<LanePath>& lanes);

  /// Another path for a lane that takes no tile with one of some bits, near its ends or, if it may
  /// go far, anywhere; false, and nothing is changed, if there is none.
  bool reroute_around(LanePath& lane, const std::vector<std::uint64_t>& blocked, std::uint64_t bits,
                      bool far);
  /// Of some bits of tiles those that leave a way for a lane around the tiles that have them.
  std::uint64_t open_bits(const LanePath& lane, const std::vector<std::uint64_t>& blocked,
                          std::uint64_t bits) {
    return maze_.open_bits(lane.task.from.tile, lane.task.to.tile, blocked, bits);
  }
  /// Throws RunCut once the run is cut.
  void end_if_cut() const { options_.control.end_if_cut(); }
  /// Tiles that mazes have reached so far.
  std::int64_t maze_reached() const { return maze_.reached(); }

 private:
  bool lay(LanePath& lane, bool through_maze);
  void keep_best(const std::vector<LanePath>& lanes);
  /// As busiest_of, without setting all links of a wafer to 0.
  double busiest_ps(const std::vector<LanePath>& lanes);

  const Mesh& mesh_;
  const LaneRouterOptions& options_;
  TrackLoads loads_;
  TrackSearch tracks_;
  Maze maze_;
  std::vector<std::int64_t> link_bytes_;  // all 0 but while the busiest is sought
  double best_ps_ = 0;
  std::vector<std::vector<PathLeg>> best_;
};

}  // namespace waferloom::router
