// The part of PacketNetwork that sends: injection queues, channels and flits of the tiles.

#include <algorithm>
#include <limits>

#include "sim/engine/free_entries.h"
#include "sim/network/packet_network.h"

namespace waferloom::sim {
namespace {

constexpr std::int64_t kHeld = std::numeric_limits<std::int64_t>::max();
// Cycles between a packet's tail and the next head on a tile's channel, of a lane's own and others.
constexpr int kNoRest = 1;
constexpr int kRest = 2;
constexpr int kWayIn = 3;  // from a tile into its router

}  // namespace

PacketNetwork::Tile& PacketNetwork::tile(NodeIndex node) {
  std::unique_ptr<Tile>& tile = tiles_[node];
  if (tile) return *tile;
  tile = std::make_unique<Tile>(Pace(flit_time(mesh_.tile_bytes_per_ps())));
  const auto channels = static_cast<std::size_t>(spec_.virtual_channels);
  tile->queues.resize(static_cast<std::size_t>(spec_.injection_queues));
  tile->credits.assign(channels, spec_.buffer_flits);
  tile->taken.assign(channels, 0);
  return *tile;
}

bool PacketNetwork::is_next_of_lane(const Tile& tile, std::size_t place) const {
  const Message& message = messages_[tile.messages[place]];
  if (!message.has_lane) return true;
  const auto is_before = [&](MessageIndex other) {
    return messages_[other].channels.first == message.channels.first;
  };
  const auto end = tile.messages.begin() + static_cast<std::ptrdiff_t>(place);
  return std::none_of(tile.messages.begin(), end, is_before) &&
         std::none_of(tile.queues.begin(), tile.queues.end(), [&](const Tile::Queue& queue) {
           return queue.left > 0 && is_before(queue.message);
         });
}

void PacketNetwork::fill_queues(Tile& tile) {
  for (Tile::Queue& queue : tile.queues) {
    if (queue.left > 0 || tile.messages.empty()) continue;
    if (tile.turn >= tile.messages.size()) tile.turn = 0;
    std::size_t passed = 0;
    while (passed < tile.messages.size() && !is_next_of_lane(tile, tile.turn)) {
      tile.turn = (tile.turn + 1) % tile.messages.size();
      ++passed;
    }
    if (passed == tile.messages.size()) return;
    const MessageIndex index = tile.messages[tile.turn];
    Message& message = messages_[index];
    queue.message = index;
    queue.packet_flits = std::min(spec_.packet_flits, message.ready - message.queued);
    queue.left = queue.packet_flits;
    queue.channel = kNoChannel;
    message.queued += queue.packet_flits;
    if (message.queued == message.ready) {
      tile.messages.erase(tile.messages.begin() + static_cast<std::ptrdiff_t>(tile.turn));
    } else {
      ++tile.turn;
    }
  }
}

void PacketNetwork::choose_channel(const Tile& tile, Tile::Queue& queue) const {
  // As in the reference's routers, a queue's very first packet goes by the first channel or waits
  // for it.
  const std::size_t channels = tile.credits.size();
  const ChannelRange& range = messages_[queue.message].channels;
  const bool is_first = queue.last_channel == kNoChannel;
  for (std::size_t i = 0; i < (is_first ? 1 : channels); ++i) {
    const std::size_t channel = is_first ? range.first : (queue.last_channel + 1 + i) % channels;
    if (channel < range.first || channel >= range.end || tile.taken[channel] > cycle_) {
      continue;
    }
    if (tile.credits[channel] > 0) queue.channel = static_cast<std::uint8_t>(channel);
    return;
  }
}

std::uint32_t PacketNetwork::new_packet(MessageIndex message) {
  const std::uint32_t index = take_entry(packets_, free_packets_);
  packets_[index] = {message, 0, 0, kTilePort, messages_[message].channels};
  set_port(packets_[index]);
  return index;
}

bool PacketNetwork::send_flit(NodeIndex node, Tile::Queue& queue) {
  Tile& tile = *tiles_[node];
  if (queue.left == 0) return false;
  if (queue.channel == kNoChannel) {
    choose_channel(tile, queue);
    if (queue.channel == kNoChannel) return false;
    tile.taken[queue.channel] = kHeld;
    queue.last_channel = queue.channel;
  }
  if (tile.credits[queue.channel] == 0) return false;
  --tile.credits[queue.channel];
  Flit flit;
  flit.head = queue.left == queue.packet_flits;
  flit.tail = queue.left == 1;
  if (flit.head) queue.packet = new_packet(queue.message);
  flit.packet = queue.packet;
  slot(landings_, cycle_at(tile.way_in.take(now())) + kWayIn)
      .push_back({node, flit, kTilePort, queue.channel});
  ++in_flight_;
  if (--queue.left == 0) {
    const bool has_lane = messages_[queue.message].has_lane;
    tile.taken[queue.channel] = cycle_ + (has_lane ? kNoRest : kRest);
  }
  return true;
}

bool PacketNetwork::is_resting(const Tile& tile) const {
  return std::any_of(tile.taken.begin(), tile.taken.end(),
                     [&](Cycle until) { return until > cycle_ && until != kHeld; });
}

void PacketNetwork::list_tile(NodeIndex node, Tile& tile) {
  if (tile.listed && !tile.asleep) return;
  tile.listed = true;
  tile.asleep = false;
  sending_.push_back(node);
}

void PacketNetwork::send() {
  std::size_t kept = 0;
  for (const NodeIndex node : sending_) {
    Tile& tile = *tiles_[node];
    fill_queues(tile);
    const bool accepts = tile.way_in.accepts(now());
    bool is_sent = false;
    for (std::size_t i = 1; accepts && i <= tile.queues.size(); ++i) {
      const std::size_t queue = (tile.last_queue + i) % tile.queues.size();
      if (!send_flit(node, tile.queues[queue])) continue;
      tile.last_queue = queue;
      is_sent = true;
      break;
    }
    if (!is_sent && accepts && !is_resting(tile)) {
      tile.asleep = true;
      continue;
    }
    const bool waiting = std::any_of(tile.queues.begin(), tile.queues.end(),
                                     [](const Tile::Queue& queue) { return queue.left > 0; });
    tile.listed = waiting || !tile.messages.empty();
    if (tile.listed) sending_[kept++] = node;
  }
  sending_.resize(kept);
}

}  // namespace waferloom::sim
