#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routes.h"
#include "router/flow/cell_grid.h"
#include "router/flow/concurrent_flow.h"
#include "router/flow/tensor_ends.h"
#include "router/route_result.h"

namespace waferloom::router {

/// The target for the time of a link or a tile's way, as a share of the slowest stage's time. It
/// leaves room for tensors that use it at the same moment.
inline constexpr double kEasy = 0.5;

/// Throws RequestError for a block that is not within the hardware's mesh.
void demand_on_mesh(const Traffic& traffic, const Hardware& hardware);

/// What no routes of a traffic can beat (docs/router.md, "The bound"): first the tensors' ends,
/// then what these prove by cuts and lanes, then what prices of a flow prove on top.
class Relaxation {
 public:
  /// Both have to live longer. Cells have at most `cell` tiles a side, more on wide meshes.
  Relaxation(const Traffic& traffic, const Hardware& hardware, std::int64_t cell);

  const Mesh& mesh() const { return mesh_; }
  /// The same mesh, where all links have a limit.
  const Mesh& limited() const { return limited_; }
  const CellGrid& grid() const { return grid_; }

  /// How many lanes tensors want: so many that each needs little of the slowest stage's time, or as
  /// many as there may be.
  enum class Lanes : std::uint8_t { enough, most };
  /// Finds the ends of all tensors. Answers the first tensor that has none.
  std::optional<std::size_t> find_ends(Lanes lanes);
  /// The same with all the ends that find_ends may choose, so that what is proved holds for each.
  std::optional<std::size_t> find_possible_ends();
  const std::vector<TensorEnds>& ends() const { return ends_; }
  /// Why there is no way for a tensor: one sentence.
  std::string cut_off_text(std::size_t tensor) const;

  /// What ends alone prove.
  void find_bound();
  /// The same of these sides if tensors might have so many lanes.
  void bound_more_lanes(std::int64_t lanes_max);
  /// Raises the bound to that of a flow of whole_tensors().
  void raise(const FlowResult& flow);
  /// The tensors with all cells where they may begin and end.
  std::vector<Commodity> whole_tensors() const;

  /// The same cut at the cells of their shorter end, so that a flow of them is spread from the
  /// first round on.
  std::vector<Commodity> parts_of_tensors() const;

  const RouteBound& bound() const { return bound_; }

 private:
  double lane_ps(const TrafficTensor& tensor) const;
  std::vector<CellIndex> cells_of(const TensorEnd& end) const;
  /// One of the mesh where all links have a limit.
  void raise_limited(double bound_ps, const BoundProof& proof);
  void raise(double bound_ps, const BoundProof& proof);

  const Traffic& traffic_;
  const Hardware& hardware_;
  Mesh mesh_;
  Mesh limited_;
  LiveParts parts_;
  CellGrid grid_;
  std::vector<TensorEnds> ends_;  // by tensor
  RouteBound bound_;
};

}  // namespace waferloom::router
