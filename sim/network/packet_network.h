#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/network/network.h"
#include "sim/network/pace.h"
#include "sim/network/router.h"

namespace waferloom::sim {

/// Routers resolved to cycles and flits: it judges the other networks.
///
/// A flit that leaves a router in cycle t may leave the next in t + 3; a head flit, which has to
/// get a channel first, in t + 4; the router before may use its room from t + 2. The tile's
/// injection queues take turns by flit; each holds one packet, of the tile's next message, round
/// robin. A message alone takes flits + 4 · hops + 6 cycles. Buffers as deep as a packet make this
/// virtual cut-through, shallower ones wormhole switching.
/// A cycle is what the fastest link needs for a flit; slower ones let cycles pass (Pace).
///
/// A transfer with a colour keeps to the virtual channel of that number. The channel is its lane's
/// alone, all along the path, so the lane's packets wait for one another and for their turn on
/// links, never for packets of another lane that wait. They are sent one behind the other, those of
/// the earlier transfer first.
///
/// Of a route that branches the tile at each branch sends every packet on when it has it whole.
///
/// Where one route turns both ways, as around dead tiles, or turns share channels, packets can wait
/// for one another in a circle: advance() throws RequestError once nothing moves any more.
///
/// Routers that no flit has come to do not exist, and cycles in which nothing is on its way are not
/// looked at. Memory O(tiles that were passed · channels · their depth), a cycle O(routers that
/// hold flits + tiles that send).
class PacketNetwork : public Network {
 public:
  /// The mesh has links with a limit. Runs throw RequestError once their routers could hold more
  /// than kMostBufferedFlits.
  PacketNetwork(const Mesh& mesh, const RouterSpec& spec,
                TurnClasses turns = TurnClasses::together);
  static constexpr std::int64_t kMostBufferedFlits = 50'000'000;
  /// Of the fastest link, ways into the mesh included, in bytes a picosecond.
  static double fastest_rate(const Mesh& mesh);

  void submit(Picoseconds now, const Transfer& transfer) override;
  Picoseconds next_time() override;
  void advance(Picoseconds now, std::vector<TransferId>& arrived) override;

 private:
  using Cycle = std::int64_t;
  using MessageIndex = std::uint32_t;
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint8_t kNoChannel = UINT8_MAX;

  /// A transfer, or the part of one between two branches of its route.
  struct Message {
    NodeIndex source = 0;
    std::vector<Leg> legs;    // one behind the other
    std::int64_t flits = 0;   // in all
    std::int64_t ready = 0;   // there at the source
    std::int64_t queued = 0;  // of those, in packets
    std::int64_t arrived = 0;
    std::uint32_t transfer = 0;  // in transfers_
    ChannelRange channels{};
    bool has_lane = false;             // the channel is its lane's alone
    std::vector<MessageIndex> next{};  // parts that begin where it ends
  };
  struct Pending {
    TransferId id = 0;
    std::vector<MessageIndex> parts;
    std::vector<MessageIndex> first;  // of them: those that begin at the source
    std::size_t under_way = 0;
  };
  /// What a tile has to send.
  struct Tile {
    explicit Tile(const Pace& of) : way_in(of) {}
    struct Queue {
      MessageIndex message = kNone;
      std::uint32_t packet = kNone;
      std::int64_t packet_flits = 0;
      std::int64_t left = 0;  // of the packet
      std::uint8_t channel = kNoChannel;
      std::uint8_t last_channel = kNoChannel;
    };
    std::vector<MessageIndex> messages;  // with flits that no queue holds
    std::size_t turn = 0;                // of them
    std::vector<Queue> queues;
    Pace way_in;
    std::size_t last_queue = 0;
    std::vector<std::int64_t> credits;  // of the router's input channels
    std::vector<Cycle> taken;           // until then, by packets
    bool listed = false;                // among the tiles that send
    bool asleep = false;                // until it gets credit, or something else to send
  };
  struct Landing {
    NodeIndex node;
    Flit flit;
    std::uint8_t port;
    std::uint8_t channel;
  };
  struct Credit {
    NodeIndex node;
    std::uint8_t port;  // kTilePort: the tile's
    std::uint8_t channel;
  };

  /// What happens in the next cycles, by cycle, modulo its size.
  template <typename Item>
  using Wheel = std::vector<std::vector<Item>>;
  template <typename Item>
  std::vector<Item>& slot(Wheel<Item>& wheel, Cycle cycle) {
    return wheel[static_cast<std::size_t>(cycle) % wheel.size()];
  }

  MessageIndex new_message(std::uint32_t transfer, NodeIndex source, std::int64_t flits);
  /// The parts of a transfer's route.
  void add_parts(std::uint32_t transfer, const Route& route, std::int64_t flits);
  /// The virtual channels for packets with these legs.
  ChannelRange channels_of(const std::vector<Leg>& legs) const;
  /// Whether flits wait for one another in a circle.
  void check_progress(bool moved);
  /// Everything that begins at a transfer's source may be sent.
  void begin(std::uint32_t transfer);
  void make_ready(MessageIndex message, std::int64_t flits);
  void deliver(std::vector<TransferId>& arrived);
  void eject(const Flit& flit, std::vector<TransferId>& arrived);
  void send();
  void fill_queues(Tile& tile);
  /// Whether the next packet of a tile's message, by place, may be sent: on a lane of its own it
  /// has to follow those before it.
  bool is_next_of_lane(const Tile& tile, std::size_t place) const;
  /// Whether a channel will be free for other packets without more credit.
  bool is_resting(const Tile& tile) const;
  void list_tile(NodeIndex node, Tile& tile);
  bool send_flit(NodeIndex node, Tile::Queue& queue);
  std::uint32_t new_packet(MessageIndex message);
  /// A channel of the tile's router for a new packet; Queue::channel stays kNoChannel if all are
  /// taken or full.
  void choose_channel(const Tile& tile, Tile::Queue& queue) const;
  /// Whether a flit left a router.
  bool run_routers();
  void set_port(Packet& packet) const;
  Router& router(NodeIndex node) {
    if (!routers_[node]) make_router(node);
    return *routers_[node];
  }
  void make_router(NodeIndex node);
  /// A router is looked at in the next cycle, if it has work.
  void wake(NodeIndex node);
  Tile& tile(NodeIndex node);
  /// The first cycle that does not begin before.
  Cycle cycle_at(Picoseconds time) const { return (time + cycle_ps_ - 1) / cycle_ps_; }
  Picoseconds now() const { return cycle_ * cycle_ps_; }
  Picoseconds flit_time(double bytes_per_ps) const;
  /// What a router's links take for a flit, by port.
  std::array<Picoseconds, kRouterPorts> flit_times(NodeIndex node) const;
  bool is_idle() const { return in_flight_ == 0 && sending_.empty(); }

  const Mesh& mesh_;
  RouterSpec spec_;
  Picoseconds cycle_ps_;
  TurnClasses turns_;
  Cycle slowest_flit_ = 1;  // cycles that the slowest link takes for one
  Cycle cycle_ = 0;         // flits and credits of this cycle have landed, none has left yet
  std::vector<std::unique_ptr<Router>> routers_;  // by node; none where no flit has been
  std::int64_t routers_made_ = 0;
  std::vector<std::unique_ptr<Tile>> tiles_;  // by node; none where nothing was sent
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
  std::vector<Message> messages_;
  std::vector<MessageIndex> free_messages_;
  std::vector<Pending> transfers_;
  std::vector<std::uint32_t> free_transfers_;
  EventQueue<std::uint32_t> later_;  // transfers that begin in a later cycle
  std::vector<NodeIndex> sending_;   // tiles with something to send
  std::vector<NodeIndex> busy_;      // routers that have work
  std::vector<std::uint8_t> is_busy_;
  std::uint64_t in_flight_ = 0;  // flits in routers and on links
  Cycle still_ = 0;              // cycles in a row without a flit that moved
  Wheel<Landing> landings_;
  Wheel<Landing> ejections_;
  Wheel<Credit> credits_;
  std::vector<Departure> departures_;
};

}  // namespace waferloom::sim
