#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/report.h"
#include "model/run_control.h"
#include "sim/network_kind.h"

namespace waferloom::sim {

/// How many messages of a set are on their way or done.
struct MessageProgress {
  std::size_t begun = 0;
  std::size_t complete = 0;
};

/// How a message set is to be run.
struct MessageRunOptions {
  std::optional<NetworkKind> network{};  ///< nothing: the choice is ours
  std::int64_t injection_queues = 4;     ///< of a tile, in the packet network
  RunControl control = {};               ///< ends the run early; asked at every step
  /// Told whenever a message has begun or is complete.
  std::function<void(const MessageProgress&)> on_progress = nullptr;
};

/// What became of a message set.
struct MessageTimes {
  std::vector<std::int64_t> complete_cycle;  ///< by message, rounded up; −1 if it was cut
  std::int64_t makespan = 0;                 ///< the last of them
  std::vector<std::int64_t> link_flits;      ///< by LinkIndex
  /// The busiest link, or tile's way into the mesh or out of it; how messages wait for one another
  /// where none is busy almost all of the time. A cycle is taken as a nanosecond. Nothing if the
  /// run was stopped.
  std::optional<Bottleneck> bottleneck{};
  std::uint64_t events = 0;
  std::optional<RateError> rate_error;      ///< of the fair network by rates
  NetworkKind network = NetworkKind::fair;  ///< that it ran on
  /// Why that one; nothing where it was asked for.
  std::optional<std::string> network_reason{};
  bool stopped = false;
};

/// Runs a message set on a mesh of links that move a flit a cycle, with the reference's router: a
/// message alone takes flits + 4 · hops + 6 cycles. Messages that may begin in one cycle begin in
/// the order of their ids. Throws RequestError for a mesh beyond the network's limits.
///
/// Where the choice of the network is left to it, it takes `packet` where that costs next to
/// nothing, or where words are added on their way, and `fair` elsewhere, which moves bursts of
/// packets; sets with a fabric or dead tiles go as rates of flows.
MessageTimes run_messages(const MessageSet& set, const MessageRunOptions& options);

// Device traces.

/// When a processor of a trace issues its transfers.
enum class IssueTimes : std::uint8_t {
  recorded,  ///< in the cycles that the trace has
  shifted,   ///< as long after what came before as in the trace: after a late barrier later
};
inline constexpr std::array<std::string_view, 2> kIssueTimesNames{"recorded", "shifted"};
constexpr std::span<const std::string_view> words_of(IssueTimes /*of*/) { return kIssueTimesNames; }

struct TraceRunOptions {
  IssueTimes issue_times = IssueTimes::recorded;
  RunControl control = {};  ///< ends the run early
};

/// What a processor of a tile did, and until when.
struct ProgramTimes {
  std::int64_t end_cycle = 0;       ///< of its last transfer or barrier
  std::int64_t recorded_cycle = 0;  ///< of its last event in the trace
  std::int64_t waited_cycles = 0;   ///< at barriers
};

/// Of a network.
struct NetworkTimes {
  std::int64_t transfers = 0;
  std::int64_t bytes = 0;               ///< that tiles asked for or wrote
  std::int64_t busiest_link_bytes = 0;  ///< headers of packets among them
  std::string busiest_link;             ///< "link east of tile (2, 3)"; empty: none was used
};

/// What became of a device trace.
struct TraceTimes {
  std::int64_t span_cycles = 0;  ///< from the trace's first event to the last thing done
  std::int64_t reads = 0;
  std::int64_t writes = 0;  ///< broadcasts among them
  std::int64_t barriers = 0;
  std::vector<ProgramTimes> programs;  ///< by DeviceTrace::programs
  std::vector<NetworkTimes> networks;  ///< by NocSpec::networks
  std::uint64_t events = 0;
  bool stopped = false;
};

/// Runs a device trace on the networks of a machine's `noc`: issue times are the trace's, all else
/// is simulated. Throws RequestError where the trace needs what the machine does not have. Memory
/// is the trace's and that of packets under way.
TraceTimes run_trace(const DeviceTrace& trace, const Hardware& hardware,
                     const TraceRunOptions& options);

}  // namespace waferloom::sim
