#pragma once

#include <cstdint>
#include <optional>

#include "placer/place.h"
#include "placer/shape_library.h"

namespace waferloom {

/// Least T at which every kernel has a shape and the least areas together fit the wafer: no legal
/// placement is faster (docs/placer.md, area bound). Nothing if some kernel fits nowhere.
std::optional<std::int64_t> area_bound(const ShapeLibrary& library);

/// Largest compute time any kernel of the problem can have; every cap above it is the same cap.
std::int64_t slowest_time(const Problem& problem);

/// Why a kernel alone fits nowhere: names it and its nearest miss. Nothing if each fits alone.
std::optional<Infeasible> misfit(const ShapeLibrary& library);

}  // namespace waferloom
