#pragma once

#include <cstdint>
#include <utility>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "planner/plan_models.h"

namespace waferloom::planner {

/// Sides of the rectangle of so many tiles that is nearest to a square, the longer one first.
std::pair<std::int64_t, std::int64_t> squarest_sides(std::int64_t tiles);

/// A tile has the achievable part of its peak rate for the plan's data type, its SRAM, and of the
/// memory behind the ports (or of one of its own) rate and room divided by the tiles in use. A
/// tensor group is the rectangle of so many tiles nearest to a square: a ring if it has a
/// Hamiltonian cycle, otherwise a line, which reduces at half the rate (mesh_group). Groups stand
/// side by side: all T tiles of one send over the links of its shorter side, in different groups of
/// the hardware over those between them. Tiles that are joined by switches are behind a switch each
/// way. Where nothing limits a rate, it is 10^24 bytes/s. Throws RequestError if the
/// hardware has no peak rate of the data type. Ports count as far as they live. O(sqrt T + ports).
TilesAsChips tiles_as_chips(const Hardware& hardware, const Living& living, const Plan& plan);

}  // namespace waferloom::planner
