#pragma once

#include <cstdint>
#include <optional>

#include "placer/place_result.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// The area bound on time (docs/placer.md): no legal placement is faster. It is the least T at
/// which every kernel has a shape and the least areas of all kernels fit the wafer together. With
/// dead tiles a shape has to fit a clear rectangle. `space` is that of the library's problem.
/// Nothing if a kernel fits nowhere. Once `stop` is raised, a smaller bound is returned.
std::optional<std::int64_t> area_bound(const ShapeLibrary& library, const ClearSpace& space,
                                       const RunControl& stop = {});

inline constexpr std::uint64_t kQuickBounds = 6'000'000;
inline constexpr std::uint64_t kThoroughBounds = 60'000'000;

/// All bounds (docs/placer.md has the proofs), the area bound on time being known. Once `stop` is
/// raised smaller ones are good enough. `work` limits the number of options looked at, some 10
/// million a second, the same on every machine; with more the bounds are tighter.
Bounds lower_bounds(const ShapeLibrary& library, std::int64_t least_time, const RunControl& stop,
                    std::uint64_t work = kQuickBounds);
/// The same from nothing; nothing if some kernel fits nowhere.
std::optional<Bounds> lower_bounds(const ShapeLibrary& library, const RunControl& stop,
                                   std::uint64_t work = kQuickBounds);

/// Largest compute time any kernel of the problem can have: that of the slowest on a single tile
/// row. Every cap above it is the same cap.
std::int64_t slowest_time(const Problem& problem);

}  // namespace waferloom::placer
