#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "sim/network/pace.h"

namespace waferloom::sim {

/// Ports of a router: towards the neighbours, by Direction, and its tile's own.
inline constexpr std::uint8_t kTilePort = 4;
inline constexpr std::uint8_t kRouterPorts = 5;

/// Whether packets that turn from y to x keep to virtual channels of their own (the second half of
/// them, if there are two), so that they never wait in a circle with those that turn from x to y.
enum class TurnClasses : std::uint8_t { together, apart };

/// Virtual channels from `first` to before `end`.
struct ChannelRange {
  std::uint8_t first = 0;
  std::uint8_t end = 0;
};

/// A packet on its way. What routers need of it stands here once, so that a flit is its number.
struct Packet {
  std::uint32_t message = 0;
  std::uint32_t hop = 0;    ///< hops behind its head on its leg
  std::uint16_t leg = 0;    ///< of the message
  std::uint8_t port = 0;    ///< by which its head leaves the router that holds it
  ChannelRange channels{};  ///< that it may use
};

/// What a link moves in a cycle.
struct Flit {
  std::uint32_t packet = 0;
  bool head = false;
  bool tail = false;
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

  /// Whether a step may do anything: a flit could leave, or a head get a channel. Else nothing
  /// changes until receive() or credit().
  bool has_work() const;
  void receive(std::uint8_t port, std::uint8_t channel, const Flit& flit,
               const std::vector<Packet>& packets);
  /// The next router has room for one more flit.
  void credit(std::uint8_t port, std::uint8_t channel);
  /// Lets flits leave in the cycle at `now` and heads get channels, and appends what leaves.
  void step(Picoseconds now, const std::vector<Packet>& packets,
            std::vector<Departure>& departures);

 private:
  static constexpr std::uint8_t kNone = UINT8_MAX;
  /// Flits of a packet that stand in a channel one behind the other.
  struct Segment {
    std::uint32_t packet = 0;
    std::uint32_t flits : 30 = 0;
    bool begun : 1 = false;  // its head has left
    bool ended : 1 = false;  // its tail is there
  };
  struct Input {
    std::uint32_t first = 0;  // of its segments, in a ring of buffer_flits_
    std::uint32_t count = 0;
    std::uint32_t turn = 0;  // the output channel that it asks first
    std::uint8_t out_port = 0;
    std::uint8_t out_channel = kNone;  // of the packet in front
  };
  struct Output {
    std::int64_t credits = 0;
    std::uint32_t turn = 0;   // the input channel that it serves first
    std::uint32_t owner = 0;  // the input channel whose packet has it
  };
  struct Port {
    explicit Port(const Pace& of) : pace(of) {}
    Pace pace;                // as an output
    std::uint64_t ready = 0;  // as an input: a bit a channel whose flit in front may leave, as far
                              // as its channel and the room behind go
    std::uint64_t free = 0;   // as an output: a bit a channel that no packet has
    std::array<std::uint64_t, kRouterPorts> waiting{};  // likewise, by input: a bit a channel whose
                                                        // head in front waits for one of its own
    std::uint32_t inputs = 0;                           // a bit an input with such heads
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
  Segment& segment(std::uint32_t input, std::uint32_t place);
  void allocate_switch(Picoseconds now, const std::vector<Packet>& packets,
                       std::vector<Departure>& departures);
  void depart(std::uint8_t in_port, std::uint8_t channel, Picoseconds now,
              const std::vector<Packet>& packets, std::vector<Departure>& departures);
  /// Flits of a packet are in front of an input that had none: its head waits for a channel.
  void come_to_front(std::uint32_t input, const std::vector<Packet>& packets);
  void allocate_channels_of(std::uint8_t port, const std::vector<Packet>& packets);

  std::uint32_t channels_;
  std::uint32_t buffer_flits_;     // of a channel
  std::vector<Input> inputs_;      // by port, then channel
  std::vector<Output> outputs_;    // likewise
  std::vector<Segment> segments_;  // by input channel, a ring of buffer_flits_ each
  std::array<Port, kRouterPorts> ports_;
  std::vector<std::uint32_t> requests_;  // scratch: inputs that want a channel of one port
  std::vector<std::uint32_t> grants_;    // scratch: by output channel
};

}  // namespace waferloom::sim
