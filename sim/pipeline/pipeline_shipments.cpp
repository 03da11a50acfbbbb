// The part of Pipeline that moves tensors: through adapters, ports and the network, lane by lane.

#include <algorithm>
#include <array>
#include <utility>

#include "sim/engine/free_entries.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline/pipeline.h"
#include "sim/pipeline_observers.h"

namespace waferloom::sim {

std::uint32_t Pipeline::new_shipment(const Shipment& shipment) {
  const std::uint32_t index = take_entry(shipments_, free_shipments_);
  shipments_[index] = shipment;
  return index;
}

void Pipeline::ship(std::size_t channel, bool gradient, std::int64_t sample) {
  const std::uint32_t index = new_shipment({channel, gradient, sample, std::nullopt, 0, now_});
  ++samples_moving_;
  Channel& at = channels_[channel];
  ++(gradient ? at.gradient : at.forward).shipped;
  if (!gradient) at.sent.push(now_);
  if (!is_output(channel) && !is_input(channel)) {
    touch(gradient ? spec_.channels[channel].producer : spec_.channels[channel].consumer);
  }
  Picoseconds ready = now_;
  for (Picoseconds& free : at.adapter_free[gradient ? 1 : 0]) {
    free = later(std::max(ready, free), spec_.channels[channel].adapter_pass);
    ready = free;
  }
  queue_.push(ready, Event{Event::Kind::ship, index, 0});
}

std::int64_t Pipeline::bytes_of(const Shipment& shipment) const {
  const ChannelSpec& channel = spec_.channels[shipment.channel];
  if (shipment.update_of) {
    const StageUpdate& update = *spec_.stages[*shipment.update_of].update;
    return is_output(shipment.channel) ? update.written_bytes : update.read_bytes;
  }
  return shipment.gradient && is_outside(shipment.channel) ? channel.backward_bytes : channel.bytes;
}

void Pipeline::begin_lanes(std::uint32_t index) {
  Shipment& shipment = shipments_[index];
  const ChannelSpec& channel = spec_.channels[shipment.channel];
  const bool outside = is_outside(shipment.channel);
  const std::vector<Lane>& ways = channel.lanes_of(shipment.gradient && !outside);
  if (bytes_of(shipment) == 0 || ways.empty()) {
    finish_shipment(index);
    return;
  }
  const std::int64_t all = bytes_of(shipment);
  const std::vector<std::uint32_t>& sent =
      lanes_.of(shipment.channel, shipment.gradient && !outside).sent;
  shipment.lanes_left = sent.size();
  for (const std::uint32_t lane : sent) {
    const std::int64_t bytes = channel.part(ways, lane, all);
    if (bytes == 0) {
      queue_.push(now_, Event{Event::Kind::lane_ends, index, lane});
    } else if (is_input(shipment.channel) && !channel.ports.empty()) {
      queue_.push(ports_.pass(channel.ports[lane], false, now_, bytes),
                  Event{Event::Kind::lane_begins, index, lane});
    } else {
      begin_lane({.shipment = index, .lane = lane});
    }
  }
}

Pipeline::Carried Pipeline::carried() const {
  Carried result;
  result.moved = moved_;
  result.exchanged = exchanged_;
  LinkBytes bytes(mesh_);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    for (const bool gradient : {false, true}) {
      result.moved +=
          lanes_.count_left_out(i, gradient, channels_[i].came[gradient ? 1 : 0], bytes);
    }
  }
  // The network counts what it was given.
  for (const auto& [id, transfer] : transfers_) bytes.count(transfer.route, -transfer.bytes);
  result.link_bytes = bytes.totals();
  const std::vector<std::int64_t> given = network_.link_bytes();
  for (std::size_t link = 0; link < given.size(); ++link) result.link_bytes[link] += given[link];
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const bool updated = updates_[i].step != Update::Step::exchange;
    const std::array<std::int64_t, 3> times{stages_[i].forward_done, stages_[i].backward_done,
                                            updated ? 1 : 0};
    for (std::size_t when = 0; when < times.size(); ++when) {
      const ApartExchange& apart = spec_.stages[i].apart[when];
      result.moved += apart.moved * times[when];
      result.exchanged_apart += apart.bytes * times[when];
      for (const LinkLoad& load : apart.links) {
        result.link_bytes[load.link] += load.bytes * times[when];
      }
    }
  }
  return result;
}

void Pipeline::begin_lane(const ShippedLane& shipped) {
  const auto [index, lane] = shipped;
  const Shipment& shipment = shipments_[index];
  const ChannelSpec& channel = spec_.channels[shipment.channel];
  const bool returns = shipment.gradient && !is_outside(shipment.channel);
  const std::vector<Lane>& ways = channel.lanes_of(returns);
  const std::int64_t bytes = channel.part(ways, lane, bytes_of(shipment));
  const TransferId id = next_transfer_++;
  LaneTransfer& transfer = transfers_[id];
  transfer.shipment = index;
  transfer.lane = lane;
  transfer.bytes = bytes;
  // Lanes were found to have a route when the run was set up.
  transfer.route = *lane_route(mesh_, planner_, ways[lane], channel.goes_back(returns), id, bytes);
  network_.submit(now_, Transfer{id, transfer.route, bytes, ways[lane].colour});
}

void Pipeline::lane_arrived(TransferId id) {
  const auto at = transfers_.find(id);
  const LaneTransfer transfer = std::move(at->second);
  transfers_.erase(at);
  moved_ += Int128(transfer.bytes) * link_count(transfer.route);
  const bool is_exchange = transfer.carries != Carries::shipment;
  if (is_exchange && !transfer.route.passes_by) exchanged_ += transfer.bytes;
  if (transfer.carries == Carries::task) return end_part_of_task(transfer.shipment);
  if (transfer.carries == Carries::update) return end_part_of_update(transfer.shipment);
  planner_.release(transfer.route, transfer.bytes);
  const Shipment& shipment = shipments_[transfer.shipment];
  const ChannelSpec& channel = spec_.channels[shipment.channel];
  if (is_output(shipment.channel) && !channel.ports.empty()) {
    queue_.push(ports_.pass(channel.ports[transfer.lane], true, now_, transfer.bytes),
                Event{Event::Kind::lane_ends, transfer.shipment, transfer.lane});
  } else {
    end_lane(transfer.shipment);
  }
}

void Pipeline::send_own(Carries carries, std::size_t index, const OwnTransfer& own,
                        std::int64_t bytes) {
  if (bytes == 0) return;
  const TransferId id = next_transfer_++;
  LaneTransfer& transfer = transfers_[id];
  transfer.carries = carries;
  transfer.shipment = static_cast<std::uint32_t>(index);
  transfer.bytes = bytes;
  transfer.route = path_route(mesh_, own.lane, false);
  network_.submit(now_, Transfer{id, transfer.route, bytes, own.lane.colour});
}

void Pipeline::end_lane(std::uint32_t index) {
  if (--shipments_[index].lanes_left == 0) finish_shipment(index);
}

void Pipeline::finish_shipment(std::uint32_t index) {
  const Shipment shipment = shipments_[index];
  free_shipments_.push_back(index);
  if (shipment.update_of) return end_part_of_update(*shipment.update_of);
  --samples_moving_;
  Channel& at = channels_[shipment.channel];
  ++at.came[shipment.gradient ? 1 : 0];
  at.shipping += now_ - shipment.begin;
  if (!shipment.gradient) at.last_shipping = now_ - shipment.begin;
  ++at.shipments;
  for (PipelineObserver* observer : observers_) {
    observer->on_shipment(shipment.channel, shipment.gradient, shipment.sample, shipment.begin,
                          now_);
  }
  Way& way = shipment.gradient ? at.gradient : at.forward;
  if (shipment.sample == way.arrived) {
    ++way.arrived;
    // Those that overtook it count now.
    for (auto next = std::find(way.early.begin(), way.early.end(), way.arrived);
         next != way.early.end();
         next = std::find(way.early.begin(), way.early.end(), way.arrived)) {
      way.early.erase(next);
      ++way.arrived;
    }
  } else {
    way.early.push_back(shipment.sample);
  }
  if (is_output(shipment.channel)) {
    const std::size_t stage = spec_.channels[shipment.channel].producer;
    if (shipment.gradient && way.arrived == samples_ && waits_for_writes(stage) &&
        spec_.stages[stage].update->written == shipment.channel) {
      end_part_of_update(stage);
    }
    ++way.freed;
    touch(spec_.channels[shipment.channel].producer);
    if (!spec_.training) sample_done(shipment.sample);
    return;
  }
  const bool returns = shipment.gradient && !is_input(shipment.channel);
  touch(returns ? spec_.channels[shipment.channel].producer
                : spec_.channels[shipment.channel].consumer);
}

}  // namespace waferloom::sim
