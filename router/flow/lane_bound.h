#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/mesh.h"
#include "model/routes.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

struct LaneBound {
  std::optional<std::size_t> tensor{};  ///< whose lanes prove it; nothing: none do
  double time_ps = 0;                   ///< of a sample
};

/// A lower bound on the time that the busiest link needs for a sample, from lanes that cannot be
/// split. A tensor's best lane goes at the rate r of the slowest link on its widest path. At most m
/// lanes go at that rate at once, where m is the greatest flow of lanes over links of that rate
/// (Menger: paths without a common link). Every other lane meets a link of the next lower rate s.
/// So links need at least bytes / (m · r + (lanes - m) · s). A tensor with a tile that is both a
/// beginning and an end needs no link. `ends` are by tensor. A bound of `above_ps` or less is not
/// looked for. O(links · rates), and O(links) for each length of ways of each tensor that might
/// raise the bound by a hundredth (kNearBound), as long as that is some 10^7 together.
LaneBound lane_bound(const Traffic& traffic, const std::vector<TensorEnds>& ends, const Mesh& mesh,
                     double above_ps = 0);

}  // namespace waferloom::router
