#include "sim/network/cut_through_network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "sim/engine/free_entries.h"

// Problem: thousands of messages that meet, in far less time than flit by flit. Sharing of rates
// does not see that what waits stands in the way of others, and costs the square of the messages.
// Idea: packets of a message move as one burst by virtual cut-through. Links serve bursts in turn
// by input port; a burst needs a free place at the next router. Only what happens costs time.
// Source: virtual cut-through (Kermani and Kleinrock, 1979); turns by bytes as in start-time fair
// queueing (Goyal, Vin and Cheng, 1996); bursts and their backlog are ours.
// Cost: two to four events a burst and hop.
namespace waferloom::sim {
CutThroughNetwork::CutThroughNetwork(const Mesh& mesh, Picoseconds endpoint_latency,
                                     const RouterSpec& spec, TurnClasses turns)
    : Network(mesh),
      mesh_(mesh),
      way_in_latency_(endpoint_latency / 2),
      way_out_latency_(endpoint_latency - endpoint_latency / 2),
      spec_(spec),
      packet_bytes_(spec.packet_flits * spec.flit_bytes),
      halves_(spec.virtual_channels > 1 && (mesh.wraps() || turns == TurnClasses::apart)),
      tile_places_(mesh.node_count(), kNone) {}

std::uint32_t CutThroughNetwork::tile_at(NodeIndex node) {
  std::uint32_t& place = tile_places_[node];
  if (place != kNone) return place;
  place = static_cast<std::uint32_t>(tiles_.size());
  Tile& tile = tiles_.emplace_back();
  tile.node = node;
  tile.queues = spec_.injection_queues;
  const auto all = static_cast<std::int32_t>(spec_.virtual_channels);
  const std::int32_t second = halves_ ? all / 2 : 0;
  for (Port& port : tile.ports) port.places = {all - second, second};
  return place;
}

Picoseconds CutThroughNetwork::time_on(PortIndex index, std::int64_t bytes) {
  const double rate =
      is_link(index) ? mesh_.bytes_per_ps(link_of(index)) : mesh_.tile_bytes_per_ps();
  return static_cast<Picoseconds>(std::ceil(static_cast<double>(bytes) / rate - 1e-6));
}

Picoseconds CutThroughNetwork::latency_of(PortIndex index) {
  if (is_link(index)) return mesh_.latency(link_of(index));
  return is_way_in(index) ? way_in_latency_ : way_out_latency_;
}

std::int64_t CutThroughNetwork::held(const Burst& burst) const {
  return messages_[burst.message].burst / packet_bytes_ * spec_.buffer_flits * spec_.flit_bytes;
}

// ---- messages -------------------------------------------------------------------------------

std::uint32_t CutThroughNetwork::new_message(const Transfer& transfer) {
  const std::uint32_t index = take_entry(messages_, free_messages_);
  Message& message = messages_[index];
  message = {transfer.id, transfer.route};
  const std::int64_t packets = (transfer.bytes + packet_bytes_ - 1) / packet_bytes_;
  message.left = transfer.bytes;
  message.burst = (packets + kMostBursts - 1) / kMostBursts * packet_bytes_;
  const std::vector<Leg>& legs = message.route.legs;
  std::int64_t destinations = 0;
  bool branches = false;
  for (std::uint32_t i = 0; i < legs.size(); ++i) {
    destinations += legs[i].delivers ? 1 : 0;
    if (i > 0) {
      message.turns_back |=
          legs[i].parent != Leg::kNone && turns_back(legs[legs[i].parent], legs[i]);
    }
    branches |= legs[i].parent != (i == 0 ? Leg::kNone : i - 1) ||
                (legs[i].delivers && i + 1 < legs.size());
  }
  message.awaited = transfer.bytes * std::max<std::int64_t>(1, destinations);
  if (!branches) return index;
  message.first_child.assign(legs.size() + 1, kNone);
  message.sibling.assign(legs.size(), kNone);
  for (auto i = static_cast<std::uint32_t>(legs.size()); i-- > 0;) {
    std::uint32_t& first = message.first_child[legs[i].parent + 1];  // kNone + 1 is 0
    message.sibling[i] = std::exchange(first, i);
  }
  return index;
}

void CutThroughNetwork::submit(Picoseconds now, const Transfer& transfer) {
  now_ = now;
  ++events_;
  link_bytes_.count(transfer.route, transfer.bytes);
  const std::uint32_t message = new_message(transfer);
  const PortIndex way_in = port_at(transfer.route.source, kWayIn);
  Tile& tile = tile_of(way_in);
  tile.senders.push_back({tile.served, tile.order++, message});
  std::push_heap(tile.senders.begin(), tile.senders.end());
  serve_tile(way_in);
}

CutThroughNetwork::BurstIndex CutThroughNetwork::new_burst(const Burst& burst) {
  const BurstIndex index = take_entry(bursts_, free_bursts_);
  bursts_[index] = burst;
  return index;
}

void CutThroughNetwork::deliver(const Burst& burst, Picoseconds time) {
  Message& message = messages_[burst.message];
  message.awaited -= burst.bytes;
  message.last = std::max(message.last, time + way_out_latency_);
  if (message.awaited > 0) return;
  arrivals_.push(message.last, message.id);
  message = Message{};
  free_messages_.push_back(burst.message);
}

// ---- time -----------------------------------------------------------------------------------

Picoseconds CutThroughNetwork::next_time() {
  if (queue_.empty() && standing_ > 0) untangle();
  return std::min(queue_.next_time(), arrivals_.next_time());
}

void CutThroughNetwork::advance(Picoseconds now, std::vector<TransferId>& arrived) {
  while (queue_.next_time() <= now) {
    const auto event = queue_.pop();
    now_ = event.time;
    ++events_;
    const std::uint32_t index = event.payload.index;
    switch (event.payload.kind) {
      case EventKind::arrives:
        arrive(index);
        break;
      case EventKind::wakes:
        if (port(index).wake_at == now_) port(index).wake_at = kNever;
        look_at(index);
        break;
      case EventKind::leaves_first:
        leave_place({index, 0, event.payload.bytes});
        break;
      case EventKind::leaves_second:
        leave_place({index, 1, event.payload.bytes});
        break;
      case EventKind::leaves_queue:
        ++tile_of(index).queues;
        tile_of(index).queued -= event.payload.bytes;
        serve_tile(index);
        break;
    }
  }
  now_ = now;
  events_ += arrivals_.take(now, arrived);
}

void CutThroughNetwork::wake(PortIndex index, Picoseconds time) {
  Port& at = port(index);
  if (at.wake_at <= time) return;
  at.wake_at = time;
  queue_.push(time, {EventKind::wakes, index});
}

// ---- ports ----------------------------------------------------------------------------------

std::uint8_t CutThroughNetwork::half_at(const Burst& burst, PortIndex to) {
  if (!halves_) return 0;
  if (!mesh_.wraps()) return messages_[burst.message].turns_back ? 1 : 0;
  if (!is_link(to)) return 0;
  const bool is_around = burst.hop > 0 && burst.half == 1;
  return is_around || mesh_.is_around(link_of(to)) ? 1 : 0;
}

bool CutThroughNetwork::has_place(const Burst& burst, PortIndex to) {
  if (to % kTilePorts == kWayOut) return true;
  const std::uint8_t half = half_at(burst, to);
  const Port& at = port(to);
  return has_room(at.places[half], spec_.virtual_channels, at.standing[half], burst);
}

Picoseconds CutThroughNetwork::ready_at(const Port& port, const Burst& burst, Picoseconds free_at,
                                        Picoseconds time) const {
  const bool may_go_alongside =
      2 * time <= free_at - now_ && messages_[burst.message].id != port.message;
  return std::max(now_, may_go_alongside ? std::min(port.side_at, free_at) : free_at);
}

Picoseconds CutThroughNetwork::free_for(const Burst& burst, PortIndex to) {
  const Picoseconds free_at = port(to).free_at;
  if (burst.in == kNone || burst.shared != kNone) return free_at;
  return std::max(free_at, port(burst.in).read_at);
}

void CutThroughNetwork::serve_tile(PortIndex index) {
  Tile& tile = tile_of(index);
  Port& at = port(index);
  while (!tile.senders.empty()) {
    const std::uint32_t number = tile.senders.front().message;
    Message& message = messages_[number];
    Burst burst;
    burst.message = number;
    burst.node = tile.node;
    burst.bytes = std::min(message.burst, message.left);
    const bool has_queue = has_room(tile.queues, spec_.injection_queues, tile.queued, burst);
    if (!has_queue || !has_place(burst, index)) return;
    const Picoseconds ready = ready_at(at, burst, at.free_at, time_on(index, burst.bytes));
    if (ready > now_) return wake(index, ready);
    std::pop_heap(tile.senders.begin(), tile.senders.end());
    Sender& sender = tile.senders.back();
    tile.served = sender.served;
    message.left -= burst.bytes;
    if (message.left == 0) {
      tile.senders.pop_back();
    } else {
      sender.served += burst.bytes;
      sender.order = tile.order++;
      std::push_heap(tile.senders.begin(), tile.senders.end());
    }
    --tile.queues;
    tile.queued += burst.bytes;
    send(new_burst(burst), index);
  }
}

void CutThroughNetwork::insert(Queue& queue, BurstIndex index, std::int64_t served) {
  Burst& burst = bursts_[index];
  std::int64_t in_turn = 1;
  for (BurstIndex at = queue.first; at != kNone; at = bursts_[at].next) ++in_turn;
  burst.due = served + in_turn * burst.bytes;
  BurstIndex before = kNone;
  for (BurstIndex at = queue.first; at != kNone; at = bursts_[at].next) {
    const Burst& other = bursts_[at];
    if (other.due <= burst.due || other.message == burst.message) before = at;
  }
  BurstIndex& link = before == kNone ? queue.first : bursts_[before].next;
  bursts_[index].next = std::exchange(link, index);
}

void CutThroughNetwork::ask(BurstIndex index, PortIndex to) {
  Port& at = port(to);
  const PortIndex in = bursts_[index].in;
  const auto input = static_cast<std::uint8_t>(is_link(in) ? in % kTilePorts : kTilePort);
  const std::size_t number = input + std::size_t{kRouterPorts} * half_at(bursts_[index], to);
  Queue& queue = at.queues[number];
  if (queue.first == kNone) {
    at.served_of[input] = std::max(at.served_of[input], at.served);
    at.waiting = static_cast<std::uint16_t>(at.waiting | 1U << number);
  }
  insert(queue, index, at.served_of[input]);
  ++standing_;
  serve(to);
}

void CutThroughNetwork::serve(PortIndex index) {
  Port& at = port(index);
  while (at.waiting != 0) {
    std::uint8_t chosen = kQueues;
    Picoseconds soonest = kNever;
    for (std::uint8_t i = 0; i < kQueues; ++i) {
      const auto queue = static_cast<std::uint8_t>((at.turn + i) % kQueues);
      if ((at.waiting >> queue & 1U) == 0) continue;
      const Burst& burst = bursts_[at.queues[queue].first];
      if (!has_place(burst, index)) continue;
      const Picoseconds ready =
          ready_at(at, burst, free_for(burst, index), time_on(index, burst.bytes));
      soonest = std::min(soonest, ready);
      if (ready > now_) continue;
      if (chosen == kQueues ||
          at.served_of[queue % kRouterPorts] < at.served_of[chosen % kRouterPorts]) {
        chosen = queue;
      }
    }
    if (soonest == kNever) return;
    if (chosen == kQueues) return wake(index, soonest);
    at.turn = static_cast<std::uint8_t>((chosen + 1) % kQueues);
    Queue& queue = at.queues[chosen];
    const BurstIndex burst = queue.first;
    std::int64_t& served = at.served_of[chosen % kRouterPorts];
    at.served = std::max(at.served, served);
    served += bursts_[burst].bytes;
    queue.first = std::exchange(bursts_[burst].next, kNone);
    if (queue.first == kNone) at.waiting = static_cast<std::uint16_t>(at.waiting & ~(1U << chosen));
    --standing_;
    send(burst, index);
  }
}

void CutThroughNetwork::free_place(const Place& place, Picoseconds time) {
  if (place.shared != kNone) {
    Shared& copies = shared_[place.shared];
    copies.free_at = std::max(copies.free_at, time);
    if (--copies.left > 0) return;
    time = copies.free_at;
    free_shared_.push_back(place.shared);
  }
  const auto kind = static_cast<EventKind>(static_cast<int>(EventKind::leaves_first) + place.half);
  queue_.push(time, {kind, place.port, place.bytes});
}

void CutThroughNetwork::leave_place(const Place& place) {
  Port& at = port(place.port);
  at.standing[place.half] -= place.bytes;
  if (at.lent[place.half] > 0) {
    --at.lent[place.half];
    return;
  }
  ++at.places[place.half];
  look_at(place.port);
}

void CutThroughNetwork::untangle() {
  for (PortIndex index = 0; index < kTilePorts * tiles_.size(); ++index) {
    Port& at = port(index);
    if (at.waiting == 0) continue;
    const auto queue = static_cast<std::size_t>(std::countr_zero(at.waiting));
    const std::uint8_t half = half_at(bursts_[at.queues[queue].first], index);
    ++at.places[half];
    ++at.lent[half];
    wake(index, now_);
  }
}

void CutThroughNetwork::send(BurstIndex index, PortIndex to) {
  Burst& burst = bursts_[index];
  Port& at = port(to);
  const Picoseconds alone = time_on(to, burst.bytes);
  Picoseconds through = later(now_, alone);
  if (free_for(burst, to) > now_) {
    through = later(through, alone);
    at.side_at = through;
    at.free_at = later(std::max(at.free_at, now_), alone);
    if (burst.in != kNone) {
      port(burst.in).read_at = later(std::max(port(burst.in).read_at, now_), alone);
    }
  } else {
    at.free_at = through;
    at.message = messages_[burst.message].id;
    if (burst.in != kNone) port(burst.in).read_at = std::max(port(burst.in).read_at, through);
  }
  const Picoseconds end = std::max(through, burst.tail);
  const std::int64_t rest = std::max<std::int64_t>(0, burst.bytes - held(burst));
  if (burst.behind != kNone) {
    free_place({burst.behind, burst.behind_half, burst.bytes},
               std::max(burst.behind_free, now_ + time_on(to, rest)));
    burst.behind = kNone;
  }
  if (to % kTilePorts == kWayOut) {
    free_place({burst.in, burst.half, burst.bytes, burst.shared}, end);
    deliver(burst, end);
    free_bursts_.push_back(index);
    return;
  }
  const std::uint8_t half = half_at(burst, to);
  --at.places[half];
  at.standing[half] += burst.bytes;
  // Where it comes from: a place at the end of a port, or a queue of its tile.
  const Place from = burst.in == kNone ? Place{to, kQueue, burst.bytes}
                                       : Place{burst.in, burst.half, burst.bytes, burst.shared};
  if (rest > 0 && burst.shared == kNone) {
    burst.behind = from.port;
    burst.behind_half = from.half;
    burst.behind_free = end;
  } else {
    free_place(from, end);
  }
  burst.shared = kNone;
  burst.in = to;
  burst.half = half;
  burst.tail = end + latency_of(to);
  queue_.push(now_ + latency_of(to), {EventKind::arrives, index});
}

// ---- routers --------------------------------------------------------------------------------

void CutThroughNetwork::arrive(BurstIndex index) {
  Burst& burst = bursts_[index];
  if (!is_link(burst.in)) return branch(index);
  const auto direction = static_cast<Direction>(burst.in % kTilePorts);
  burst.node = mesh_.neighbour(burst.node, direction);
  if (++burst.hop == messages_[burst.message].route.legs[burst.leg].hops) return branch(index);
  ask(index, port_at(burst.node, static_cast<std::uint32_t>(direction)));
}

void CutThroughNetwork::branch(BurstIndex index) {
  Burst& burst = bursts_[index];
  burst.hop = 0;
  const Message& message = messages_[burst.message];
  const std::vector<Leg>& legs = message.route.legs;
  const auto way_along = [&](std::uint32_t leg) {
    return port_at(legs[leg].from, static_cast<std::uint32_t>(legs[leg].direction));
  };
  const std::uint32_t leg = burst.leg;
  if (message.first_child.empty()) {
    if (leg + 1 == legs.size()) return ask(index, port_at(burst.node, kWayOut));  // kNone + 1 is 0
    burst.leg = leg + 1;
    return ask(index, way_along(burst.leg));
  }
  const bool delivers = leg != kNone && legs[leg].delivers;
  Burst copy = burst;
  copy.behind = kNone;
  copy.shared = take_entry(shared_, free_shared_);
  shared_[copy.shared] = {delivers ? 1U : 0U, 0};
  if (burst.behind != kNone) {
    free_place({burst.behind, burst.behind_half, burst.bytes}, std::max(burst.behind_free, now_));
  }
  free_bursts_.push_back(index);
  for (std::uint32_t i = message.first_child[leg + 1]; i != kNone; i = message.sibling[i]) {
    ++shared_[copy.shared].left;
  }
  // The last one may end the message.
  std::vector<std::pair<BurstIndex, PortIndex>> ways;
  for (std::uint32_t i = message.first_child[leg + 1]; i != kNone; i = message.sibling[i]) {
    copy.leg = i;
    ways.emplace_back(new_burst(copy), way_along(i));
  }
  if (delivers) ways.emplace_back(new_burst(copy), port_at(copy.node, kWayOut));
  for (const auto& [next, way] : ways) ask(next, way);
}

}  // namespace waferloom::sim
