#include "sim/network_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/errors.h"
#include "sim/network/analytic_network.h"
#include "sim/network/cut_through_network.h"
#include "sim/network/exclusive_network.h"
#include "sim/network/fabric_network.h"
#include "sim/network/fair_network.h"
#include "sim/network/network.h"
#include "sim/network/packet_network.h"

namespace waferloom::sim {

std::string_view network_name(NetworkKind kind) {
  return kNetworkNames[static_cast<std::size_t>(kind)];
}

namespace {

/// A slow link keeps flits for as many cycles, each with a list of its own.
constexpr std::int64_t kMostTimesFaster = 1'000'000;

bool has_one_latency(const Mesh& mesh) {
  if (mesh.is_uniform()) return true;
  std::optional<std::int64_t> latency;
  for (LinkIndex link = 0; link < mesh.link_count(); ++link) {
    if (mesh.is_dead_link(link)) continue;
    if (mesh.latency(link) != latency.value_or(mesh.latency(link))) return false;
    latency = mesh.latency(link);
  }
  return true;
}

void demand_limits(const Mesh& mesh, const Hardware& hardware, const std::string& what) {
  demand_mesh(hardware, what);
  if (!std::isfinite(PacketNetwork::fastest_rate(mesh))) {
    throw RequestError(what + " needs links with a limit");
  }
}

/// One order of x and y alone never closes a circle.
TurnClasses turn_classes(const Mesh& mesh, const NetworkOptions& options) {
  const bool turns_both_ways = mesh.has_dead() || !is_fixed(options.routing);
  return turns_both_ways ? TurnClasses::apart : TurnClasses::together;
}

std::unique_ptr<Network> make_packet_network(const Mesh& mesh, const Hardware& hardware,
                                             const NetworkOptions& options) {
  demand_limits(mesh, hardware, "the packet network");
  RouterSpec router = hardware.router;
  if (options.colours > 0) router.virtual_channels = options.colours;
  if (!mesh.is_uniform() &&
      PacketNetwork::fastest_rate(mesh) >
          static_cast<double>(kMostTimesFaster) * mesh.slowest_bytes_per_ps()) {
    throw RequestError(fmt::format("the packet network's links differ in rate by at most {} to 1",
                                   kMostTimesFaster));
  }
  if (!has_one_latency(mesh)) {
    throw RequestError("the packet network needs links of one latency");
  }
  if (hardware.hop_cycles) {
    if (mesh.node_count() > FabricNetwork::kMaxTiles) {
      throw RequestError(fmt::format("words are moved one by one on at most {} tiles, not {}",
                                     FabricNetwork::kMaxTiles, mesh.node_count()));
    }
    FabricSpec fabric;
    fabric.word_bytes = hardware.router.flit_bytes;
    // A cycle of the network is what its fastest link needs for a word.
    const double clocks = static_cast<double>(hardware.clock_hz) *
                          static_cast<double>(fabric.word_bytes) /
                          (PacketNetwork::fastest_rate(mesh) * kPicosecondsPerSecond);
    const auto cycles = [clocks](std::int64_t given) {
      return std::max<std::int64_t>(1, std::llround(static_cast<double>(given) / clocks));
    };
    fabric.hop_cycles = cycles(*hardware.hop_cycles);
    fabric.ramp_cycles = cycles(hardware.ramp_cycles.value_or(fabric.ramp_cycles));
    // Deep enough that a link is never idle for the way back of a free place.
    fabric.queue_words = std::max(hardware.router.buffer_flits, fabric.hop_cycles + 1);
    return std::make_unique<FabricNetwork>(mesh, fabric);
  }
  return std::make_unique<PacketNetwork>(mesh, router, turn_classes(mesh, options));
}

}  // namespace

std::unique_ptr<Network> make_network(NetworkKind kind, const Mesh& mesh, const Hardware& hardware,
                                      const NetworkOptions& options) {
  switch (kind) {
    case NetworkKind::analytic:
      return std::make_unique<AnalyticNetwork>(mesh, hardware.endpoint_latency_ps);
    case NetworkKind::exclusive:
      return std::make_unique<ExclusiveNetwork>(mesh, hardware.endpoint_latency_ps);
    case NetworkKind::fair:
      if (options.fair == FairMethod::bursts) {
        demand_limits(mesh, hardware, "the fair network of messages");
        return std::make_unique<CutThroughNetwork>(mesh, hardware.endpoint_latency_ps,
                                                   hardware.router, turn_classes(mesh, options));
      }
      return std::make_unique<FairNetwork>(mesh, hardware.endpoint_latency_ps, options.shares);
    case NetworkKind::packet:
      return make_packet_network(mesh, hardware, options);
  }
  return nullptr;
}

}  // namespace waferloom::sim
