#pragma once

#include <cstdint>
#include <vector>

#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// A pipeline whose tiles each work for `chunks` stages: worker w of `workers` for the stages
/// w, w + workers, w + 2 · workers, …
struct Interleaving {
  std::int64_t workers = 1;
  std::int64_t chunks = 1;
  std::int64_t micro_batches = 1;  ///< a multiple of `workers`

  std::int64_t stages() const { return workers * chunks; }
};

/// The turns of a worker in interleaved 1F1B (Narayanan et al., SC'21, 2.2): micro-batches go
/// through the chunks `workers` at a time; after 2 (workers − w − 1) + (chunks − 1) · workers
/// turns forward, one forward and one backward alternate. O(turns).
std::vector<StageTurn> interleaved_turns(const Interleaving& schedule, std::int64_t worker);

/// How many samples of each stage wait for their backward when a worker has most to keep of them,
/// a sample of a stage weighing as given. O(turns).
std::vector<std::int64_t> in_flight_at_peak(const Interleaving& schedule,
                                            const std::vector<StageTurn>& turns,
                                            const std::vector<std::int64_t>& weights);

}  // namespace waferloom::sim
