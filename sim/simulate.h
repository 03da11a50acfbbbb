#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/run_control.h"
#include "sim/network_kind.h"
#include "sim/pipeline_spec.h"
#include "sim/report.h"

namespace waferloom::sim {

class PipelineObserver;

/// The progress of a run.
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
  bool extrapolate = true;       ///< end the run once the period repeats
  /// Of inference: where no period repeats, the rate is that of the full pipeline, if the run is
  /// long enough. With `extrapolate` the run ends once that is known.
  bool rate_when_full = false;
  /// Of the fair network: when rates change, it looks at no more than `patience` times the number
  /// of changed junctions.
  std::uint32_t patience = FairSharesOptions{}.patience;
  std::size_t top = 10;                           ///< links and flows to list
  std::vector<PipelineObserver*> observers = {};  ///< called for every task and shipment
  RunControl control = {};                        ///< ends the run early; asked now and then
  /// Called whenever samples are done.
  std::function<void(const RunProgress&)> on_progress = nullptr;
};

/// Samples that are done when a pipeline of so many stages counts as full.
constexpr std::int64_t samples_until_full(std::int64_t stages) { return 1 + stages; }
/// And when its rate is known, unless buffers still fill (SimulateOptions::rate_when_full).
constexpr std::int64_t samples_until_rate(std::int64_t stages) {
  constexpr std::int64_t kLeastSeen = 12;
  return samples_until_full(stages) + (stages > kLeastSeen ? stages : kLeastSeen);
}
/// Samples of a run that is long enough for that, if buffers hold up to three for each stage. With
/// larger ones the whole run may count.
constexpr std::int64_t samples_of_stream(std::int64_t stages) {
  return samples_until_rate(stages) + 3 * stages + 1;
}

/// Runs a pipeline on a wafer's fabric and says what bounds it. The bound is a resource that is
/// busy almost all of the time. If there is none, links are the bound if the pipeline would be more
/// than a tenth faster without contention. Otherwise the bound is the schedule: stages and buffers
/// wait for each other. Deterministic: the same input gives the same report at any number of
/// threads. Throws RequestError, with one sentence, if a lane has no route between its tiles, or if
/// the network cannot represent the hardware.
ThroughputReport simulate(const PipelineSpec& spec, const Hardware& hardware,
                          const SimulateOptions& options);

/// A run that stops behind some work and goes on where it stopped. In the end it reports what a run
/// reports that never stopped.
class ResumableRun {
 public:
  /// As simulate(), and throws likewise. The hardware has to live longer.
  ResumableRun(PipelineSpec spec, const Hardware& hardware, SimulateOptions options);
  ResumableRun(const ResumableRun&) = delete;
  ResumableRun& operator=(const ResumableRun&) = delete;
  ~ResumableRun();

  /// Goes on until it is over, or `control` cuts it, or its network's work since its beginning
  /// (ThroughputReport::work) is more than `most_work`; asked now and then. Then the report says
  /// stopped_by_work, and has but samples, time and work.
  ThroughputReport go_on(std::optional<std::uint64_t> most_work, const RunControl& control);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Whether a run should be compared with other networks: it was not stopped, and its rates may be
/// inexact.
bool needs_other_networks(const ThroughputReport& found);

/// `found` is a run on the fair network whose rates may be inexact (RateError::is_restless()). Runs
/// the pipeline on two more networks that bracket it. Nothing if needs_other_networks() is false,
/// or if a run is stopped.
std::optional<OtherNetworks> run_other_networks(const PipelineSpec& spec, const Hardware& hardware,
                                                const SimulateOptions& options,
                                                const ThroughputReport& found);

/// Options of whatever simulates. Defaults are those of SimulateOptions.
OptionSpec network_option();
/// Likewise, with "auto", which is NetworkChoice::automatic.
OptionSpec network_choice_option();
OptionSpec routing_option();
OptionSpec samples_option();
/// Where routes may be planned, which is the default then, as that of plans.
OptionSpec planned_routing_option();

OptionSpec hardware_option();
/// "wse1 (default), another preset (`waferloom hardware` lists them), or a JSON file.": presets
/// with notes; of meshes alone if told so, and then all of them.
std::string hardware_help(const std::map<std::string_view, std::string_view>& notes,
                          bool meshes_alone = false);

/// The hardware of cases where none is named.
inline constexpr std::string_view kCaseHardware = "wse1";
/// The hardware of networks where none is named: the default of cases has no rates of FLOP.
inline constexpr std::string_view kNetworkHardware = "palm_wafer";

/// What is asked of a pipeline's run.
struct RunRequest {
  NetworkChoice network = NetworkChoice::automatic;  ///< of placements and plans: fair
  std::optional<Routing> routing;  ///< none: as the plan has it, or as what runs goes by itself
  std::int64_t samples = SimulateOptions{}.samples;
  bool training = false;
  std::uint32_t patience = SimulateOptions{}.patience;
  bool extrapolate = SimulateOptions{}.extrapolate;
  std::size_t top = SimulateOptions{}.top;  ///< links and flows that are listed
  /// Of placements and plans.
  NetworkKind pipeline_network() const {
    return network_of(network).value_or(SimulateOptions{}.network);
  }
  /// As options of a run without control.
  SimulateOptions options() const;
};
/// network, routing, samples, training, patience, no-extrapolation, top.
Options<RunRequest> simulation_options();
/// A row of `routing`, which names a rule or planned routes.
Option<RunRequest> routing_row(OptionSpec spec);

/// Of a plan's run: allow-infeasible, no-dram.
OptionSpec allow_infeasible_option();
OptionSpec no_dram_option();

/// injection-queues, of the run of a message set.
OptionSpec injection_queues_option();

}  // namespace waferloom::sim
