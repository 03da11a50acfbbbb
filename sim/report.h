#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/int128.h"
#include "model/mesh.h"
#include "model/report.h"
#include "sim/network_kind.h"
#include "sim/time.h"

namespace waferloom::sim {

/// What keeps a pipeline from being faster.
enum class Bound : std::uint8_t { compute, link, dram, io, adapter, schedule };
inline constexpr std::array<std::string_view, 6> kBoundNames{"compute", "link",    "dram",
                                                             "io",      "adapter", "schedule"};
constexpr std::span<const std::string_view> words_of(Bound /*of*/) { return kBoundNames; }
const char* bound_name(Bound bound);

/// How a stage spent the time of a run; the parts add up to all of it.
struct StageTimes {
  std::string name;
  Picoseconds compute = 0;
  Picoseconds communication = 0;  ///< waits for a tensor that is on its way, or exchanges data
  Picoseconds edge = 0;           ///< waits for a port on the wafer's edge
  Picoseconds stalled = 0;        ///< waits for room behind it
  Picoseconds idle = 0;           ///< waits for another stage, or is done

  Picoseconds total() const { return compute + communication + edge + stalled + idle; }
};

/// How much of something a sample needs, of the period in which samples follow one another.
struct Utilisation {
  std::string name;
  Picoseconds busy_per_sample = 0;
  double busy = 0;  ///< of the time
};

/// One direction of the way between two tiles: it has the link's whole rate.
struct LinkUse {
  std::int64_t x = 0;
  std::int64_t y = 0;
  const char* direction = "";
  std::int64_t bytes = 0;  ///< that arrived
  double busy = 0;         ///< of ThroughputReport::whole_time
};

struct PortUse {
  std::string name;
  std::int64_t bytes_in = 0;    ///< into the wafer
  std::int64_t bytes_out = 0;   ///< out of it; each direction has the port's whole rate
  double busy = 0;              ///< of the time, in the busier direction
  Picoseconds waited = 0;       ///< of all transfers in its queues, together
  std::int64_t held_bytes = 0;  ///< of all samples that may be under way through it
  std::optional<std::int64_t> capacity_bytes;

  bool fits() const { return !capacity_bytes || held_bytes <= *capacity_bytes; }
};

struct FlowUse {
  std::string name;
  std::int64_t bytes = 0;  ///< of a sample
  Picoseconds mean = 0;    ///< from the producer's end to the consumer's having it
};

/// Makespans of the same run on networks that settle no rates.
struct OtherNetworks {
  Picoseconds exclusive = 0;  ///< a transfer has all its links to itself, the others wait
  Picoseconds analytic = 0;   ///< without contention
};

/// What a rate is of.
enum class RateOf : std::uint8_t {
  steady_state,   ///< the period repeated
  full_pipeline,  ///< it did not; behind the first samples and before the last
  whole_run,      ///< with filling and draining
};
inline constexpr std::array<std::string_view, 3> kRateNames{"steady state", "full pipeline",
                                                            "whole run"};
constexpr std::span<const std::string_view> words_of(RateOf /*of*/) { return kRateNames; }

/// What a run of a pipeline showed.
struct ThroughputReport {
  std::int64_t samples = 0;    ///< asked for
  std::int64_t simulated = 0;  ///< of those; the others were extrapolated
  bool steady = false;         ///< whether the period repeated
  RateOf rate_of = RateOf::whole_run;
  std::int64_t period_samples = 0;  ///< samples of a period, or those that the rate is of
  Picoseconds period = 0;           ///< of that many samples
  double samples_per_s = 0;         ///< of what rate_of says
  Picoseconds first_sample = 0;     ///< when the first sample is done
  Picoseconds makespan = 0;         ///< when the last one is
  Picoseconds updated = 0;          ///< when the last update of a batch is over; 0 without any
  Picoseconds simulated_time = 0;
  Picoseconds whole_time = 0;  ///< that, with the updates of a batch: of links and ports
  Bound bound = Bound::schedule;
  std::string bound_by;                ///< the stage, link, port or edge
  std::vector<Utilisation> resources;  ///< the busiest of each kind
  /// The bound again, with its time for what the run calls a sample, and the next one.
  std::optional<Bottleneck> bottleneck{};
  std::vector<StageTimes> stages;
  std::vector<LinkUse> links;  ///< the busiest first
  std::vector<PortUse> ports;
  std::vector<FlowUse> flows;  ///< the slowest first
  /// Of all links, 4 · (y · columns + x) + direction: of all that arrived in whole_time, what
  /// stages exchange included.
  std::vector<std::int64_t> link_bytes;
  bool links_shared = true;         ///< false on the analytic network: no link is ever short
  LinkReserve reserve{};            ///< what kernels keep of links
  Int128 exchange_bytes = 0;        ///< what stages exchanged through the network
  Int128 exchange_bytes_apart = 0;  ///< and apart from it: their time is known
  std::int64_t buffer_bytes = 0;
  std::uint64_t events = 0;
  std::uint64_t work = 0;                       ///< of its network (Network::work)
  std::optional<RateError> rate_error;          ///< of the fair network
  std::optional<OtherNetworks> other_networks;  ///< see run_other_networks()
  bool stopped = false;                         ///< before it was done
  bool stopped_by_work = false;                 ///< of these: its most work did it

  /// Samples a second until the last one is done, with filling and draining, whether or not a
  /// steady state was reached.
  double whole_run_per_s() const {
    return static_cast<double>(samples) * static_cast<double>(kPicosecondsPerSecond) /
           static_cast<double>(makespan > 0 ? makespan : 1);
  }
  /// The bottleneck for a sample of the workload, of which one of the run has so many.
  std::optional<Bottleneck> bottleneck_of_each(std::int64_t samples_each) const {
    std::optional<Bottleneck> result = bottleneck;
    if (result) result->divide(static_cast<double>(samples_each));
    return result;
  }
};

}  // namespace waferloom::sim
