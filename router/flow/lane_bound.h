#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/mesh.h"
#include "model/traffic.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

struct LaneBound {
  std::optional<std::size_t> tensor{};  ///< whose lanes prove it; nothing: none do
  double time_ps = 0;                   ///< of a sample
};

/// What lanes that are not split prove that some link needs of a sample's time. The best lane of a
/// tensor goes at the rate r of the slowest link of its widest path, and no more than m lanes do at
/// once, m the greatest flow of lanes over links of that rate (Menger: ways without a common link);
/// the others meet a link of the next lower rate, s. So links need at least bytes / (m · r + (lanes
/// - m) · s). Tensors with a tile that is both a beginning and an end need no link. `ends` are by
/// tensor. O(links · rates), and O(links) for each length of ways of each tensor that might raise
/// the bound by a hundredth (kNearBound), as long as that is some 10^7 together.
LaneBound lane_bound(const Traffic& traffic, const std::vector<TensorEnds>& ends, const Mesh& mesh);

}  // namespace waferloom::router
