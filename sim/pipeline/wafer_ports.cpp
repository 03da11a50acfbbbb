#include "sim/pipeline/wafer_ports.h"

#include <algorithm>
#include <limits>

#include "kernels/int128.h"
#include "sim/mesh/route.h"
#include "sim/pipeline/lanes.h"

namespace waferloom::sim {
namespace {

/// Bytes of all samples that may be under way through each port.
std::vector<std::int64_t> held_bytes(const PipelineSpec& spec, std::int64_t samples) {
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> held(spec.ports.size(), 0);
  for (const ChannelSpec& channel : spec.channels) {
    if (channel.streams) continue;
    for (std::size_t lane = 0; lane < channel.ports.size(); ++lane) {
      std::int64_t& at = held[channel.ports[lane]];
      const std::int64_t bytes = lane_bytes(channel.bytes, channel.ports.size(), lane);
      const std::int64_t under_way = std::min(channel.buffer_samples, samples);
      at = static_cast<std::int64_t>(std::min(kMost, Int128(bytes) * under_way + at));
    }
  }
  return held;
}

/// Waits of many samples together may be longer than any time: kHorizon then.
Picoseconds waits_of(Picoseconds a, Picoseconds b) { return a > kHorizon - b ? kHorizon : a + b; }

}  // namespace

WaferPorts::WaferPorts(const PipelineSpec& spec, std::int64_t samples)
    : spec_(spec), samples_(samples) {
  for (auto& direction : queues_) direction.resize(spec.ports.size());
}

Picoseconds WaferPorts::Queue::pass(double bytes_per_ps, const Arrival& arrival) {
  const auto [now, at, more] = arrival;
  while (!booked.empty() && booked.front().end <= now) booked.pop_front();
  const Picoseconds begin = std::max(at, free);
  const Picoseconds service = transmission_time(more, bytes_per_ps);
  waited = waits_of(waited, begin - at);
  busy += service;
  bytes += more;
  free = later(begin, service);
  booked.push_back({begin, free, more});
  return free;
}

Picoseconds WaferPorts::Queue::busy_until(Picoseconds now) const {
  Picoseconds result = busy;
  for (const Service& service : booked) {
    result -= std::max<Picoseconds>(0, service.end - std::max(service.begin, now));
  }
  return result;
}

std::int64_t WaferPorts::Queue::bytes_until(Picoseconds now) const {
  std::int64_t result = bytes;
  for (const Service& service : booked) result -= service.end > now ? service.bytes : 0;
  return result;
}

Picoseconds WaferPorts::pass(std::size_t port, bool out, Picoseconds now, std::int64_t bytes) {
  const PortSpec& spec = spec_.ports[port];
  Queue& queue = queues_[out ? 1 : 0][port];
  Queue& host = host_[out ? 1 : 0];
  Picoseconds at = now;
  if (!out && !spec.is_memory)
    at = host.pass(spec_.host_bytes_per_ps, {.now = now, .at = at, .bytes = bytes});
  at = queue.pass(spec.bytes_per_ps, {.now = now, .at = at, .bytes = bytes});
  if (out && !spec.is_memory)
    at = host.pass(spec_.host_bytes_per_ps, {.now = now, .at = at, .bytes = bytes});
  return later(at, spec.response);
}

std::vector<PortUse> WaferPorts::uses(Picoseconds now) const {
  std::vector<PortUse> result;
  const std::vector<std::int64_t> held = held_bytes(spec_, samples_);
  const double time = static_cast<double>(std::max<Picoseconds>(1, now));
  for (std::size_t i = 0; i < spec_.ports.size(); ++i) {
    const Queue& in = queues_[0][i];
    const Queue& out = queues_[1][i];
    result.push_back({spec_.ports[i].name, in.bytes_until(now), out.bytes_until(now),
                      static_cast<double>(std::max(in.busy_until(now), out.busy_until(now))) / time,
                      waits_of(in.waited, out.waited), held[i], spec_.ports[i].capacity_bytes});
  }
  return result;
}

}  // namespace waferloom::sim
