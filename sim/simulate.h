#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "sim/network_kind.h"
#include "sim/pipeline/pipeline.h"
#include "sim/pipeline_spec.h"
#include "sim/report.h"

namespace waferloom::sim {

/// How far a run is.
struct RunProgress {
  std::int64_t done = 0;                    ///< samples
  std::int64_t samples = 0;                 ///< asked for
  NetworkKind network = NetworkKind::fair;  ///< that of the run
};

struct SimulateOptions {
  NetworkKind network = NetworkKind::fair;
  Routing routing = Routing::xy;
  Sharing sharing = Sharing::by_port;
  std::int64_t samples = 1'000;  ///< at least 1
  bool extrapolate = true;       ///< once the period repeats
  /// Of the fair network: junctions looked at when rates change, at most so many times those that
  /// changed.
  std::uint32_t patience = FairShares::Options{}.patience;
  std::size_t top = 10;                           ///< links and flows to list
  std::vector<PipelineObserver*> observers = {};  ///< told of every task and shipment
  /// Ends the run early once true; asked now and then.
  std::function<bool()> stopped = nullptr;
  /// Told whenever samples are done.
  std::function<void(const RunProgress&)> on_progress = nullptr;
};

/// Runs a pipeline on a wafer's fabric and says what bounds it. A resource bounds it that is busy
/// all the time. If there is none, links bound it where it would be a tenth faster without
/// contention. Otherwise stages and buffers bound it that wait for one another. Deterministic: the
/// same input gives the same report at any number of threads. Throws RequestError, with one
/// sentence, where a lane has no way between its tiles, or the network cannot represent the
/// hardware.
ThroughputReport simulate(const PipelineSpec& spec, const Hardware& hardware,
                          const SimulateOptions& options);

/// Whether a run should be held against other networks: its rates may be off, and it was not
/// stopped.
bool needs_other_networks(const ThroughputReport& found);

/// Two more runs of the pipeline, on other networks, that bracket `found`, a run of the fair
/// network whose rates may be off (RateError::is_restless()). Nothing where needs_other_networks()
/// says no.
std::optional<OtherNetworks> run_other_networks(const PipelineSpec& spec, const Hardware& hardware,
                                                const SimulateOptions& options,
                                                const ThroughputReport& found);

}  // namespace waferloom::sim
