#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "placer/gigaplacer/time/time_estimate.h"

namespace waferloom::placer {

/// Binary search on compute time (GigaPlacer 3.1): the least time in [1, largest] for which
/// `achievable` is true; nothing if it is false even for `largest`, which is the time of the
/// slowest kernel on a single tile row. Demands that achievable never turns false as time grows.
/// `start` is where the search begins; it is widened by doubling until it holds the answer, so the
/// result never depends on it. O(log(largest)) calls, few if the start is good. (least_time of
/// shape_library.h is plain bisection of an interval that is known to hold the answer.)
std::optional<std::int64_t> least_achievable_time(
    const std::function<bool(std::int64_t)>& achievable, const TimeInterval& start,
    std::int64_t largest);

}  // namespace waferloom::placer
