#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/network/arrivals.h"
#include "sim/network/network.h"
#include "sim/network/packet_network.h"
#include "sim/network/router.h"

namespace waferloom::sim {

/// Packets as wholes, event by event: the rule of the fair network where many messages meet.
///
/// A link serves one burst of packets of a message after the other. It takes turns among the input
/// ports that have one for it, so that all get as many bytes, and of a port the burst that came
/// first. A burst goes on as soon as its head is there (virtual cut-through). At the next router it
/// needs a free place, of as many as the port has virtual channels. A burst that has to wait there
/// keeps what the router's buffers do not hold in the place behind it. So what waits stands in the
/// way of others, which no sharing of rates shows.
///
/// A burst is a packet, or several of a long message: no message has more than kMostBursts. So its
/// cost does not depend on its length, and buffers count as so many times deeper. A burst that
/// would be through before the one on the link, if both took turns flit by flit, goes alongside it
/// at half the rate; and where the bursts that have a port's places are kMuchLonger than it in
/// mean, it waits for none of them, since their packets would hand the places on one by one. A
/// message alone takes its route's latency and its bytes at the rate of the slowest link.
///
/// Of a route that branches a burst goes on at each branch by each way when that is free. Its place
/// is free once all have gone.
///
/// Half of a port's places are for bursts that have come around a torus on their leg, or on a mesh
/// for messages that turn from y to x (TurnClasses), so that bursts of routes with one turn do not
/// wait in a circle. Where they do all the same, as on trees, each port lends a place.
///
/// Memory O(tiles that were passed + messages under way); two to four events a burst and hop, each
/// O(log n) of the queue.
class CutThroughNetwork : public Network {
 public:
  /// The mesh is not switched, and its links have a limit.
  CutThroughNetwork(const Mesh& mesh, Picoseconds endpoint_latency, const RouterSpec& spec,
                    TurnClasses turns = TurnClasses::together);
  static constexpr std::int64_t kMostBursts = 64;
  static constexpr std::int64_t kMuchLonger = 4;

  void submit(Picoseconds now, const Transfer& transfer) override;
  Picoseconds next_time() override;
  void advance(Picoseconds now, std::vector<TransferId>& arrived) override;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// A tile's ports: its links by Direction, its way into the mesh, its way out of it.
  static constexpr std::uint32_t kWayIn = 4;
  static constexpr std::uint32_t kWayOut = 5;
  static constexpr std::uint32_t kTilePorts = 6;
  using PortIndex = std::uint32_t;  // kTilePorts · tile, by place in tiles_, + port
  using BurstIndex = std::uint32_t;

  struct Message {
    TransferId id = 0;
    Route route;
    std::int64_t left = 0;                     // bytes that no burst has
    std::int64_t burst = 0;                    // bytes of one
    std::int64_t awaited = 0;                  // bytes on their way, to all destinations
    Picoseconds last = 0;                      // when what has come was there
    bool turns_back = false;                   // from y to x
    std::vector<std::uint32_t> first_child{};  // by leg + 1, where the route branches
    std::vector<std::uint32_t> sibling{};      // likewise
  };
  /// A burst in front of a router, or on its way there.
  struct Burst {
    std::uint32_t message = 0;
    std::uint32_t leg = kNone;     // that it is on; none: it comes from its tile
    std::uint32_t hop = 0;         // hops of the leg behind it
    NodeIndex node = 0;            // whose router it stands at, or has left
    PortIndex in = kNone;          // at whose end it has a place
    PortIndex behind = kNone;      // at whose end it may have another, if it has to wait
    std::uint32_t shared = kNone;  // the first place, with other copies
    BurstIndex next = kNone;       // behind it in its queue
    Picoseconds behind_free = 0;   // the first time at which it may have left the second place
    Picoseconds tail = 0;          // when its last byte comes
    std::int64_t bytes = 0;
    std::int64_t due = 0;          // by the count of its input: when it would be through
    std::uint8_t half = 0;         // of the places
    std::uint8_t behind_half = 0;  // likewise, of the second one
  };
  struct Queue {
    BurstIndex first = kNone;
  };
  /// A queue for each input and half of the places, so that a burst that waits for a place of one
  /// half holds none up that may have one of the other.
  static constexpr std::uint8_t kQueues = 2 * kRouterPorts;
  struct Port {
    Picoseconds free_at = 0;
    TransferId message = 0;                // of the burst on it
    Picoseconds side_at = 0;               // from when on another burst may go alongside
    Picoseconds read_at = 0;               // from when on its end may hand over another burst
    Picoseconds wake_at = kNever;          // when an event looks at it
    std::int64_t served = 0;               // bytes of the input that was served least
    std::array<std::int32_t, 2> places{};  // free ones at its end, by half; below 0: lent to short
                                           // bursts
    std::array<std::int64_t, 2> standing{};  // bytes of the bursts that have places, likewise
    std::array<std::uint32_t, 2> lent{};     // places more than it has, likewise
    std::uint8_t turn = 0;                   // the queue that is served first of equals
    std::uint16_t waiting = 0;               // a bit a queue that has bursts
    std::array<Queue, kQueues> queues{};     // by half, then input
    std::array<std::int64_t, kRouterPorts> served_of{};  // bytes of each input, by its count
  };
  /// Copies of a burst that one place holds.
  struct Shared {
    std::uint32_t left = 0;
    Picoseconds free_at = 0;
  };
  /// A message with bursts to send.
  struct Sender {
    std::int64_t served = 0;  // bytes, by the tile's count
    std::uint64_t order = 0;
    std::uint32_t message = 0;
    friend bool operator<(const Sender& a, const Sender& b) {  // of a heap with the least on top
      return a.served != b.served ? a.served > b.served : a.order > b.order;
    }
  };
  struct Tile {
    NodeIndex node = 0;
    std::array<Port, kTilePorts> ports{};
    std::vector<Sender> senders{};  // a heap
    std::int64_t queues = 0;        // free ones; below 0: lent to short bursts
    std::int64_t queued = 0;        // bytes of the bursts that have one
    std::int64_t served = 0;
    std::uint64_t order = 0;
  };
  enum class EventKind : std::uint8_t { arrives, wakes, leaves_first, leaves_second, leaves_queue };
  static constexpr std::uint8_t kQueue = 2;  // in place of a half: a queue of the tile
  struct Event {
    EventKind kind;
    std::uint32_t index;     // of a burst, or a port
    std::int64_t bytes = 0;  // that leave a place
  };

  /// The tile's place in tiles_; it is made if there is none.
  std::uint32_t tile_at(NodeIndex node);
  PortIndex port_at(NodeIndex node, std::uint32_t port) {
    return kTilePorts * tile_at(node) + port;
  }
  Port& port(PortIndex index) { return tiles_[index / kTilePorts].ports[index % kTilePorts]; }
  Tile& tile_of(PortIndex index) { return tiles_[index / kTilePorts]; }
  static bool is_link(PortIndex port) { return port % kTilePorts < kWayIn; }
  static bool is_way_in(PortIndex port) { return port % kTilePorts == kWayIn; }
  LinkIndex link_of(PortIndex index) {
    return Mesh::link(tile_of(index).node, static_cast<Direction>(index % kTilePorts));
  }
  Picoseconds time_on(PortIndex port, std::int64_t bytes);
  Picoseconds latency_of(PortIndex port);
  /// What a burst's buffers at a router hold of it.
  std::int64_t held(const Burst& burst) const;

  std::uint32_t new_message(const Transfer& transfer);
  BurstIndex new_burst(const Burst& burst);
  void arrive(BurstIndex index);
  /// Lets a burst go on from where a leg of its route, or its way in, has ended.
  void branch(BurstIndex index);
  /// Puts a burst in front of a way out of its router.
  void ask(BurstIndex index, PortIndex port);
  /// Behind those that would be through before it, if all took turns flit by flit, and behind those
  /// of its own message. O(length of the queue), which is at most the port's places.
  void insert(Queue& queue, BurstIndex index, std::int64_t served);
  /// Whether one of `all` queues or places is there for a burst: a free one, or one that is lent
  /// since the bursts that have them, with `standing` bytes, are much longer.
  static bool has_room(std::int64_t free, std::int64_t all, std::int64_t standing,
                       const Burst& burst) {
    return free > 0 || (free > -all && standing >= kMuchLonger * all * burst.bytes);
  }
  /// The half of a port's places that a burst would have at its end.
  std::uint8_t half_at(const Burst& burst, PortIndex port);
  bool has_place(const Burst& burst, PortIndex to);
  /// When a port is free, and the end of the one that a burst comes from. That is read once for all
  /// copies.
  Picoseconds free_for(const Burst& burst, PortIndex to);
  /// When a burst that takes a link so long may go: now, or when the one that it may not go
  /// alongside is gone. `free_at`: when it may go alone.
  Picoseconds ready_at(const Port& port, const Burst& burst, Picoseconds free_at,
                       Picoseconds time) const;
  void serve(PortIndex port);
  void serve_tile(PortIndex port);
  void look_at(PortIndex port) { is_way_in(port) ? serve_tile(port) : serve(port); }
  void send(BurstIndex index, PortIndex port);
  /// A place that a burst has at the end of a port.
  struct Place {
    PortIndex port = kNone;
    std::uint8_t half = 0;
    std::int64_t bytes = 0;
    std::uint32_t shared = kNone;
  };
  void leave_place(const Place& place);
  /// It is free at `time`, unless other copies still have it.
  void free_place(const Place& place, Picoseconds time);
  /// Gives the first burst in front of each port a place more if all wait for one another.
  void untangle();
  void wake(PortIndex port, Picoseconds time);
  void deliver(const Burst& burst, Picoseconds time);

  const Mesh& mesh_;
  Picoseconds way_in_latency_;
  Picoseconds way_out_latency_;
  RouterSpec spec_;
  std::int64_t packet_bytes_;
  bool halves_ = false;       // whether places are divided
  std::size_t standing_ = 0;  // bursts that wait for a port
  Picoseconds now_ = 0;
  std::vector<std::uint32_t> tile_places_;  // by node
  std::deque<Tile> tiles_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<Burst> bursts_;
  std::vector<BurstIndex> free_bursts_;
  std::vector<Shared> shared_;
  std::vector<std::uint32_t> free_shared_;
  EventQueue<Event> queue_;
  Arrivals arrivals_;
};

}  // namespace waferloom::sim
