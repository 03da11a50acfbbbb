#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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
/// nothing, or where words are added on their way, and `fair` elsewhere: at its bursts of packets
/// it costs less than `packet` on any set.
MessageTimes run_messages(const MessageSet& set, const MessageRunOptions& options);

}  // namespace waferloom::sim
