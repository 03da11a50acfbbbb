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

std::uint64_t bit(std::uint32_t channel) { return std::uint64_t{1} << channel; }

}  // namespace

Router::Router(const RouterSpec& spec, const std::array<Pace, kRouterPorts>& paces)
    : channels_(static_cast<std::uint32_t>(spec.virtual_channels)),
      buffer_flits_(static_cast<std::size_t>(spec.buffer_flits)),
      inputs_(std::size_t{kRouterPorts} * channels_),
      outputs_(std::size_t{kRouterPorts} * channels_, Output{false, spec.buffer_flits, 0}),
      ports_{Port(paces[0]), Port(paces[1]), Port(paces[2]), Port(paces[3]), Port(paces[4])},
      grants_(channels_) {
  assert(spec.virtual_channels <= kMaxChannels);
  // A tile takes whatever comes out of the mesh.
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    output(kTilePort, channel).credits = std::numeric_limits<std::int64_t>::max();
  }
}

void Router::receive(std::uint8_t port, std::uint8_t channel, const Flit& flit) {
  Input& at = input(port, channel);
  if (at.flits.capacity() == 0) at.flits.set_capacity(buffer_flits_);
  assert(!at.flits.full());
  at.flits.push_back(flit);
  ports_[port].held |= bit(channel);
  ++flits_;
}

void Router::step(Picoseconds now, std::vector<Departure>& departures) {
  allocate_switch(now, departures);
  allocate_channels();
}

bool Router::wants_switch(std::uint32_t port, std::uint32_t channel, Picoseconds now) {
  const Input& at = input(port, channel);
  return ports_[at.out_port].pace.accepts(now) && output(at.out_port, at.out_channel).credits > 0;
}

void Router::allocate_switch(Picoseconds now, std::vector<Departure>& departures) {
  // The channel that asks for an output port, by input port.
  std::uint8_t asks[kRouterPorts][kRouterPorts];
  for (std::uint8_t in = 0; in < kRouterPorts; ++in) {
    for (std::uint8_t& channel : asks[in]) channel = kNone;
    const Port& port = ports_[in];
    for_each_bit(port.held & port.assigned, port.channel_turn, [&](std::uint8_t channel) {
      if (!wants_switch(in, channel, now)) return;
      std::uint8_t& asking = asks[in][input(in, channel).out_port];
      if (asking == kNone) asking = channel;
    });
  }
  std::uint8_t granted[kRouterPorts];  // to which input an output says yes
  for (std::uint8_t out = 0; out < kRouterPorts; ++out) {
    granted[out] = kNone;
    for (std::uint8_t i = 0; i < kRouterPorts && granted[out] == kNone; ++i) {
      const auto in = static_cast<std::uint8_t>((ports_[out].grant_turn + i) % kRouterPorts);
      if (asks[in][out] != kNone) granted[out] = in;
    }
  }
  for (std::uint8_t in = 0; in < kRouterPorts; ++in) {
    for (std::uint8_t i = 0; i < kRouterPorts; ++i) {
      const auto out = static_cast<std::uint8_t>((ports_[in].accept_turn + i) % kRouterPorts);
      if (granted[out] != in) continue;
      ports_[out].grant_turn = static_cast<std::uint8_t>((in + 1) % kRouterPorts);
      ports_[in].accept_turn = static_cast<std::uint8_t>((out + 1) % kRouterPorts);
      ports_[in].channel_turn = static_cast<std::uint8_t>((asks[in][out] + 1U) % channels_);
      depart(in, asks[in][out], now, departures);
      break;
    }
  }
}

void Router::depart(std::uint8_t in_port, std::uint8_t channel, Picoseconds now,
                    std::vector<Departure>& departures) {
  Input& at = input(in_port, channel);
  const Flit flit = at.flits.front();
  at.flits.pop_front();
  --flits_;
  if (at.flits.empty()) ports_[in_port].held &= ~bit(channel);
  Output& to = output(at.out_port, at.out_channel);
  if (at.out_port != kTilePort) --to.credits;
  const Picoseconds begin = ports_[at.out_port].pace.take(now);
  departures.push_back({flit, in_port, channel, at.out_port, at.out_channel, begin});
  if (flit.tail) {
    to.taken = false;
    at.out_channel = kNone;
    ports_[in_port].assigned &= ~bit(channel);
  }
}

void Router::allocate_channels() {
  if (flits_ == 0) return;
  std::uint32_t wanted = 0;  // a bit an output port
  for (std::uint8_t port = 0; port < kRouterPorts; ++port) {
    for_each_bit(ports_[port].held & ~ports_[port].assigned, 0, [&](std::uint8_t channel) {
      Input& at = input(port, channel);
      at.out_port = at.flits.front().port;
      wanted |= 1U << at.out_port;
    });
  }
  for (std::uint8_t port = 0; port < kRouterPorts; ++port) {
    if ((wanted >> port & 1U) != 0) allocate_channels_of(port);
  }
}

void Router::allocate_channels_of(std::uint8_t port) {
  const auto all = static_cast<std::uint32_t>(inputs_.size());
  requests_.clear();
  for (std::uint8_t in = 0; in < kRouterPorts; ++in) {
    for_each_bit(ports_[in].held & ~ports_[in].assigned, 0, [&](std::uint8_t channel) {
      if (input(in, channel).out_port == port) requests_.push_back(in * channels_ + channel);
    });
  }
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    const Output& to = output(port, channel);
    grants_[channel] = kNobody;
    if (to.taken) continue;
    std::uint32_t nearest = all;
    for (const std::uint32_t request : requests_) {
      if (!inputs_[request].flits.front().channels.contains(channel)) continue;
      const std::uint32_t distance = (request + all - to.turn) % all;
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
      const std::uint32_t distance = (port * channels_ + channel + all - at.turn) % all;
      if (distance >= nearest) continue;
      nearest = distance;
      best = static_cast<std::uint8_t>(channel);
    }
    if (best == kNone) continue;
    at.out_channel = best;
    ports_[request / channels_].assigned |= bit(request % channels_);
    at.turn = (port * channels_ + best + 1) % all;
    output(port, best).taken = true;
    output(port, best).turn = (request + 1) % all;
  }
}

}  // namespace waferloom::sim
