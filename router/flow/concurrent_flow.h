#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "router/flow/cell_grid.h"

namespace waferloom::router {

/// A part of a commodity's flow: the cells that it goes through, from an end to the other.
struct FlowPath {
  std::vector<CellIndex> cells;
  double share = 0;  ///< of the commodity's bytes
};

/// Bytes of a sample from any of some cells to any of some others.
struct Commodity {
  std::vector<CellIndex> from;
  std::vector<CellIndex> to;
  std::int64_t bytes = 0;
  std::int64_t lanes = 1;  ///< that will carry them
};

struct FlowOptions {
  std::int64_t rounds = 24;
  /// Borders that need less of a sample's time do not matter: in picoseconds.
  double enough_ps = 0;
  bool to_the_bound = false;  ///< go on where all borders need less than that
  /// Ends early once true, after a round at least: in the first Stopped is thrown.
  std::function<bool()> stopped = nullptr;
};

struct FlowResult {
  std::vector<std::vector<FlowPath>> paths;  ///< by commodity; shares add up to 1
  double most_ps = 0;                        ///< what a sample needs of the busiest border
  double bound_ps = 0;                       ///< no flow of the whole tensors needs less
  /// By tensor: what of the bound its bytes pay under the prices that prove it.
  std::vector<double> tolls{};
  std::optional<std::size_t> cut_off{};  ///< a commodity whose ends nothing joins
};

/// A fractional flow of commodities on the cells of a mesh that keeps its busiest border short:
/// each round takes a part of every commodity off its paths and puts it on the path that is
/// shortest under prices that grow exponentially with a border's load (multiplicative weights: Garg
/// and Könemann, FOCS 1998; Fleischer, SIAM J. Discrete Math. 2000).
///
/// `tensors` are the same bytes, joined, with all the cells where they may begin and end. Any
/// prices p of borders prove that some border needs Σ bytes · distance(p) / Σ capacity · p of them:
/// the dual bound, of which the greatest met is kept. O(rounds · commodities · cells · log cells).
FlowResult concurrent_flow(const CellGrid& grid, const std::vector<Commodity>& commodities,
                           const std::vector<Commodity>& tensors, const FlowOptions& options);

}  // namespace waferloom::router
