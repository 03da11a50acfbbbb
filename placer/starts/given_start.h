#pragma once

#include <cstdint>

#include "placer/starts/starts.h"

namespace waferloom::placer {

/// A placement that a caller brings, made whole and legal with as little change as it takes:
/// emitted as it is if it is so. Otherwise missing kernels are put beside their neighbours with the
/// smallest shape that keeps the others' time, kernels whose execution breaks a limit get such a
/// shape, and then overlaps and broken constraints are resolved: by parting kernels where they lie,
/// and without constraints also by the slicing tree nearest to the arrangement, at the least time
/// it fits. Emits nothing if no kernel is placed in `given`, or if none of this works.
void given_start(const SearchContext& context, const PartialPlacement& given, std::uint64_t seed,
                 const EmitPlacement& emit);

}  // namespace waferloom::placer
