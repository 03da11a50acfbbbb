#pragma once

#include <cstddef>
#include <vector>

#include "model/hardware.h"
#include "model/routes.h"
#include "model/traffic.h"

namespace waferloom::router {

/// A traffic where what may choose among ports of limited rates is cut into tensors of one port.
struct PortParts {
  Traffic traffic;
  std::vector<std::size_t> whole_of;  ///< by tensor of `traffic`, place in the original's
  bool has_choice = false;            ///< whether anything was to be chosen
};

/// Chooses ports such that no port is busy for longer than it has to be, or than half of what a
/// sample takes anyway, that nothing takes more of a port than `uneven` (at least 1) times what it
/// would if all its ports were used alike, and that bytes × hops are few: a minimum cost flow from
/// tensors to ports (successive shortest paths, Boost.Graph), in units of a 4,096th of all bytes.
/// Used alike, all ports serve whoever is the only one to move something, at the start of a batch
/// and at its end; uneven, ways are shorter. Tensors of one store go through the same ports in the
/// same parts, by what they move in the direction in which more moves in all. Tensors whose ports
/// have no rate of their own, or that have no choice, are left as they are.
/// O(units · stores · ports).
PortParts part_by_ports(const Traffic& traffic, double uneven);

/// The routes of the original tensors from those of their parts.
Routes joined(const Routes& parts, const PortParts& cut, const Traffic& original);

}  // namespace waferloom::router
