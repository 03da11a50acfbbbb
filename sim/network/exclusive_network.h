#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/arrivals.h"
#include "sim/network/network.h"

namespace waferloom::sim {

/// PALM's rule (section IV): a transfer joins the queue of every link of its route when it is
/// submitted, moves when it is first in all of them, and holds them all until its last byte has
/// arrived. A tile's ways into a mesh and out of it are links of their own.
///
/// Submitting and arriving take O(links of the route), whatever else is under way. submit() throws
/// RequestError if all queues together become too long to hold.
class ExclusiveNetwork : public Network {
 public:
  ExclusiveNetwork(const Mesh& mesh, Picoseconds endpoint_latency);
  void submit(Picoseconds now, const Transfer& transfer) override;
  Picoseconds next_time() override { return arrivals_.next_time(); }
  void advance(Picoseconds now, std::vector<TransferId>& arrived) override;

 private:
  using Slot = std::uint32_t;  ///< a transfer under way
  using Ticket = std::uint32_t;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Pending {
    TransferId id = 0;
    Route route;
    Picoseconds duration = 0;
    std::uint32_t waiting = 0;  ///< queues in which it is not the first
  };
  /// A place in a link's queue.
  struct Place {
    Slot slot = kNone;
    Ticket next = kNone;
  };
  struct Queue {
    Ticket first = kNone;
    Ticket last = kNone;
  };
  struct Done {
    Slot slot;
    TransferId id;
  };

  template <typename Visit>
  void for_each_queue(const Route& route, Visit&& visit);
  void leave(Slot slot, Picoseconds now);

  const Mesh& mesh_;
  Picoseconds endpoint_latency_;
  std::vector<Queue> queues_;  // links, then ways into the mesh, then ways out of it
  std::vector<Place> places_;
  std::vector<Ticket> free_places_;
  std::vector<Pending> pending_;
  std::vector<Slot> free_slots_;
  EventQueue<Done> arrivals_;
};

}  // namespace waferloom::sim
