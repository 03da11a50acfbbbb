#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "sim/network/pace.h"

namespace waferloom::sim {

/// Ports of a router: towards the neighbours, by Direction, and its tile's own.
inline constexpr std::uint8_t kTilePort = 4;
inline constexpr std::uint8_t kRouterPorts = 5;

/// Virtual channels from `first` to before `end`.
struct ChannelRange {
  std::uint8_t first = 0;
  std::uint8_t end = 0;
  bool contains(std::uint32_t channel) const { return channel >= first && channel < end; }
};

/// What a link moves in a cycle.
struct Flit {
  std::uint32_t message = 0;
  std::uint32_t hop = 0;  ///< hops behind it on its leg
  std::uint16_t leg = 0;  ///< of the message
  std::uint8_t port = 0;  ///< by which a head flit leaves the router that holds it
  bool head = false;
  bool tail = false;
  ChannelRange channels{};  ///< that its packet may use
};

/// A flit that leaves a router, and when the link begins it.
struct Departure {
  Flit flit;
  std::uint8_t in_port = 0;
  std::uint8_t in_channel = 0;
  std::uint8_t out_port = 0;
  std::uint8_t out_channel = 0;
  Picoseconds begin = 0;
};

/// An input-queued router with virtual channels and credits: what one does in a cycle.
///
/// A head flit gets one of its packet's virtual channels of the next router by separable allocation
/// (every free channel takes the next request in turn, every request the next of its channels in
/// turn); from the cycle after it and the flits behind it may get the switch, by the same rule with
/// ports in place of channels, as long as the next router has room and the link's register is free.
/// McKeown, The iSLIP Scheduling Algorithm (1999), one iteration; Dally and Towles, Principles and
/// Practices of Interconnection Networks, 16 and 19.
class Router {
 public:
  /// At most kMaxChannels virtual channels. `paces` are those of the links out of it, by port.
  Router(const RouterSpec& spec, const std::array<Pace, kRouterPorts>& paces);
  static constexpr std::int64_t kMaxChannels = 64;

  bool is_empty() const { return flits_ == 0; }
  void receive(std::uint8_t port, std::uint8_t channel, const Flit& flit);
  /// The next router has room for one more flit.
  void credit(std::uint8_t port, std::uint8_t channel) { ++output(port, channel).credits; }
  /// Lets flits leave in the cycle at `now` and heads get channels, and appends what leaves.
  void step(Picoseconds now, std::vector<Departure>& departures);

 private:
  static constexpr std::uint8_t kNone = UINT8_MAX;
  struct Input {
    boost::circular_buffer<Flit> flits;  // allocated by the first one
    std::uint8_t out_port = 0;
    std::uint8_t out_channel = kNone;  // of the packet in front
    std::uint32_t turn = 0;            // the output channel that it asks first
  };
  struct Output {
    bool taken = false;
    std::int64_t credits = 0;
    std::uint32_t turn = 0;  // the input channel that it serves first
  };
  struct Port {
    explicit Port(const Pace& of) : pace(of) {}
    Pace pace;                      // as an output
    std::uint64_t held = 0;         // as an input: a bit a channel that holds flits
    std::uint64_t assigned = 0;     // likewise: whose packet in front has an output channel
    std::uint8_t channel_turn = 0;  // the channel that asks for the switch first
    std::uint8_t accept_turn = 0;   // as an input: the output that it takes first
    std::uint8_t grant_turn = 0;    // as an output: the input that it serves first
  };

  Input& input(std::uint32_t port, std::uint32_t channel) {
    return inputs_[port * channels_ + channel];
  }
  Output& output(std::uint32_t port, std::uint32_t channel) {
    return outputs_[port * channels_ + channel];
  }
  bool wants_switch(std::uint32_t port, std::uint32_t channel, Picoseconds now);
  void allocate_switch(Picoseconds now, std::vector<Departure>& departures);
  void depart(std::uint8_t in_port, std::uint8_t channel, Picoseconds now,
              std::vector<Departure>& departures);
  void allocate_channels();
  void allocate_channels_of(std::uint8_t port);

  std::uint32_t channels_;
  std::size_t buffer_flits_;  // of a channel
  std::uint32_t flits_ = 0;
  std::vector<Input> inputs_;    // by port, then channel
  std::vector<Output> outputs_;  // likewise
  std::array<Port, kRouterPorts> ports_;
  std::vector<std::uint32_t> requests_;  // scratch: inputs that want a channel of one port
  std::vector<std::uint32_t> grants_;    // scratch: by output channel
};

}  // namespace waferloom::sim
