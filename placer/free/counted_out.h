#pragma once

#include <cstdint>
#include <optional>

#include "placer/free/confined_kernels.h"
#include "placer/place_result.h"

namespace waferloom::placer {

/// Why the kernels that have to lie in a room do not fit it together: after a pair of dual feasible
/// functions (packing_count.h) their least areas are more than the room's. `work` grows by the
/// shapes looked at; beyond `most_work` nothing more is tried.
std::optional<Infeasible> counted_out(const ConfinedKernels& all, const Room& room,
                                      std::uint64_t most_work, std::uint64_t& work);

}  // namespace waferloom::placer
