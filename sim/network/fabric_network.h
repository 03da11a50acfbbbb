#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/network/network.h"
#include "sim/network/pace.h"

namespace waferloom::sim {

/// What a fabric of static routes takes for a word, in cycles of its fastest link.
struct FabricSpec {
  std::int64_t word_bytes = 4;   ///< that a link moves at once
  std::int64_t hop_cycles = 1;   ///< from router to router, ≥ 1
  std::int64_t ramp_cycles = 2;  ///< between a tile and its router, each way, ≥ 1
  std::int64_t queue_words = 8;  ///< that a router keeps of a transfer; full ones stop those before
};

/// A wafer's routers, resolved to cycles and words, for small meshes: routes are set before, every
/// transfer has a colour of its own, and a packet is a word. Links serve transfers in turn, a word
/// a cycle; so do the ramps between tiles and routers. A router copies a word to all branches of
/// its route. A transfer with `adds` sends its word i once word i of those transfers has come to
/// its tile and was added, `add_cycles` later.
///
/// A transfer alone takes words + hops · hop_cycles + 2 · ramp_cycles. Nothing waits in a circle:
/// transfers share links, never queues.
///
/// Memory O(hops of transfers under way + tiles), a cycle O(links with words in front of them).
/// Source: the fabric as in Luczynski et al. (HPDC'24), Section 2.
class FabricNetwork : public Network {
 public:
  static constexpr std::size_t kMaxTiles = 65'536;
  /// The mesh has at most kMaxTiles tiles, and links with a limit and one latency.
  FabricNetwork(const Mesh& mesh, const FabricSpec& spec);

  void submit(Picoseconds now, const Transfer& transfer) override;
  Picoseconds next_time() override;
  void advance(Picoseconds now, std::vector<TransferId>& arrived) override;
  std::vector<Delivery> take_deliveries() override { return std::exchange(deliveries_, {}); }

 private:
  using Cycle = std::int64_t;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// A way on from a station: over a port to the next one.
  struct Output {
    std::uint32_t port = 0;
    std::uint32_t next = 0;  // station
    std::int64_t sent = 0;   // words
  };
  /// A transfer that waits for words that come to a station.
  struct Follower {
    std::uint32_t stream = 0;
    std::uint32_t gate = 0;
  };
  /// Where words of a transfer come by: its source tile, a router, a destination tile.
  struct Station {
    NodeIndex node = 0;
    std::int64_t arrived = 0;
    std::vector<Output> outputs{};
    std::vector<Follower> followers{};  // of a destination tile
    bool is_end = false;
  };
  /// A transfer under way.
  struct Stream {
    TransferId id = 0;
    std::int64_t words = 0;
    std::vector<Station> stations;
    std::size_t missing = 0;          // destinations without all words
    bool is_tree = false;             // it has several destinations
    std::vector<std::int64_t> gates;  // words come of each transfer that it adds
    std::int64_t ready = 0;           // words that it may send, or will after add_cycles
    std::int64_t add_cycles = 0;
  };
  struct Candidate {
    std::uint32_t stream = 0;
    std::uint32_t station = 0;
    std::uint32_t output = 0;
  };
  struct Port {
    std::vector<Candidate> candidates;  // with words to send
    std::size_t turn = 0;
    bool is_busy = false;
  };
  struct Arrival {
    std::uint32_t stream = 0;
    std::uint32_t station = 0;
    std::int64_t words = 1;  // 0: a destination has all
  };

  std::uint32_t new_stream();
  void lay_stations(Stream& stream, const Route& route) const;
  void open_gates(std::uint32_t index, const Transfer& transfer, Cycle first);
  /// Words of `stream`, at its first station after `delay` cycles.
  void make_ready(std::uint32_t stream, std::int64_t words, Cycle at);
  void arrive(const Arrival& arrival, std::vector<TransferId>& arrived);
  /// A destination has all words.
  void deliver(const Arrival& arrival, std::vector<TransferId>& arrived);
  void pass_gate(const Follower& follower);
  void send();
  /// Sends a word of the first candidate that may; whether one did.
  bool send_one(std::uint32_t port);
  bool has_room(const Stream& stream, const Output& output) const;
  void schedule(Cycle at, const Arrival& arrival);
  bool is_ramp(std::uint32_t port) const { return port >= mesh_.link_count(); }
  Cycle cycle_at(Picoseconds time) const { return (time + cycle_ps_ - 1) / cycle_ps_; }
  bool is_idle() const { return busy_.empty() && under_way_ == 0; }

  const Mesh& mesh_;
  FabricSpec spec_;
  Picoseconds cycle_ps_;
  Cycle cycle_ = 0;
  std::vector<Port> ports_;  // links, then ways from tiles into the mesh, then out of it
  std::vector<Pace> paces_;  // likewise
  std::vector<std::uint32_t> busy_;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> free_streams_;
  std::unordered_map<TransferId, std::uint32_t> stream_of_;
  std::unordered_map<TransferId, std::vector<Follower>> awaited_;  // by transfers still to come
  std::vector<std::vector<Arrival>> wheel_;  // what happens in the next cycles, modulo its size
  EventQueue<Arrival> later_;                // what happens after those
  std::uint64_t under_way_ = 0;              // arrivals on the wheel
  std::vector<Delivery> deliveries_;
};

}  // namespace waferloom::sim
