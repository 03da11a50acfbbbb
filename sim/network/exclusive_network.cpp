#include "sim/network/exclusive_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/errors.h"
#include "sim/engine/free_entries.h"

namespace waferloom::sim {
namespace {

constexpr std::size_t kMostPlaces = 100'000'000;  // 800 MB

}  // namespace

ExclusiveNetwork::ExclusiveNetwork(const Mesh& mesh, Picoseconds endpoint_latency)
    : Network(mesh),
      mesh_(mesh),
      endpoint_latency_(endpoint_latency),
      queues_(mesh.link_count() + 2 * mesh.node_count()) {}

template <typename Visit>
void ExclusiveNetwork::for_each_queue(const Route& route, Visit&& visit) {
  const std::size_t ways_in = mesh_.link_count();
  const std::size_t ways_out = ways_in + mesh_.node_count();
  const bool has_ways = !mesh_.is_switched() && !route.passes_by;
  if (has_ways) visit(queues_[ways_in + route.source]);
  for_each_link(mesh_, route, [&](LinkIndex link) { visit(queues_[link]); });
  if (!has_ways) return;
  if (route.legs.empty()) visit(queues_[ways_out + route.source]);
  for (const Leg& leg : route.legs) {
    if (leg.delivers) visit(queues_[ways_out + end_of(mesh_, leg)]);
  }
}

void ExclusiveNetwork::submit(Picoseconds now, const Transfer& transfer) {
  ++events_;
  link_bytes_.count(transfer.route, transfer.bytes);
  const Slot slot = take_entry(pending_, free_slots_);
  Pending& pending = pending_[slot];
  pending.id = transfer.id;
  pending.route = transfer.route;
  pending.duration = endpoint_latency_ + route_latency(mesh_, transfer.route) +
                     transmission_time(transfer.bytes, slowest_rate(mesh_, transfer.route));
  pending.waiting = 0;
  // Queues lie far apart in memory: all are asked for before the first is waited for.
  for_each_queue(transfer.route, [](Queue& queue) { __builtin_prefetch(&queue, 1); });
  for_each_queue(transfer.route, [&](Queue& queue) {
    if (free_places_.empty() && places_.size() == kMostPlaces) {
      throw RequestError(
          fmt::format("the exclusive network has more than {} places in its queues", kMostPlaces));
    }
    const Ticket place = take_entry(places_, free_places_);
    places_[place] = Place{slot, kNone};
    if (queue.first == kNone) {
      queue.first = place;
    } else {
      places_[queue.last].next = place;
      ++pending.waiting;
    }
    queue.last = place;
  });
  if (pending.waiting == 0) arrivals_.push(now + pending.duration, Done{slot, pending.id});
}

void ExclusiveNetwork::leave(Slot slot, Picoseconds now) {
  for_each_queue(pending_[slot].route, [](Queue& queue) { __builtin_prefetch(&queue, 1); });
  for_each_queue(pending_[slot].route, [&](Queue& queue) {
    const Ticket place = queue.first;
    queue.first = places_[place].next;
    free_places_.push_back(place);
    if (queue.first == kNone) return;
    Pending& next = pending_[places_[queue.first].slot];
    if (--next.waiting == 0) {
      arrivals_.push(now + next.duration, Done{places_[queue.first].slot, next.id});
    }
  });
  free_slots_.push_back(slot);
}

void ExclusiveNetwork::advance(Picoseconds now, std::vector<TransferId>& arrived) {
  const auto before = static_cast<std::ptrdiff_t>(arrived.size());
  while (arrivals_.next_time() <= now) {
    const Done done = arrivals_.pop().payload;
    ++events_;
    leave(done.slot, now);
    arrived.push_back(done.id);
  }
  std::sort(arrived.begin() + before, arrived.end());
}

}  // namespace waferloom::sim
