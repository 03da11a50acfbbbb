#include "sim/network/packet_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "sim/engine/free_entries.h"

// Problem: judge the other networks by one that moves flits, cycle by cycle.
// Idea: routers of virtual channels with credits. Only routers that hold flits and tiles that send
// are visited in a cycle. Time in which nothing is on its way is skipped.
// Source: Dally and Towles, Principles and Practices of Interconnection Networks; iSLIP (McKeown
// 1999).
// Cost: a cycle O(routers that hold flits + tiles that send); memory O(tiles that were passed ·
// channels · depth).
namespace waferloom::sim {
namespace {

constexpr int kHop = 3;  // cycles between a flit's leaving a router and its turn at the next
constexpr int kCreditBack = 2;
constexpr int kWayOut = 3;             // from a router to its tile
constexpr std::int64_t kFarthest = 3;  // of these times

}  // namespace

double PacketNetwork::fastest_rate(const Mesh& mesh) {
  double fastest = mesh.tile_bytes_per_ps();
  if (mesh.is_uniform()) return fastest;
  for (LinkIndex link = 0; link < mesh.link_count(); ++link) {
    if (!mesh.is_dead_link(link)) fastest = std::max(fastest, mesh.bytes_per_ps(link));
  }
  return fastest;
}

Picoseconds PacketNetwork::flit_time(double bytes_per_ps) const {
  const double time = static_cast<double>(spec_.flit_bytes) / bytes_per_ps;
  // Up, so that no link moves more than its rate; less than a millionth of a picosecond is
  // rounding.
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(std::ceil(time - 1e-6)));
}

PacketNetwork::PacketNetwork(const Mesh& mesh, const RouterSpec& spec, TurnClasses turns)
    : Network(mesh),
      mesh_(mesh),
      spec_(spec),
      cycle_ps_(flit_time(fastest_rate(mesh))),
      turns_(spec.virtual_channels > 1 ? turns : TurnClasses::together),
      routers_(mesh.node_count()),
      tiles_(mesh.node_count()),
      is_busy_(mesh.node_count(), 0) {
  const auto slowest_of = [&](NodeIndex node) {
    const auto times = flit_times(node);
    return cycle_at(*std::max_element(times.begin(), times.end()));
  };
  const std::size_t unlike = mesh.is_uniform() ? 1 : mesh.node_count();
  for (NodeIndex node = 0; node < unlike; ++node) {
    slowest_flit_ = std::max(slowest_flit_, slowest_of(node));
  }
  // A flit may wait in a register as long as the slowest link takes for one.
  const auto slots = static_cast<std::size_t>(1 + kFarthest + slowest_flit_);
  landings_.resize(slots);
  ejections_.resize(slots);
  credits_.resize(slots);
}

std::array<Picoseconds, kRouterPorts> PacketNetwork::flit_times(NodeIndex node) const {
  std::array<Picoseconds, kRouterPorts> times;
  times.fill(flit_time(mesh_.tile_bytes_per_ps()));
  for (const Direction direction : kDirections) {
    const LinkIndex link = Mesh::link(node, direction);
    if (mesh_.is_dead_link(link)) continue;
    times[static_cast<std::size_t>(direction)] = flit_time(mesh_.bytes_per_ps(link));
  }
  return times;
}

void PacketNetwork::make_router(NodeIndex node) {
  ++routers_made_;
  if (routers_made_ >
      kMostBufferedFlits / (kRouterPorts * spec_.virtual_channels * spec_.buffer_flits)) {
    throw RequestError(
        fmt::format("the packet network's routers hold at most {} flits", kMostBufferedFlits));
  }
  const auto times = flit_times(node);
  routers_[node] = std::make_unique<Router>(
      spec_,
      std::array{Pace(times[0]), Pace(times[1]), Pace(times[2]), Pace(times[3]), Pace(times[4])});
}

// ---- transfers ------------------------------------------------------------------------------

PacketNetwork::MessageIndex PacketNetwork::new_message(std::uint32_t transfer, NodeIndex source,
                                                       std::int64_t flits) {
  const MessageIndex index = take_entry(messages_, free_messages_);
  messages_[index] = Message{source, {}, flits, 0, 0, 0, transfer};
  transfers_[transfer].parts.push_back(index);
  ++transfers_[transfer].under_way;
  return index;
}

void PacketNetwork::add_parts(std::uint32_t transfer, const Route& route, std::int64_t flits) {
  if (route.legs.empty()) {
    transfers_[transfer].first.push_back(new_message(transfer, route.source, flits));
    return;
  }
  std::vector<std::uint32_t> children(route.legs.size(), 0);
  for (const Leg& leg : route.legs) {
    if (leg.parent != Leg::kNone) ++children[leg.parent];
  }
  std::vector<MessageIndex> part_of(route.legs.size());
  for (std::size_t i = 0; i < route.legs.size(); ++i) {
    const Leg& leg = route.legs[i];
    const bool goes_on =
        leg.parent != Leg::kNone && children[leg.parent] == 1 && !route.legs[leg.parent].delivers;
    part_of[i] = goes_on ? part_of[leg.parent] : new_message(transfer, leg.from, flits);
    messages_[part_of[i]].legs.push_back(leg);
    if (goes_on) continue;
    if (leg.parent == Leg::kNone) {
      transfers_[transfer].first.push_back(part_of[i]);
    } else {
      messages_[part_of[leg.parent]].next.push_back(part_of[i]);
    }
  }
}

ChannelRange PacketNetwork::channels_of(const std::vector<Leg>& legs) const {
  const auto all = static_cast<std::uint8_t>(spec_.virtual_channels);
  if (turns_ == TurnClasses::together) return {0, all};
  const auto half = static_cast<std::uint8_t>((all + 1) / 2);
  for (std::size_t i = 1; i < legs.size(); ++i) {
    if (turns_back(legs[i - 1], legs[i])) return {half, all};
  }
  return {0, half};
}

void PacketNetwork::submit(Picoseconds now, const Transfer& transfer) {
  ++events_;
  link_bytes_.count(transfer.route, transfer.bytes);
  const std::uint32_t index = take_entry(transfers_, free_transfers_);
  transfers_[index] = Pending{transfer.id, {}, {}, 0};
  const std::int64_t flits = (transfer.bytes + spec_.flit_bytes - 1) / spec_.flit_bytes;
  add_parts(index, transfer.route, flits);
  for (const MessageIndex part : transfers_[index].parts) {
    Message& message = messages_[part];
    message.has_lane = transfer.colour.has_value();
    message.channels = channels_of(message.legs);
    if (transfer.colour) {
      message.channels = {*transfer.colour, static_cast<std::uint8_t>(*transfer.colour + 1)};
    }
  }
  const Cycle first = cycle_at(now);
  if (is_idle() && later_.empty()) cycle_ = std::max(cycle_, first);
  if (first > cycle_) {
    later_.push(first * cycle_ps_, index);
  } else {
    begin(index);
  }
}

void PacketNetwork::begin(std::uint32_t transfer) {
  const std::vector<MessageIndex> first = transfers_[transfer].first;
  for (const MessageIndex part : first) make_ready(part, messages_[part].flits);
}

void PacketNetwork::make_ready(MessageIndex index, std::int64_t flits) {
  Message& message = messages_[index];
  Tile& tile = this->tile(message.source);
  if (message.ready == message.queued && flits > message.ready) tile.messages.push_back(index);
  message.ready = flits;
  list_tile(message.source, tile);
}

// ---- time -----------------------------------------------------------------------------------

Picoseconds PacketNetwork::next_time() {
  return is_idle() ? later_.next_time() : (cycle_ + 1) * cycle_ps_;
}

void PacketNetwork::advance(Picoseconds now, std::vector<TransferId>& arrived) {
  const Cycle target = now / cycle_ps_;
  const auto before = static_cast<std::ptrdiff_t>(arrived.size());
  while (cycle_ < target) {
    if (is_idle()) {
      cycle_ = target;
    } else {
      const std::uint64_t before_sending = in_flight_;
      send();
      const bool moved = run_routers() || in_flight_ != before_sending;
      check_progress(moved);
      ++cycle_;
      deliver(arrived);
    }
    while (later_.next_time() <= cycle_ * cycle_ps_) begin(later_.pop().payload);
  }
  std::sort(arrived.begin() + before, arrived.end());
}

void PacketNetwork::check_progress(bool moved) {
  // Longer than all that is on its way takes to land.
  const Cycle longest_pause = 16 + 2 * slowest_flit_;
  still_ = moved || in_flight_ == 0 ? 0 : still_ + 1;
  if (still_ > longest_pause) {
    throw RequestError(
        "packets wait for one another in a circle: routes around dead tiles turn both ways, or "
        "there is one virtual channel for all turns");
  }
}

void PacketNetwork::deliver(std::vector<TransferId>& arrived) {
  for (const Landing& landing : slot(ejections_, cycle_)) eject(landing.flit, arrived);
  slot(ejections_, cycle_).clear();
  for (const Landing& landing : slot(landings_, cycle_)) {
    router(landing.node).receive(landing.port, landing.channel, landing.flit, packets_);
    wake(landing.node);
  }
  slot(landings_, cycle_).clear();
  for (const Credit& credit : slot(credits_, cycle_)) {
    if (credit.port == kTilePort) {
      Tile& tile = *tiles_[credit.node];
      ++tile.credits[credit.channel];
      if (tile.asleep) list_tile(credit.node, tile);
    } else {
      router(credit.node).credit(credit.port, credit.channel);
      wake(credit.node);
    }
  }
  slot(credits_, cycle_).clear();
}

void PacketNetwork::wake(NodeIndex node) {
  if (is_busy_[node] != 0 || !routers_[node]->has_work()) return;
  is_busy_[node] = 1;
  busy_.push_back(node);
}

void PacketNetwork::eject(const Flit& flit, std::vector<TransferId>& arrived) {
  --in_flight_;
  Message& message = messages_[packets_[flit.packet].message];
  ++message.arrived;
  if (!flit.tail) return;
  free_packets_.push_back(flit.packet);
  for (const MessageIndex next : message.next) make_ready(next, message.arrived);
  if (message.arrived < message.flits) return;
  Pending& transfer = transfers_[message.transfer];
  if (--transfer.under_way > 0) return;
  arrived.push_back(transfer.id);
  ++events_;
  free_messages_.insert(free_messages_.end(), transfer.parts.begin(), transfer.parts.end());
  free_transfers_.push_back(message.transfer);
}

// ---- routers --------------------------------------------------------------------------------

void PacketNetwork::set_port(Packet& packet) const {
  const std::vector<Leg>& legs = messages_[packet.message].legs;
  packet.port =
      packet.leg < legs.size() ? static_cast<std::uint8_t>(legs[packet.leg].direction) : kTilePort;
}

bool PacketNetwork::run_routers() {
  bool moved = false;
  std::size_t kept = 0;
  for (const NodeIndex node : busy_) {
    departures_.clear();
    Router& router = *routers_[node];
    router.step(now(), packets_, departures_);
    moved = moved || !departures_.empty();
    for (const Departure& departure : departures_) {
      const auto from = static_cast<Direction>(departure.in_port);
      slot(credits_, cycle_ + kCreditBack)
          .push_back(departure.in_port == kTilePort
                         ? Credit{node, kTilePort, departure.in_channel}
                         : Credit{mesh_.neighbour(node, from),
                                  static_cast<std::uint8_t>(opposite(from)), departure.in_channel});
      if (departure.out_port == kTilePort) {
        slot(ejections_, cycle_at(departure.begin) + kWayOut)
            .push_back({node, departure.flit, kTilePort, 0});
        continue;
      }
      const auto to = static_cast<Direction>(departure.out_port);
      if (departure.flit.head) {
        Packet& packet = packets_[departure.flit.packet];
        if (++packet.hop == messages_[packet.message].legs[packet.leg].hops) {
          ++packet.leg;
          packet.hop = 0;
        }
        set_port(packet);
      }
      slot(landings_, cycle_at(departure.begin) + kHop)
          .push_back({mesh_.neighbour(node, to), departure.flit,
                      static_cast<std::uint8_t>(opposite(to)), departure.out_channel});
    }
    if (router.has_work()) {
      busy_[kept++] = node;
    } else {
      is_busy_[node] = 0;
    }
  }
  busy_.resize(kept);
  return moved;
}

}  // namespace waferloom::sim
