#include "sim/network/router.h"

#include <cassert>
#include <limits>

namespace waferloom::sim {
namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Router::Router(const RouterSpec& spec)
    : channels_(static_cast<std::uint32_t>(spec.virtual_channels)),
      inputs_(std::size_t{kRouterPorts} * channels_,
              Input{RingBuffer<Flit>(static_cast<std::size_t>(spec.buffer_flits))}),
      outputs_(std::size_t{kRouterPorts} * channels_, Output{false, spec.buffer_flits, 0}),
      grants_(channels_) {
  // A tile takes whatever comes out of the mesh.
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    output(kTilePort, channel).credits = std::numeric_limits<std::int64_t>::max();
  }
}

void Router::receive(std::uint8_t port, std::uint8_t channel, const Flit& flit) {
  Input& at = input(port, channel);
  assert(at.flits.size() < at.flits.capacity());
  at.flits.push(flit);
  ++flits_;
}

void Router::step(std::vector<Departure>& departures) {
  allocate_switch(departures);
  allocate_channels();
}

bool Router::wants_switch(std::uint32_t port, std::uint32_t channel) {
  const Input& at = input(port, channel);
  return !at.flits.empty() && at.out_channel != kNone &&
         output(at.out_port, at.out_channel).credits > 0;
}

void Router::allocate_switch(std::vector<Departure>& departures) {
  // The channel that asks for an output port, by input port.
  std::uint8_t asks[kRouterPorts][kRouterPorts];
  for (std::uint8_t in = 0; in < kRouterPorts; ++in) {
    for (std::uint8_t& channel : asks[in]) channel = kNone;
    for (std::uint32_t i = 0; i < channels_; ++i) {
      const auto channel = static_cast<std::uint8_t>((ports_[in].channel_turn + i) % channels_);
      if (!wants_switch(in, channel)) continue;
      std::uint8_t& asking = asks[in][input(in, channel).out_port];
      if (asking == kNone) asking = channel;
    }
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
      depart(in, asks[in][out], departures);
      break;
    }
  }
}

void Router::depart(std::uint8_t in_port, std::uint8_t channel,
                    std::vector<Departure>& departures) {
  Input& at = input(in_port, channel);
  const Flit flit = at.flits.front();
  at.flits.pop();
  --flits_;
  Output& to = output(at.out_port, at.out_channel);
  if (at.out_port != kTilePort) --to.credits;
  departures.push_back({flit, in_port, channel, at.out_port, at.out_channel});
  if (flit.tail) {
    to.taken = false;
    at.out_channel = kNone;
  }
}

void Router::allocate_channels() {
  if (flits_ == 0) return;
  std::uint32_t wanted = 0;  // a bit an output port
  for (Input& at : inputs_) {
    if (at.flits.empty() || at.out_channel != kNone) continue;
    at.out_port = at.flits.front().port;
    wanted |= 1U << at.out_port;
  }
  for (std::uint8_t port = 0; port < kRouterPorts; ++port) {
    if ((wanted >> port & 1U) != 0) allocate_channels_of(port);
  }
}

void Router::allocate_channels_of(std::uint8_t port) {
  const auto all = static_cast<std::uint32_t>(inputs_.size());
  requests_.clear();
  for (std::uint32_t i = 0; i < all; ++i) {
    const Input& at = inputs_[i];
    if (!at.flits.empty() && at.out_channel == kNone && at.out_port == port) requests_.push_back(i);
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
    at.turn = (port * channels_ + best + 1) % all;
    output(port, best).taken = true;
    output(port, best).turn = (request + 1) % all;
  }
}

}  // namespace waferloom::sim
