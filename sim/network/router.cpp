#include "sim/network/router.h"

#include <bit>
#include <cassert>
#include <limits>

namespace waferloom::sim {
namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

/// Calls visit(bit) for each bit set, from bit `first` on and around.
template <typename Visit>
void for_each_bit(std::uint64_t bits, std::uint8_t first, Visit&& visit) {
  const std::uint64_t from_first = ~std::uint64_t{0} << first;
  for (std::uint64_t part : {bits & from_first, bits & ~from_first}) {
    for (; part != 0; part &= part - 1) visit(static_cast<std::uint8_t>(std::countr_zero(part)));
  }
}

/// The first bit set, from bit `first` on and around, of one that has any.
std::uint8_t next_bit(std::uint32_t bits, std::uint8_t first) {
  const std::uint32_t behind = bits >> first << first;
  return static_cast<std::uint8_t>(std::countr_zero(behind != 0 ? behind : bits));
}

std::uint64_t bit(std::uint32_t channel) { return std::uint64_t{1} << channel; }

std::uint8_t next_port(std::uint32_t port) {
  return static_cast<std::uint8_t>((port + 1) % kRouterPorts);
}

}  // namespace

Router::Router(const RouterSpec& spec, const std::array<Pace, kRouterPorts>& paces)
    : channels_(static_cast<std::uint32_t>(spec.virtual_channels)),
      buffer_flits_(static_cast<std::uint32_t>(spec.buffer_flits)),
      inputs_(std::size_t{kRouterPorts} * channels_),
      outputs_(std::size_t{kRouterPorts} * channels_, Output{spec.buffer_flits, 0}),
      segments_(inputs_.size() * buffer_flits_),
      ports_{Port(paces[0]), Port(paces[1]), Port(paces[2]), Port(paces[3]), Port(paces[4])},
      grants_(channels_) {
  assert(spec.virtual_channels <= kMaxChannels);
  for (Port& port : ports_) port.free = ~std::uint64_t{0} >> (kMaxChannels - spec.virtual_channels);
  // A tile takes whatever comes out of the mesh.
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    output(kTilePort, channel).credits = std::numeric_limits<std::int64_t>::max();
  }
}

Router::Segment& Router::segment(std::uint32_t at, std::uint32_t place) {
  std::uint32_t in_ring = inputs_[at].first + place;
  if (in_ring >= buffer_flits_) in_ring -= buffer_flits_;
  return segments_[std::size_t{at} * buffer_flits_ + in_ring];
}

bool Router::has_work() const {
  for (const Port& port : ports_) {
    if (port.ready != 0 || (port.inputs != 0 && port.free != 0)) return true;
  }
  return false;
}

void Router::come_to_front(std::uint32_t at, const std::vector<Packet>& packets) {
  Input& in = inputs_[at];
  in.out_port = packets[segment(at, 0).packet].port;
  Port& port = ports_[in.out_port];
  port.waiting[at / channels_] |= bit(at % channels_);
  port.inputs |= 1U << (at / channels_);
}

void Router::receive(std::uint8_t port, std::uint8_t channel, const Flit& flit,
                     const std::vector<Packet>& packets) {
  const std::uint32_t at = port * channels_ + channel;
  Input& in = inputs_[at];
  if (flit.head) {
    assert(in.count < buffer_flits_);
    segment(at, in.count++) = {flit.packet, 1, false, flit.tail};
    if (in.count == 1) come_to_front(at, packets);
    return;
  }
  assert(in.count > 0);
  Segment& last = segment(at, in.count - 1);
  ++last.flits;
  last.ended = flit.tail;
  // Of the packet in front, with a channel and room.
  if (in.count == 1 && in.out_channel != kNone && output(in.out_port, in.out_channel).credits > 0) {
    ports_[port].ready |= bit(channel);
  }
}

void Router::credit(std::uint8_t port, std::uint8_t channel) {
  Output& to = output(port, channel);
  if (to.credits++ > 0 || (ports_[port].free & bit(channel)) != 0) return;
  if (segment(to.owner, 0).flits > 0) {
    ports_[to.owner / channels_].ready |= bit(to.owner % channels_);
  }
}

void Router::step(Picoseconds now, const std::vector<Packet>& packets,
                  std::vector<Departure>& departures) {
  allocate_switch(now, packets, departures);
  for (std::uint8_t port = 0; port < kRouterPorts; ++port) {
    if (ports_[port].inputs != 0 && ports_[port].free != 0) allocate_channels_of(port, packets);
  }
}

void Router::allocate_switch(Picoseconds now, const std::vector<Packet>& packets,
                             std::vector<Departure>& departures) {
  std::uint32_t open = 0;  // a bit an output whose register is free
  for (std::uint8_t out = 0; out < kRouterPorts; ++out) {
    open |= static_cast<std::uint32_t>(ports_[out].pace.accepts(now)) << out;
  }
  // The channel that asks for an output port, by input port; who asks, by output port.
  std::uint8_t asks[kRouterPorts][kRouterPorts];
  std::uint32_t asking[kRouterPorts] = {};
  std::uint32_t asked = 0;
  for (std::uint8_t in = 0; in < kRouterPorts; ++in) {
    const Port& port = ports_[in];
    std::uint32_t outs = 0;
    if (port.ready == 0) continue;
    for_each_bit(port.ready, port.channel_turn, [&](std::uint8_t channel) {
      const std::uint8_t out_port = input(in, channel).out_port;
      const std::uint32_t out = 1U << out_port;
      if ((open & out & ~outs) == 0) return;
      outs |= out;
      asks[in][out_port] = channel;
      asking[out_port] |= 1U << in;
    });
    asked |= outs;
  }
  if (asked == 0) return;
  std::uint32_t granted[kRouterPorts] = {};  // outputs that say yes, by input
  for (; asked != 0; asked &= asked - 1) {
    const auto out = static_cast<std::uint8_t>(std::countr_zero(asked));
    granted[next_bit(asking[out], ports_[out].grant_turn)] |= 1U << out;
  }
  for (std::uint8_t in = 0; in < kRouterPorts; ++in) {
    if (granted[in] == 0) continue;
    Port& port = ports_[in];
    const std::uint8_t out = next_bit(granted[in], port.accept_turn);
    const std::uint8_t channel = asks[in][out];
    ports_[out].grant_turn = next_port(in);
    port.accept_turn = next_port(out);
    port.channel_turn = static_cast<std::uint8_t>(channel + 1U == channels_ ? 0 : channel + 1U);
    depart(in, channel, now, packets, departures);
  }
}

void Router::depart(std::uint8_t in_port, std::uint8_t channel, Picoseconds now,
                    const std::vector<Packet>& packets, std::vector<Departure>& departures) {
  const std::uint32_t index = in_port * channels_ + channel;
  Input& at = inputs_[index];
  Segment& front = segment(index, 0);
  Flit flit;
  flit.packet = front.packet;
  flit.head = !front.begun;
  front.begun = true;
  --front.flits;
  flit.tail = front.flits == 0 && front.ended;
  Port& port = ports_[at.out_port];
  Output& to = output(at.out_port, at.out_channel);
  const bool is_last_room = at.out_port != kTilePort && --to.credits == 0;
  departures.push_back({flit, in_port, channel, at.out_port, at.out_channel, port.pace.take(now)});
  if (front.flits == 0 || is_last_room) ports_[in_port].ready &= ~bit(channel);
  if (!flit.tail) return;
  port.free |= bit(at.out_channel);
  at.out_channel = kNone;
  at.first = at.first + 1 == buffer_flits_ ? 0 : at.first + 1;
  if (--at.count > 0) come_to_front(index, packets);
}

void Router::allocate_channels_of(std::uint8_t port, const std::vector<Packet>& packets) {
  const auto all = static_cast<std::uint32_t>(inputs_.size());
  requests_.clear();
  for (std::uint8_t in = 0; in < kRouterPorts; ++in) {
    for_each_bit(ports_[port].waiting[in], 0,
                 [&](std::uint8_t channel) { requests_.push_back(in * channels_ + channel); });
  }
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    grants_[channel] = kNobody;
    if ((ports_[port].free & bit(channel)) == 0) continue;
    const Output& to = output(port, channel);
    std::uint32_t nearest = all;
    for (const std::uint32_t request : requests_) {
      const ChannelRange& range = packets[segment(request, 0).packet].channels;
      if (channel < range.first || channel >= range.end) continue;
      const std::uint32_t distance =
          request >= to.turn ? request - to.turn : request + all - to.turn;
      if (distance >= nearest) continue;
      nearest = distance;
      grants_[channel] = request;
    }
  }
  for (const std::uint32_t request : requests_) {
    Input& at = inputs_[request];
    std::uint32_t nearest = all;
    std::uint8_t best = kNone;
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
      if (grants_[channel] != request) continue;
      const std::uint32_t place = port * channels_ + channel;
      const std::uint32_t distance = place >= at.turn ? place - at.turn : place + all - at.turn;
      if (distance >= nearest) continue;
      nearest = distance;
      best = static_cast<std::uint8_t>(channel);
    }
    if (best == kNone) continue;
    at.out_channel = best;
    Port& to = ports_[port];
    const std::uint32_t in = request / channels_;
    to.waiting[in] &= ~bit(request % channels_);
    if (to.waiting[in] == 0) to.inputs &= ~(1U << in);
    if (output(port, best).credits > 0) ports_[in].ready |= bit(request % channels_);
    const std::uint32_t behind = port * channels_ + best + 1;
    at.turn = behind == all ? 0 : behind;
    to.free &= ~bit(best);
    output(port, best).owner = request;
    output(port, best).turn = request + 1 == all ? 0 : request + 1;
  }
}

}  // namespace waferloom::sim
