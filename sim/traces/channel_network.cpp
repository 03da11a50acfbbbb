#include "sim/traces/channel_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "model/errors.h"
#include "model/mesh.h"
#include "sim/engine/free_entries.h"

// Networks on chip of a torus whose links go one way, as Tenstorrent's: what decides how long their
// messages take is how packets hold virtual channels. A packet is a worm: its head takes a channel
// on each link of its way, one after another, and keeps it until its tail is through. On each link
// a class of packets has few channels; one more set is for packets that have passed from the last
// tile of a row or column to the first (the dateline), so that no ring of packets waits for itself.
// A channel's flits wait in its buffer at a router's input; room that they leave is known to the
// router before a hop later (credits). A router's output takes the channels that have something for
// it in turn, and an input hands on one flit in a step. A head gets a channel behind an output when
// it is its turn there and not before: to grant free channels to heads as they come makes a ring of
// merging packets slower by a sixth than what was measured.
// An end sends `sends` packets at a time. Its rate and that of the links are kept on average: who
// was late may be early by a step.
// A broadcast is a packet that forks. It begins once no other one has a link of its tree, so
// broadcasts never wait for one another half way.
// Flits go in units of two, which halves the work; a step is what a unit takes on a link. Work is
// one event for each unit and hop.
// Sources: Tenstorrent, tt-isa-documentation, WormholeB0/NoC (flits, channels, hops); Dally and
// Seitz, Deadlock-free message routing, 1987 (datelines).

namespace waferloom::sim {
namespace {

constexpr std::int64_t kUnitFlits = 2;
constexpr std::size_t kMostNocTiles = 100'000;
constexpr std::int64_t kStretch = 50'000;       // steps between two questions whether to stop
constexpr std::int64_t kMostSteps = 1'000'000;  // of a hop, or of a unit on a link or an end

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// Picoseconds of so many bytes at a rate, at least one.
Picoseconds time_of(std::int64_t bytes, const Rate& rate) {
  const Int128 whole = Int128(bytes) * kPicosecondsPerSecond;
  return std::max<Picoseconds>(1, static_cast<Picoseconds>((whole + *rate / 2) / *rate));
}

}  // namespace

ChannelNetwork::ChannelNetwork(const Hardware& hardware)
    : hardware_(hardware),
      columns_(hardware.wafer.width),
      rows_(hardware.wafer.height),
      tiles_(static_cast<std::size_t>(columns_ * rows_)) {
  const NocSpec& noc = *hardware.noc;
  if (tiles_ * noc.networks.size() > kMostNocTiles) {
    throw RequestError(fmt::format("networks on chip of at most {} tiles together, found {}",
                                   kMostNocTiles, tiles_ * noc.networks.size()));
  }
  per_class_ = static_cast<std::int32_t>(2 * noc.channels);
  per_input_ = 3 * per_class_;
  unit_bytes_ = kUnitFlits * hardware.router.flit_bytes;
  packet_bytes_ =
      std::max<std::int64_t>(1, hardware.router.packet_flits - 1) * hardware.router.flit_bytes;
  step_ = std::max<Picoseconds>(1, kUnitFlits * kPicosecondsPerSecond / hardware.clock_hz);
  hop_steps_ = static_cast<std::size_t>(
      std::max<std::int64_t>(1, divided_up(hardware.link.latency_ps, step_)));
  const auto unit_time = [&](const Rate& rate, Picoseconds otherwise) {
    return rate ? time_of(unit_bytes_, rate) : otherwise;
  };
  link_time_ = std::max(step_, unit_time(noc.link_bytes_per_s, step_));
  const Picoseconds tile_time = unit_time(noc.tile_bytes_per_s, link_time_);
  end_time_.assign(tiles_, tile_time);
  for (const EdgePort& port : hardware.dram_ports) {
    const TilePlace tile = port_tile(hardware.wafer, port);
    end_time_[node(0, tile)] = unit_time(noc.dram_bytes_per_s, tile_time);
  }
  buffer_units_ = static_cast<std::int32_t>(divided_up(noc.buffer_flits, kUnitFlits));
  sends_ = static_cast<std::size_t>(noc.sends);
  gets_broadcasts_.assign(tiles_, true);
  for (std::size_t tile = 0; tile < tiles_; ++tile) {
    const TilePlace at = place(tile);
    for (const Rectangle& dead : hardware.wafer.dead) {
      if (hops_to(at, dead) == 0) gets_broadcasts_[tile] = false;
    }
  }

  const std::size_t nodes = tiles_ * noc.networks.size();
  const std::size_t inputs = nodes * kOutputs;
  channels_.resize(inputs * static_cast<std::size_t>(per_input_));
  taken_in_.assign(inputs, -1);
  outputs_.resize(inputs);
  ends_.resize(nodes);
  for (End& end : ends_) end.sending.fill(kNone);
  const Picoseconds slowest =
      std::max(link_time_, *std::max_element(end_time_.begin(), end_time_.end()));
  const auto longest = std::max(static_cast<std::int64_t>(hop_steps_), divided_up(slowest, step_));
  if (longest > kMostSteps) {
    throw RequestError(fmt::format("networks on chip take at most {} cycles for a hop or a flit",
                                   kUnitFlits * kMostSteps));
  }
  still_steps_ = kStretch + 4 * longest;
  flights_.resize(hop_steps_ + 1);
  returns_.resize(hop_steps_ + 1);
  for (std::size_t at = 0; at < nodes; ++at) {
    const NocNetwork& network = noc.networks[at / tiles_];
    const TilePlace tile = place(at);
    const std::int64_t x = tile.x + (network.along_x == Direction::east ? 1 : columns_ - 1);
    const std::int64_t y = tile.y + (network.along_y == Direction::north ? 1 : rows_ - 1);
    outputs_[at * kOutputs].beyond =
        static_cast<std::int32_t>(node(at / tiles_, {x % columns_, tile.y}) * kOutputs);
    outputs_[at * kOutputs + 1].beyond =
        static_cast<std::int32_t>(node(at / tiles_, {tile.x, y % rows_}) * kOutputs + 1);
  }
}

std::size_t ChannelNetwork::node(std::size_t network, const TilePlace& tile) const {
  return network * tiles_ + static_cast<std::size_t>(tile.y * columns_ + tile.x);
}

TilePlace ChannelNetwork::place(std::size_t node) const {
  const auto tile = static_cast<std::int64_t>(node % tiles_);
  return {tile % columns_, tile / columns_};
}

/// Hops along an axis, in the network's direction.
std::int64_t ChannelNetwork::along(std::int64_t from, std::int64_t to, bool is_x,
                                   std::size_t network) const {
  const NocNetwork& of = hardware_.noc->networks[network];
  const bool is_up = is_x ? of.along_x == Direction::east : of.along_y == Direction::north;
  const std::int64_t side = is_x ? columns_ : rows_;
  return ((is_up ? to - from : from - to) + side) % side;
}

std::int64_t ChannelNetwork::hops(std::size_t network, const TilePlace& from,
                                  const TilePlace& to) const {
  return along(from.x, to.x, true, network) + along(from.y, to.y, false, network);
}

/// Whether a packet that leaves a tile along an axis has passed the dateline behind that link.
bool ChannelNetwork::is_around(const Packet& packet, const Side& output) const {
  const auto [node, axis] = output;
  const NocNetwork& of = hardware_.noc->networks[packet.shipment.network];
  const bool is_x = axis == 0;
  const bool is_up = is_x ? of.along_x == Direction::east : of.along_y == Direction::north;
  const TilePlace tile = place(node);
  const std::int64_t at = is_x ? tile.x : tile.y;
  const std::int64_t from = is_x ? packet.shipment.from.x : packet.shipment.from.y;
  if (is_up) return at == (is_x ? columns_ : rows_) - 1 || at < from;
  return at == 0 || at > from;
}

/// The outputs that a packet takes at a router, as bits.
std::uint8_t ChannelNetwork::outputs(const Packet& packet, const Side& input) const {
  const Shipment& shipment = packet.shipment;
  if (shipment.of == PacketClass::broadcast) return broadcast_outputs(packet, input);
  const TilePlace tile = place(input.node);
  const bool x_left = tile.x != shipment.to.x;
  const bool y_left = tile.y != shipment.to.y;
  const bool x_first = hardware_.noc->networks[shipment.network].order == AxisOrder::x_first;
  if (x_left && (x_first || !y_left)) return 1U << 0U;
  if (y_left) return 1U << 1U;
  return 1U << 2U;
}

/// Along the first axis as far as the rectangle goes; from there along the second in each row or
/// column of it.
std::uint8_t ChannelNetwork::broadcast_outputs(const Packet& packet, const Side& from) const {
  const auto [node, input] = from;
  const Shipment& shipment = packet.shipment;
  const std::size_t network = shipment.network;
  const bool x_first = hardware_.noc->networks[network].order == AxisOrder::x_first;
  const std::size_t trunk = x_first ? 0 : 1;
  const TilePlace tile = place(node);
  const std::array<std::int64_t, 2> gone{along(shipment.from.x, tile.x, true, network),
                                         along(shipment.from.y, tile.y, false, network)};
  const std::array<std::int64_t, 2> far{packet.far_x, packet.far_y};
  const std::array<bool, 2> inside{tile.x >= shipment.to.x && tile.x <= shipment.last.x,
                                   tile.y >= shipment.to.y && tile.y <= shipment.last.y};
  const std::size_t branch = 1 - trunk;
  std::uint8_t taken = 0;
  if (input != branch && gone[trunk] < far[trunk]) taken |= 1U << trunk;
  if (inside[trunk] && gone[branch] < far[branch]) taken |= 1U << branch;
  const bool is_source = tile == shipment.from;
  if (inside[0] && inside[1] && !is_source && gets_broadcasts_[node % tiles_]) taken |= 1U << 2U;
  return taken;
}

std::int32_t ChannelNetwork::new_packet(const Packet& packet) {
  const std::int32_t at = take_entry(packets_, free_packets_);
  packets_[static_cast<std::size_t>(at)] = packet;
  return at;
}

/// Sets how far a broadcast goes, and to how many tiles.
void ChannelNetwork::fork(Packet& packet) const {
  const Shipment& shipment = packet.shipment;
  packet.at_ends = 0;
  for (std::int64_t y = shipment.to.y; y <= shipment.last.y; ++y) {
    for (std::int64_t x = shipment.to.x; x <= shipment.last.x; ++x) {
      const TilePlace tile{x, y};
      packet.far_x = std::max(packet.far_x, along(shipment.from.x, x, true, shipment.network));
      packet.far_y = std::max(packet.far_y, along(shipment.from.y, y, false, shipment.network));
      if (tile != shipment.from && gets_broadcasts_[node(0, tile)]) ++packet.at_ends;
    }
  }
  if (packet.at_ends == 0) {
    throw RequestError("a broadcast from tile " + tile_text(shipment.from) +
                       " goes to no tile that takes one");
  }
}

void ChannelNetwork::submit(Picoseconds now, std::size_t id, const Shipment& shipment) {
  Packet packet{0, shipment};
  packet.at_ends = 1;
  if (shipment.of == PacketClass::broadcast) fork(packet);
  packet.load = take_entry(loads_, free_loads_);
  loads_[packet.load] = {id, divided_up(shipment.bytes, packet_bytes_)};
  if (!busy()) now_ = std::max(now_, divided_up(now, step_));
  const std::size_t at = node(shipment.network, shipment.from);
  for (std::int64_t left = shipment.bytes; left > 0;) {
    const std::int64_t bytes = std::min(left, packet_bytes_);
    left -= bytes;
    packet.units =
        static_cast<std::int32_t>(divided_up(bytes + hardware_.router.flit_bytes, unit_bytes_));
    ends_[at].queue.push_back(new_packet(packet));
    ++in_flight_;
  }
  if (!ends_[at].is_active) {
    ends_[at].is_active = true;
    feeding_.push_back(at);
  }
}

bool ChannelNetwork::run_until(Picoseconds end, std::vector<Arrival>& arrived) {
  const std::int64_t last = end == kNever ? kNever : divided_up(end, step_);
  const std::int64_t pause = now_ + still_steps_;
  const std::uint64_t before = events_;
  while (busy() && arrived.empty() && now_ < last) {
    if (now_ == pause) {
      if (events_ == before) throw std::logic_error("packets of a network wait for each other");
      return false;
    }
    step(arrived);
    ++now_;
  }
  return true;
}

void ChannelNetwork::step(std::vector<Arrival>& arrived) {
  const std::size_t slot = static_cast<std::size_t>(now_) % flights_.size();
  for (const Flight& flight : flights_[slot]) land(flight);
  flights_[slot].clear();
  for (const std::int32_t channel : returns_[slot]) give_room(channel);
  returns_[slot].clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < feeding_.size(); ++i) {
    const std::size_t at = feeding_[i];
    feed(at);
    End& end = ends_[at];
    const auto is_idle = [](std::int32_t packet) { return packet == kNone; };
    end.is_active =
        !end.queue.empty() || !std::all_of(end.sending.begin(), end.sending.end(), is_idle);
    if (end.is_active) feeding_[kept++] = at;
  }
  feeding_.resize(kept);
  kept = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {  // grows on the way
    const std::size_t at = active_[i];
    if (outputs_[at].free < (now_ + 1) * step_) serve(at, arrived);
    outputs_[at].is_active = (outputs_[at].ready & ~outputs_[at].stuck) != 0;
    if (outputs_[at].is_active) active_[kept++] = at;
  }
  active_.resize(kept);
}

/// A unit comes to the input behind a link.
void ChannelNetwork::land(const Flight& flight) {
  if (flight.is_head) push_segment(flight);
  Channel& channel = channels_[static_cast<std::size_t>(flight.channel)];
  Segment& last = segments_[static_cast<std::size_t>(channel.last)];
  ++last.received;
  if (channel.first != channel.last) return;
  for (std::size_t output = 0; output < kOutputs; ++output) {
    const Branch& branch = last.branches[output];
    const bool has_waited = branch.sent + 1 == last.received;
    if ((last.outputs >> output & 1U) != 0 && has_waited) make_ready(flight.channel, output);
  }
}

void ChannelNetwork::push_segment(const Flight& head) {
  const std::int32_t channel = head.channel;
  const std::int32_t at = take_entry(segments_, free_segments_);
  segments_[static_cast<std::size_t>(at)] = Segment{};
  segments_[static_cast<std::size_t>(at)].packet = head.packet;
  Channel& to = channels_[static_cast<std::size_t>(channel)];
  if (to.first == kNone) {
    to.first = to.last = at;
    route_front(channel);
  } else {
    segments_[static_cast<std::size_t>(to.last)].next = at;
    to.last = at;
  }
}

/// The first segment of a channel waits for its turn at its outputs.
void ChannelNetwork::route_front(std::int32_t channel) {
  const std::int32_t input = channel / per_input_;
  Segment& front =
      segments_[static_cast<std::size_t>(channels_[static_cast<std::size_t>(channel)].first)];
  front.outputs = outputs(
      packets_[static_cast<std::size_t>(front.packet)],
      {static_cast<std::size_t>(input) / kOutputs, static_cast<std::size_t>(input) % kOutputs});
  for (std::size_t output = 0; output < kOutputs; ++output) {
    if ((front.outputs >> output & 1U) == 0) continue;
    if (output == kOutputs - 1) front.branches[output].channel = kTile;
    make_ready(channel, output);
  }
}

/// Whether there is a channel behind an output for the first segment of a channel, which takes it.
bool ChannelNetwork::allocate(std::int32_t channel, std::size_t output) {
  const auto input = static_cast<std::size_t>(channel / per_input_);
  const std::size_t at = input / kOutputs;
  Segment& front =
      segments_[static_cast<std::size_t>(channels_[static_cast<std::size_t>(channel)].first)];
  const Packet& packet = packets_[static_cast<std::size_t>(front.packet)];
  const std::int32_t half = per_class_ / 2;
  const std::int32_t first = outputs_[at * kOutputs + output].beyond * per_input_ +
                             static_cast<std::int32_t>(packet.shipment.of) * per_class_ +
                             (is_around(packet, {at, output}) ? half : 0);
  for (std::int32_t i = first; i < first + half; ++i) {
    if (channels_[static_cast<std::size_t>(i)].owner != kNone) continue;
    channels_[static_cast<std::size_t>(i)].owner = channel;
    front.branches[output].channel = i;
    return true;
  }
  return false;
}

/// Lets the first segment of a channel send over an output if it has something, and there is room.
void ChannelNetwork::make_ready(std::int32_t channel, std::size_t output) {
  const auto input = static_cast<std::size_t>(channel / per_input_);
  const Segment& front =
      segments_[static_cast<std::size_t>(channels_[static_cast<std::size_t>(channel)].first)];
  const Branch& branch = front.branches[output];
  if (branch.sent >= front.received) return;
  if (branch.channel >= 0 && !has_room(branch.channel)) {
    channels_[static_cast<std::size_t>(branch.channel)].is_missed = true;
    return;
  }
  const std::size_t at = input / kOutputs * kOutputs + output;
  const auto bit = static_cast<std::uint32_t>(channel % per_input_) * kOutputs + input % kOutputs;
  outputs_[at].ready |= std::uint64_t{1} << bit;
  activate(at);
}

void ChannelNetwork::activate(std::size_t output) {
  if (outputs_[output].is_active) return;
  outputs_[output].is_active = true;
  active_.push_back(output);
}

bool ChannelNetwork::has_room(std::int32_t channel) const {
  return channels_[static_cast<std::size_t>(channel)].used < buffer_units_;
}

void ChannelNetwork::give_room(std::int32_t channel) {
  Channel& of = channels_[static_cast<std::size_t>(channel)];
  --of.used;
  if (!std::exchange(of.is_missed, false) || of.owner < 0) return;
  make_ready(of.owner, static_cast<std::size_t>(channel / per_input_) % kOutputs);
}

/// Takes packets of an end's queue, and sends a unit of one if it is time.
void ChannelNetwork::feed(std::size_t node) {
  End& end = ends_[node];
  for (std::size_t slot = 0; slot < sends_ && !end.queue.empty(); ++slot) {
    if (end.sending[slot] == kNone && !begin_sending({node, slot})) break;
  }
  if (end.free < (now_ + 1) * step_) send_from_end(node);
}

bool ChannelNetwork::begin_sending(const Side& of) {
  const auto [node, slot] = of;
  End& end = ends_[node];
  const std::int32_t next = end.queue.front();
  const Packet& packet = packets_[static_cast<std::size_t>(next)];
  const auto first = static_cast<std::int32_t>(node * kOutputs + 2) * per_input_ +
                     static_cast<std::int32_t>(packet.shipment.of) * per_class_;
  for (std::int32_t i = first; i < first + per_class_ / 2; ++i) {
    Channel& channel = channels_[static_cast<std::size_t>(i)];
    if (channel.owner != kNone) continue;
    if (packet.shipment.of == PacketClass::broadcast && !reserve(packet)) return false;
    channel.owner = kTile;
    end.sending[slot] = next;
    end.channels[slot] = i;
    end.sent[slot] = 0;
    end.queue.pop_front();
    return true;
  }
  return false;
}

void ChannelNetwork::send_from_end(std::size_t node) {
  End& end = ends_[node];
  for (std::size_t i = 0; i < sends_; ++i) {
    const std::size_t slot = (end.turn + i) % sends_;
    const std::int32_t at = end.sending[slot];
    const std::int32_t channel = end.channels[slot];
    if (at == kNone || !has_room(channel)) continue;
    const Picoseconds time = end_time_[node % tiles_];
    end.free = std::max(end.free, now_ * step_) + time;
    ++channels_[static_cast<std::size_t>(channel)].used;
    land({channel, at, end.sent[slot] == 0});
    ++events_;
    if (++end.sent[slot] == packets_[static_cast<std::size_t>(at)].units) {
      end.sending[slot] = kNone;
      channels_[static_cast<std::size_t>(channel)].owner = kNone;
    }
    end.turn = (slot + 1) % sends_;
    return;
  }
}

/// An output's links of a broadcast.
std::vector<std::size_t> ChannelNetwork::tree(const Packet& packet) const {
  std::vector<std::size_t> links;
  std::vector<std::pair<std::size_t, std::size_t>> open{
      {node(packet.shipment.network, packet.shipment.from), kOutputs - 1}};
  while (!open.empty()) {
    const auto [at, input] = open.back();
    open.pop_back();
    const std::uint8_t taken = outputs(packet, {at, input});
    for (std::size_t axis = 0; axis < 2; ++axis) {
      if ((taken >> axis & 1U) == 0) continue;
      links.push_back(at * kOutputs + axis);
      open.emplace_back(static_cast<std::size_t>(outputs_[links.back()].beyond) / kOutputs, axis);
    }
  }
  return links;
}

bool ChannelNetwork::reserve(const Packet& packet) {
  const std::vector<std::size_t> links = tree(packet);
  const auto is_taken = [&](std::size_t link) { return outputs_[link].is_reserved; };
  if (std::any_of(links.begin(), links.end(), is_taken)) return false;
  for (const std::size_t link : links) outputs_[link].is_reserved = true;
  return true;
}

/// Sends a unit of the channel whose turn it is, of those that may.
void ChannelNetwork::serve(std::size_t output, std::vector<Arrival>& arrived) {
  Output& from = outputs_[output];
  const std::size_t inputs = output / kOutputs * kOutputs;
  const std::uint64_t behind = ~std::uint64_t{0} << from.turn;
  const std::uint64_t able = from.ready & ~from.stuck;
  for (std::uint64_t part : {able & behind, able & ~behind}) {
    for (; part != 0; part &= part - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(part));
      const std::size_t input = inputs + bit % kOutputs;
      const bool forks = bit / kOutputs >= static_cast<std::uint32_t>(2 * per_class_);
      if (taken_in_[input] == now_ && !forks) continue;
      const auto channel =
          static_cast<std::int32_t>(input) * per_input_ + static_cast<std::int32_t>(bit / kOutputs);
      const Segment& front =
          segments_[static_cast<std::size_t>(channels_[static_cast<std::size_t>(channel)].first)];
      const Branch& branch = front.branches[output % kOutputs];
      if (branch.channel == kNone && !allocate(channel, output % kOutputs)) {
        from.stuck |= std::uint64_t{1} << bit;
        continue;
      }
      if (branch.channel >= 0 && !has_room(branch.channel)) {
        from.ready &= ~(std::uint64_t{1} << bit);
        channels_[static_cast<std::size_t>(branch.channel)].is_missed = true;
        continue;
      }
      send(output, bit, arrived);
      return;
    }
  }
}

void ChannelNetwork::send(std::size_t output, std::uint32_t bit, std::vector<Arrival>& arrived) {
  Output& from = outputs_[output];
  const std::size_t axis = output % kOutputs;
  const std::size_t input = output / kOutputs * kOutputs + bit % kOutputs;
  const auto channel =
      static_cast<std::int32_t>(input) * per_input_ + static_cast<std::int32_t>(bit / kOutputs);
  const std::int32_t at = channels_[static_cast<std::size_t>(channel)].first;
  Segment& front = segments_[static_cast<std::size_t>(at)];
  Branch& branch = front.branches[axis];
  const bool is_to_tile = branch.channel == kTile;
  const Picoseconds time = is_to_tile ? end_time_[output / kOutputs % tiles_] : link_time_;
  from.free = std::max(from.free, now_ * step_) + time;
  from.turn = (bit + 1) % 64;
  ++from.sent;
  ++events_;
  taken_in_[input] = now_;
  ++branch.sent;
  const std::int32_t packet = front.packet;
  const std::int32_t to = branch.channel;
  const bool is_tail = branch.sent == packets_[static_cast<std::size_t>(packet)].units;
  const std::size_t slot = (static_cast<std::size_t>(now_) + hop_steps_) % flights_.size();
  if (is_tail || branch.sent == front.received) from.ready &= ~(std::uint64_t{1} << bit);
  if (!is_to_tile) {
    ++channels_[static_cast<std::size_t>(to)].used;
    flights_[slot].push_back({to, packet, branch.sent == 1});
  }
  std::int32_t freed = front.received;
  bool is_done = true;
  for (std::size_t i = 0; i < kOutputs; ++i) {
    if ((front.outputs >> i & 1U) == 0) continue;
    freed = std::min(freed, front.branches[i].sent);
    is_done = is_done && front.branches[i].sent == packets_[static_cast<std::size_t>(packet)].units;
  }
  if (freed > front.freed) {
    front.freed = freed;
    if (input % kOutputs == kOutputs - 1) {
      give_room(channel);
    } else {
      returns_[slot].push_back(channel);
    }
  }
  if (is_done) pop(channel);
  if (!is_tail) return;
  if (is_to_tile) return arrive(packet, arrived);
  channels_[static_cast<std::size_t>(to)].owner = kNone;
  from.stuck = 0;
}

/// The first packet of a channel has left it.
void ChannelNetwork::pop(std::int32_t channel) {
  Channel& of = channels_[static_cast<std::size_t>(channel)];
  const std::int32_t done = of.first;
  of.first = segments_[static_cast<std::size_t>(done)].next;
  if (of.first == kNone) of.last = kNone;
  free_segments_.push_back(done);
  if (of.first != kNone) route_front(channel);
}

void ChannelNetwork::arrive(std::int32_t packet, std::vector<Arrival>& arrived) {
  Packet& of = packets_[static_cast<std::size_t>(packet)];
  if (--of.at_ends > 0) return;
  if (of.shipment.of == PacketClass::broadcast) {
    for (const std::size_t link : tree(of)) outputs_[link].is_reserved = false;
  }
  if (--loads_[of.load].packets == 0) {
    arrived.push_back({loads_[of.load].id, (now_ + 1) * step_});
    free_loads_.push_back(of.load);
  }
  --in_flight_;
  free_packets_.push_back(packet);
}

std::vector<std::int64_t> ChannelNetwork::link_bytes() const {
  std::vector<std::int64_t> bytes;
  for (std::size_t at = 0; at < outputs_.size(); ++at) {
    if (at % kOutputs < 2) bytes.push_back(outputs_[at].sent * unit_bytes_);
  }
  return bytes;
}

}  // namespace waferloom::sim
