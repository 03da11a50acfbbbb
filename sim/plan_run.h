#pragma once

#include <cstdint>
#include <optional>

#include "model/report.h"
#include "sim/plan_pipeline.h"
#include "sim/simulate.h"

namespace waferloom::sim {

/// How much of a wafer a plan uses. Shares of peak are the operations that the network's samples
/// need, a second (what is computed again does not count), over the peak rate of the data type, not
/// its achievable part: the model FLOP utilisation of PaLM (Chowdhery et al., 2022, B).
struct TileUse {
  std::int64_t plan_tiles = 0;
  std::int64_t wafer_tiles = 0;    ///< that are not dead
  double peak_share_of_plan = 0;   ///< 0 to 1, of the plan's tiles
  double peak_share_of_wafer = 0;  ///< 0 to 1, of all that are not dead
};

/// What a batch of a plan took.
struct PlanReport {
  ThroughputReport run;   ///< what it calls a sample is a micro-batch of all replicas
  Picoseconds batch = 0;  ///< until the last gradient is reduced; of inference the makespan
  /// Of the batch; of inference in the steady state, or else of the full pipeline, where the run is
  /// long enough (samples_of_stream).
  double samples_per_s = 0;
  RateOf rate_of = RateOf::whole_run;
  /// What equal stages without communication would reach: rate · m / (m + (p − 1) / v) / FLOP
  /// of a sample, for m micro-batches through p stages of v parts each (PALM, Eq. 1; Narayanan et
  /// al., SC'21, 2.2); of inference rate / FLOP.
  double ideal_samples_per_s = 0;
  /// Part of the tiles' time in which they do not compute, all-reduces and memory included.
  double bubble = 0;
  TileUse use{};
};

/// Runs all micro-batches of a batch; of training none is extrapolated. `options.samples` and, of
/// training, `options.extrapolate` are the plan's. Throws what simulate() throws, and RunCut before
/// the first event.
PlanReport simulate_plan(const PlannedPipeline& planned, const Hardware& hardware,
                         const SimulateOptions& options);

/// The run of a plan that stops behind some work and goes on (ResumableRun).
class PlanRun {
 public:
  /// As simulate_plan(), and throws likewise. The hardware has to live longer.
  PlanRun(PlannedPipeline planned, const Hardware& hardware, const SimulateOptions& options);
  PlanReport go_on(std::optional<std::uint64_t> most_work, const RunControl& control);

 private:
  const PlannedPipeline planned_;
  const Hardware& hardware_;
  ResumableRun run_;
};

/// What to hold `found`, the run of a plan, against (simulate.h): as many micro-batches on other
/// networks.
std::optional<OtherNetworks> run_other_networks(const PlannedPipeline& planned,
                                                const Hardware& hardware,
                                                const SimulateOptions& options,
                                                const ThroughputReport& found);

}  // namespace waferloom::sim
