#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/hardware.h"
#include "sim/time.h"

namespace waferloom::sim {

/// What a packet is for. Packets of different classes never wait for a virtual channel of one
/// another.
enum class PacketClass : std::uint8_t { answer, request, broadcast };

/// Bytes that go from a tile to another, or to all tiles of a rectangle.
struct Shipment {
  std::size_t network = 0;  ///< of NocSpec::networks
  TilePlace from;
  TilePlace to;  ///< of a broadcast, the rectangle's first tile
  TilePlace last;
  std::int64_t bytes = 0;
  PacketClass of = PacketClass::answer;
};

/// Routers of a torus's networks, flit by flit: see the preface of the source.
class ChannelNetwork {
 public:
  /// Of a hardware with a `noc`. Throws RequestError beyond the network's limits.
  explicit ChannelNetwork(const Hardware& hardware);

  /// Queues a shipment at the end of its tile, no earlier than all before it.
  void submit(Picoseconds now, std::size_t id, const Shipment& shipment);

  bool busy() const { return in_flight_ > 0; }
  struct Arrival {
    std::size_t id;
    Picoseconds time;
  };
  /// Runs on until something has arrived, or up to a time. False: it has stopped on the way, to be
  /// called again.
  bool run_until(Picoseconds end, std::vector<Arrival>& arrived);

  /// Links between two tiles, in a network's direction.
  std::int64_t hops(std::size_t network, const TilePlace& from, const TilePlace& to) const;

  /// Bytes over each link, by network, tile and axis: ((network · tiles) + tile) · 2 + axis.
  std::vector<std::int64_t> link_bytes() const;
  std::uint64_t event_count() const { return events_; }

 private:
  static constexpr std::size_t kOutputs = 3;  // along x, along y, to the tile
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kTile = -2;  // an output that no channel limits
  static constexpr std::size_t kMostSends = 8;

  struct Packet {
    std::size_t load = 0;  // what it is a part of
    Shipment shipment;
    std::int32_t units = 0;
    std::int32_t at_ends = 0;  // tiles that have yet to get it
    std::int64_t far_x = 0;    // hops along the axes to the farthest tile of a broadcast
    std::int64_t far_y = 0;
  };
  /// A shipment that is under way.
  struct Load {
    std::size_t id = 0;
    std::int64_t packets = 0;  // that have yet to arrive
  };
  /// What a branch of a packet has sent, and into which channel behind the link.
  struct Branch {
    std::int32_t channel = kNone;
    std::int32_t sent = 0;
  };
  /// A packet in an input channel of a router.
  struct Segment {
    std::int32_t packet = kNone;
    std::int32_t received = 0;
    std::int32_t freed = 0;
    std::int32_t next = kNone;
    std::uint8_t outputs = 0;
    std::array<Branch, kOutputs> branches{};
  };
  struct Channel {
    std::int32_t first = kNone;  // segments
    std::int32_t last = kNone;
    std::int32_t used = 0;       // units in the buffer, or on their way to it
    std::int32_t owner = kNone;  // the channel, or the end, whose packet is on its way into it
    bool is_missed = false;      // its owner waits for room
  };
  struct Flight {
    std::int32_t channel;
    std::int32_t packet;
    bool is_head;
  };
  struct Output {
    std::uint64_t ready = 0;  // channels that have something for it, and room behind it, as bits
    std::uint64_t stuck = 0;  // of these, heads for which no channel behind it was free
    Picoseconds free = 0;
    std::int32_t beyond = kNone;  // the input behind the link
    std::uint32_t turn = 0;       // whose turn it is
    bool is_active = false;
    bool is_reserved = false;  // for a broadcast
    std::int64_t sent = 0;
  };
  struct End {
    std::deque<std::int32_t> queue;  // packets
    std::array<std::int32_t, kMostSends> sending{};
    std::array<std::int32_t, kMostSends> channels{};
    std::array<std::int32_t, kMostSends> sent{};
    std::size_t turn = 0;
    Picoseconds free = 0;
    bool is_active = false;
  };

  /// Steps in which something moves while anything is under way.
  std::int64_t still_steps_ = 0;

  std::size_t node(std::size_t network, const TilePlace& tile) const;
  TilePlace place(std::size_t node) const;
  std::int64_t along(std::int64_t from, std::int64_t to, bool is_x, std::size_t network) const;
  /// An input or output of a router, or a slot of an end.
  struct Side {
    std::size_t node;
    std::size_t side;
  };
  bool is_around(const Packet& packet, const Side& output) const;
  std::uint8_t outputs(const Packet& packet, const Side& input) const;
  std::uint8_t broadcast_outputs(const Packet& packet, const Side& input) const;
  std::int32_t new_packet(const Packet& packet);
  void fork(Packet& packet) const;
  std::vector<std::size_t> tree(const Packet& packet) const;
  bool reserve(const Packet& packet);

  void step(std::vector<Arrival>& arrived);
  void land(const Flight& flight);
  void feed(std::size_t node);
  bool begin_sending(const Side& of);
  void send_from_end(std::size_t node);
  void push_segment(const Flight& head);
  void route_front(std::int32_t channel);
  bool allocate(std::int32_t channel, std::size_t output);
  void make_ready(std::int32_t channel, std::size_t output);
  bool has_room(std::int32_t channel) const;
  void give_room(std::int32_t channel);
  void serve(std::size_t output, std::vector<Arrival>& arrived);
  void send(std::size_t output, std::uint32_t bit, std::vector<Arrival>& arrived);
  void arrive(std::int32_t packet, std::vector<Arrival>& arrived);
  void pop(std::int32_t channel);
  void activate(std::size_t output);

  const Hardware& hardware_;
  std::int64_t columns_;
  std::int64_t rows_;
  std::size_t tiles_;
  std::int32_t per_class_;  // channels of a class, those behind the dateline among them
  std::int32_t per_input_;
  std::int64_t unit_bytes_;
  std::int64_t packet_bytes_;
  Picoseconds step_;
  std::size_t hop_steps_;
  Picoseconds link_time_;              // of a unit
  std::vector<Picoseconds> end_time_;  // by tile
  std::int32_t buffer_units_;
  std::size_t sends_;
  std::vector<bool> gets_broadcasts_;  // by tile

  std::vector<Packet> packets_;
  std::vector<std::int32_t> free_packets_;
  std::vector<Load> loads_;
  std::vector<std::size_t> free_loads_;
  std::vector<Segment> segments_;
  std::vector<std::int32_t> free_segments_;
  std::vector<Channel> channels_;       // by input and number
  std::vector<std::int64_t> taken_in_;  // by input: the step of its last unit
  std::vector<Output> outputs_;
  std::vector<End> ends_;                           // by node
  std::vector<std::size_t> active_;                 // outputs
  std::vector<std::size_t> feeding_;                // ends
  std::vector<std::vector<Flight>> flights_;        // by step, in a ring
  std::vector<std::vector<std::int32_t>> returns_;  // likewise: room that channels get back
  std::int64_t now_ = 0;                            // steps
  std::int64_t in_flight_ = 0;                      // packets
  std::uint64_t events_ = 0;
};

}  // namespace waferloom::sim
