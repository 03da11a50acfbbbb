#include "sim/network/fabric_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

#include "sim/engine/free_entries.h"
#include "sim/network/packet_network.h"

// Problem: check closed forms of collectives and operators by moving their very words.
// Idea: words of a transfer keep their order, so counts do for queues: how many have come to each
// station of its route, and how many have left by each output. Ports pick among the outputs with
// words in turn. Only ports with words in front of them are visited in a cycle.
// Source: Luczynski et al., "Near-Optimal Wafer-Scale Reduce" (HPDC'24), Section 2.
// Cost: a cycle O(ports with words); a transfer O(hops) memory.
namespace waferloom::sim {
namespace {

Picoseconds word_time(const FabricSpec& spec, double bytes_per_ps) {
  const double time = static_cast<double>(spec.word_bytes) / bytes_per_ps;
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(std::llround(time)));
}

}  // namespace

FabricNetwork::FabricNetwork(const Mesh& mesh, const FabricSpec& spec)
    : Network(mesh),
      mesh_(mesh),
      spec_(spec),
      cycle_ps_(word_time(spec, PacketNetwork::fastest_rate(mesh))),
      ports_(mesh.link_count() + 2 * mesh.node_count()) {
  assert(mesh.node_count() <= kMaxTiles);
  paces_.reserve(ports_.size());
  for (LinkIndex link = 0; link < mesh.link_count(); ++link) {
    const double rate =
        mesh.is_dead_link(link) ? PacketNetwork::fastest_rate(mesh) : mesh.bytes_per_ps(link);
    paces_.emplace_back(word_time(spec, rate));
  }
  paces_.resize(ports_.size(), Pace(word_time(spec, mesh.tile_bytes_per_ps())));
  // A word may wait in a register as long as the slowest link takes for one.
  Picoseconds slowest = word_time(spec, mesh.tile_bytes_per_ps());
  for (LinkIndex link = 0; link < mesh.link_count(); ++link) {
    if (!mesh.is_dead_link(link)) {
      slowest = std::max(slowest, word_time(spec, mesh.bytes_per_ps(link)));
    }
  }
  wheel_.resize(static_cast<std::size_t>(2 + std::max(spec.hop_cycles, spec.ramp_cycles) +
                                         cycle_at(slowest)));
}

std::uint32_t FabricNetwork::new_stream() {
  const std::uint32_t index = take_entry(streams_, free_streams_);
  streams_[index] = {};
  return index;
}

void FabricNetwork::lay_stations(Stream& stream, const Route& route) const {
  const auto links = static_cast<std::uint32_t>(mesh_.link_count());
  const auto tiles = static_cast<std::uint32_t>(mesh_.node_count());
  std::vector<Station>& stations = stream.stations;
  struct Step {
    std::uint32_t port = 0;
    NodeIndex node = 0;
  };
  const auto go_on = [&](std::uint32_t from, const Step& step) {
    const auto next = static_cast<std::uint32_t>(stations.size());
    stations[from].outputs.push_back({step.port, next, 0});
    stations.push_back({step.node});
    return next;
  };
  const auto deliver = [&](std::uint32_t from) {
    const NodeIndex node = stations[from].node;
    stations[go_on(from, {.port = links + tiles + node, .node = node})].is_end = true;
    ++stream.missing;
  };
  stations.push_back({route.source});
  const std::uint32_t first = go_on(0, {.port = links + route.source, .node = route.source});
  if (route.legs.empty()) deliver(first);
  std::vector<std::uint32_t> ends;
  for (const Leg& leg : route.legs) {
    std::uint32_t at = leg.parent == Leg::kNone ? first : ends[leg.parent];
    for (std::uint32_t hop = 0; hop < leg.hops; ++hop) {
      const NodeIndex node = stations[at].node;
      at = go_on(at, {.port = Mesh::link(node, leg.direction),
                      .node = mesh_.neighbour(node, leg.direction)});
    }
    ends.push_back(at);
    if (leg.delivers) deliver(at);
  }
  stream.is_tree = stream.missing > 1;
}

void FabricNetwork::submit(Picoseconds now, const Transfer& transfer) {
  ++events_;
  link_bytes_.count(transfer.route, transfer.bytes);
  const Cycle first = cycle_at(now);
  if (is_idle() && later_.empty()) cycle_ = std::max(cycle_, first);
  const std::uint32_t index = new_stream();
  Stream& stream = streams_[index];
  stream.id = transfer.id;
  stream.words = (transfer.bytes + spec_.word_bytes - 1) / spec_.word_bytes;
  stream.add_cycles = transfer.add_cycles;
  lay_stations(stream, transfer.route);
  stream_of_.emplace(transfer.id, index);
  const auto awaited = awaited_.find(transfer.id);
  if (awaited != awaited_.end()) {
    for (const Follower& follower : awaited->second) {
      const NodeIndex node = streams_[follower.stream].stations.front().node;
      for (Station& station : stream.stations) {
        if (station.is_end && station.node == node) station.followers.push_back(follower);
      }
    }
    awaited_.erase(awaited);
  }
  open_gates(index, transfer, first);
}

void FabricNetwork::open_gates(std::uint32_t index, const Transfer& transfer, Cycle first) {
  Stream& stream = streams_[index];
  stream.gates.assign(transfer.adds.size(), 0);
  for (std::uint32_t gate = 0; gate < transfer.adds.size(); ++gate) {
    const auto known = stream_of_.find(transfer.adds[gate]);
    if (known == stream_of_.end()) {
      awaited_[transfer.adds[gate]].push_back({index, gate});
      continue;
    }
    for (Station& station : streams_[known->second].stations) {
      if (!station.is_end || station.node != stream.stations.front().node) continue;
      station.followers.push_back({index, gate});
      stream.gates[gate] = station.arrived;
    }
  }
  const std::int64_t there = stream.gates.empty()
                                 ? stream.words
                                 : *std::min_element(stream.gates.begin(), stream.gates.end());
  make_ready(index, there, std::max(first, cycle_) + stream.add_cycles);
}

void FabricNetwork::make_ready(std::uint32_t index, std::int64_t words, Cycle at) {
  Stream& stream = streams_[index];
  if (words <= stream.ready) return;
  later_.push(at * cycle_ps_, {index, 0, words - stream.ready});
  stream.ready = words;
}

Picoseconds FabricNetwork::next_time() {
  return is_idle() ? later_.next_time() : (cycle_ + 1) * cycle_ps_;
}

void FabricNetwork::schedule(Cycle at, const Arrival& arrival) {
  wheel_[static_cast<std::size_t>(at) % wheel_.size()].push_back(arrival);
  ++under_way_;
}

void FabricNetwork::advance(Picoseconds now, std::vector<TransferId>& arrived) {
  const Cycle target = now / cycle_ps_;
  const auto before = static_cast<std::ptrdiff_t>(arrived.size());
  const auto begin_due = [&] {
    while (later_.next_time() <= cycle_ * cycle_ps_) arrive(later_.pop().payload, arrived);
  };
  begin_due();
  while (cycle_ < target) {
    if (is_idle()) {
      cycle_ = std::min(target, std::max(cycle_ + 1, cycle_at(std::min(now, later_.next_time()))));
    } else {
      send();
      ++cycle_;
      std::vector<Arrival>& due = wheel_[static_cast<std::size_t>(cycle_) % wheel_.size()];
      for (const Arrival& arrival : due) arrive(arrival, arrived);
      under_way_ -= due.size();
      due.clear();
    }
    begin_due();
  }
  std::sort(arrived.begin() + before, arrived.end());
}

void FabricNetwork::arrive(const Arrival& arrival, std::vector<TransferId>& arrived) {
  Stream& stream = streams_[arrival.stream];
  if (arrival.words == 0) return deliver(arrival, arrived);
  Station& station = stream.stations[arrival.station];
  for (std::uint32_t i = 0; i < station.outputs.size(); ++i) {
    const Output& output = station.outputs[i];
    if (station.arrived > output.sent) continue;  // is a candidate already
    Port& port = ports_[output.port];
    port.candidates.push_back({arrival.stream, arrival.station, i});
    if (port.is_busy) continue;
    port.is_busy = true;
    busy_.push_back(output.port);
  }
  station.arrived += arrival.words;
  if (!station.is_end) return;
  for (const Follower& follower : station.followers) pass_gate(follower);
  if (station.arrived == stream.words) schedule(cycle_ + 1, {arrival.stream, arrival.station, 0});
}

void FabricNetwork::deliver(const Arrival& arrival, std::vector<TransferId>& arrived) {
  Stream& stream = streams_[arrival.stream];
  if (stream.is_tree) deliveries_.push_back({stream.id, stream.stations[arrival.station].node});
  if (--stream.missing > 0) return;
  arrived.push_back(stream.id);
  ++events_;
  stream_of_.erase(stream.id);
  free_streams_.push_back(arrival.stream);
}

void FabricNetwork::pass_gate(const Follower& follower) {
  Stream& stream = streams_[follower.stream];
  ++stream.gates[follower.gate];
  const std::int64_t there = *std::min_element(stream.gates.begin(), stream.gates.end());
  make_ready(follower.stream, there, cycle_ + stream.add_cycles);
}

void FabricNetwork::send() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < busy_.size(); ++i) {
    const std::uint32_t index = busy_[i];
    Port& port = ports_[index];
    if (paces_[index].accepts(cycle_ * cycle_ps_)) send_one(index);
    port.is_busy = !port.candidates.empty();
    if (port.is_busy) busy_[kept++] = index;
  }
  busy_.resize(kept);
}

bool FabricNetwork::has_room(const Stream& stream, const Output& output) const {
  const Station& next = stream.stations[output.next];
  if (next.is_end) return true;  // a tile takes whatever comes
  std::int64_t passed = stream.words;
  for (const Output& onward : next.outputs) passed = std::min(passed, onward.sent);
  return output.sent - passed < spec_.queue_words;
}

bool FabricNetwork::send_one(std::uint32_t index) {
  Port& port = ports_[index];
  for (std::size_t i = 0; i < port.candidates.size(); ++i) {
    const std::size_t at = (port.turn + i) % port.candidates.size();
    const Candidate candidate = port.candidates[at];
    Stream& stream = streams_[candidate.stream];
    const Station& from = stream.stations[candidate.station];
    Output& output = stream.stations[candidate.station].outputs[candidate.output];
    if (!has_room(stream, output)) continue;
    ++output.sent;
    const Picoseconds begin = paces_[index].take(cycle_ * cycle_ps_);
    schedule(cycle_at(begin) + (is_ramp(index) ? spec_.ramp_cycles : spec_.hop_cycles),
             {candidate.stream, output.next, 1});
    port.turn = at + 1;
    if (output.sent == from.arrived) {
      port.candidates.erase(port.candidates.begin() + static_cast<std::ptrdiff_t>(at));
      // If it gets a word in the next cycle, it stands behind all others again.
      port.turn = at < port.candidates.size() ? at : 0;
    }
    return true;
  }
  return false;
}

}  // namespace waferloom::sim
