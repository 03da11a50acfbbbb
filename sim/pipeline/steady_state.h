#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pipeline/pipeline.h"

namespace waferloom::sim {

/// So many samples take so long, again and again.
struct SteadyPeriod {
  std::int64_t samples = 0;
  Picoseconds time = 0;
};

/// The period in which a pipeline repeats itself: the shortest, of at most eight samples, in which
/// the last three times samples came out, and every stage began and every channel was sent as many,
/// in the same time each, until now, and buffers can hold what is under way at that rate. All parts
/// then move at one rate, so that no buffer fills or empties any more. Where samples come out as
/// fast as `least_per_sample`, below which they cannot follow one another, it is enough that they
/// do: what runs ahead in front of the slowest part only fills buffers. Nor is a shorter period
/// steady: it ends once some buffer is full. Times count as the same within a millionth. Nothing
/// while there is none. O(stages + channels).
std::optional<SteadyPeriod> steady_period(const Pipeline& pipeline, const PipelineSpec& spec,
                                          Picoseconds least_per_sample);

}  // namespace waferloom::sim
