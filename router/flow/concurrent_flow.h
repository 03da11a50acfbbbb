#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/run_control.h"
#include "router/flow/cell_grid.h"

namespace waferloom::router {

/// A part of a commodity's flow, and the cells that it goes through, from end to end.
struct FlowPath {
  std::vector<CellIndex> cells;
  double share = 0;  ///< of the commodity's bytes
};

/// Bytes of a sample that go from any cell of `from` to any cell of `to`.
struct Commodity {
  std::vector<CellIndex> from;
  std::vector<CellIndex> to;
  std::int64_t bytes = 0;
  std::int64_t lanes = 1;  ///< that will carry the bytes
};

struct FlowOptions {
  std::int64_t rounds = 24;
  /// The search may end when no border needs more than this time for a sample, in picoseconds.
  double enough_ps = 0;
  bool to_the_bound = false;  ///< go on below enough_ps, to the bound
  /// Ends the search early. At least a round is played: during the first round RunCut is thrown.
  RunControl control = {};
};

struct FlowResult {
  std::vector<std::vector<FlowPath>> paths;  ///< by commodity; shares add up to 1
  double most_ps = 0;                        ///< time of a sample on the busiest border
  double bound_ps = 0;                       ///< no flow of the whole tensors needs less
  /// By tensor: the part of the bound that its bytes pay at the prices that prove it.
  std::vector<double> tolls{};
  std::optional<std::size_t> cut_off{};  ///< a commodity whose ends no path joins
};

/// A fractional flow of commodities on the cells of a mesh. It keeps the time of the busiest border
/// short. Each round takes a part of every commodity off its paths. It puts that part on the path
/// that is shortest at prices that grow exponentially with a border's load (multiplicative weights:
/// Garg and Könemann, FOCS 1998; Fleischer, SIAM J. Discrete Math. 2000).
///
/// `tensors` are the same bytes by whole tensor, with all cells where a tensor may begin and end.
/// Any prices p of borders prove that some border needs at least the time
/// Σ bytes · distance(p) / Σ capacity · p. The greatest of these dual bounds is kept.
/// O(rounds · commodities · cells · log cells).
FlowResult concurrent_flow(const CellGrid& grid, const std::vector<Commodity>& commodities,
                           const std::vector<Commodity>& tensors, const FlowOptions& options);

}  // namespace waferloom::router
