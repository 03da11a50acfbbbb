#pragma once

#include <cstddef>
#include <vector>

#include "model/hardware.h"
#include "model/routes.h"

namespace waferloom::router {

/// A traffic in which each tensor with a choice of rated ports is cut into parts, a port each.
struct PortParts {
  Traffic traffic;
  std::vector<std::size_t> whole_of;  ///< by tensor of `traffic`: index of the original tensor
  bool has_choice = false;            ///< whether any tensor had a choice
};

/// Whether a tensor, or the store that it belongs to, has rated ports to choose from.
bool is_parted(const TrafficTensor& tensor, const Traffic& traffic);

/// Chooses ports by a minimum cost flow from stores of tensors to ports (successive shortest paths,
/// Boost.Graph), in units of a 4,096th of all bytes, or smaller with many stores:
/// - No port is busy for longer than necessary, or than half of the period.
/// - No store gives a port more than `uneven` (at least 1) times its even part.
/// - Bytes × hops are as few as possible.
///
/// With `uneven` 1 all ports of a store are used evenly. That helps a store that moves data alone,
/// at the start and the end of a batch. With a larger value ways are shorter. Tensors of the same
/// store go through the same ports in the same parts; a store counts by its bytes in the direction
/// in which more moves in all. Tensors without a choice, and tensors whose ports have no rate, are
/// left as they are. O(units · stores · ports).
PortParts part_by_ports(const Traffic& traffic, double uneven);

/// The routes of the original tensors from those of their parts.
Routes joined(const Routes& parts, const PortParts& cut, const Traffic& original);

}  // namespace waferloom::router
