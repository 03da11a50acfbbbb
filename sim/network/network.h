#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "sim/mesh/link_bytes.h"
#include "sim/mesh/route.h"
#include "sim/network_kind.h"
#include "sim/time.h"

namespace waferloom::sim {

/// Names a transfer for whoever submits it; unique while it is under way, and of transfers that
/// begin at once the smaller goes first.
using TransferId = std::uint64_t;

/// Bytes on their way from one tile to another along a route; at least one byte.
struct Transfer {
  TransferId id = 0;
  Route route;
  std::int64_t bytes = 0;
  /// Of a lane of planned routes: no other one of this colour shares a tile with it.
  std::optional<std::uint8_t> colour{};
  /// Transfers of as many bytes to its source: each word of theirs is added to the word of this one
  /// before that is sent. Of the fabric network alone.
  std::vector<TransferId> adds{};
  std::int64_t add_cycles = 0;  ///< from a word's arrival to its sum's departure
};

/// How transfers share the links of a mesh. A network has no clock: whoever drives it says what
/// time it is, and time never goes back. Every network counts the bytes that each link carried.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Begins a transfer at `now`, ≤ next_time(). Those of one time are submitted in the order of
  /// their ids.
  virtual void submit(Picoseconds now, const Transfer& transfer) = 0;
  /// When something happens next if nothing is submitted before; kNever if nothing is under way.
  virtual Picoseconds next_time() = 0;
  /// Lets everything up to and at `now`, ≤ next_time(), happen, and appends what has arrived then,
  /// in the order of ids.
  virtual void advance(Picoseconds now, std::vector<TransferId>& arrived) = 0;

  /// A destination that has all of a transfer.
  struct Delivery {
    TransferId id = 0;
    NodeIndex node = 0;
  };
  /// What destinations of transfers to several tiles have got since it was last asked; nothing of
  /// networks that only know when the last one has it.
  virtual std::vector<Delivery> take_deliveries() { return {}; }

  /// Bytes of all transfers submitted so far on each link, by LinkIndex.
  std::vector<std::int64_t> link_bytes() const { return link_bytes_.totals(); }
  /// What is known of its rates; nothing if the network has none, or they are exact.
  virtual std::optional<RateError> rate_error() const { return std::nullopt; }
  /// Events handled so far.
  std::uint64_t event_count() const { return events_; }
  /// What its run has cost so far, in steps that take about as long as each other on any machine.
  virtual std::uint64_t work() const { return events_; }

 protected:
  explicit Network(const Mesh& mesh) : link_bytes_(mesh) {}
  LinkBytes link_bytes_;
  std::uint64_t events_ = 0;
};

/// A network on a mesh, which has to live longer. Throws RequestError, with one sentence,
/// where the packet network cannot represent the hardware: too many tiles, links without limit, or
/// of several latencies.
std::unique_ptr<Network> make_network(NetworkKind kind, const Mesh& mesh, const Hardware& hardware,
                                      const NetworkOptions& options = {});

}  // namespace waferloom::sim
