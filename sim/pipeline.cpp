#include "sim/pipeline.h"

#include <algorithm>
#include <utility>

namespace waferloom {

Pipeline::Pipeline(const PipelineSpec& spec, const Mesh& mesh, Network& network,
                   RoutePlanner& planner, std::int64_t samples,
                   std::vector<PipelineObserver*> observers)
    : spec_(spec),
      mesh_(mesh),
      network_(network),
      planner_(planner),
      samples_(samples),
      observers_(std::move(observers)),
      stages_(spec.stages.size()),
      channels_(spec.channels.size()),
      ports_(spec, samples) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const ChannelSpec& channel = spec.channels[i];
    for (auto& passes : channels_[i].adapter_free) {
      passes.assign(static_cast<std::size_t>(channel.adapters), 0);
    }
    if (!is_output(i)) stages_[channel.consumer].from.push_back(i);
    if (!is_input(i)) stages_[channel.producer].to.push_back(i);
  }
  parts_left_.assign(static_cast<std::size_t>(samples), parts_of_a_sample());
  for (std::size_t i = 0; i < channels_.size(); ++i) feed(i);
  for (std::size_t i = 0; i < stages_.size(); ++i) touch(i);
}

// ---- time -----------------------------------------------------------------------------------

bool Pipeline::step() {
  if (touched_.empty()) {
    const Picoseconds next = std::min(queue_.next_time(), network_.next_time());
    if (next == kNever && !transfers_.empty()) fail_beyond_horizon();  // some never arrive
    if (next == kNever) return false;
    now_ = later(next, 0);
    arrived_.clear();
    network_.advance(now_, arrived_);
    for (const TransferId transfer : arrived_) lane_arrived(transfer);
    while (queue_.next_time() <= now_) {
      ++events_;
      handle(queue_.pop().payload);
    }
  }
  // What one stage does at an instant may touch others, which are looked at in turn.
  while (!touched_.empty()) {
    std::vector<std::size_t> stages;
    stages.swap(touched_);
    std::sort(stages.begin(), stages.end());
    for (const std::size_t stage : stages) {
      stages_[stage].touched = false;
      try_stage(stage);
      account(stage);
    }
  }
  return true;
}

void Pipeline::touch(std::size_t stage) {
  if (stages_[stage].touched) return;
  stages_[stage].touched = true;
  touched_.push_back(stage);
}

void Pipeline::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::task_done:
      finish_task(event.index);
      break;
    case Event::Kind::ship:
      begin_lanes(event.index);
      break;
    case Event::Kind::lane_begins:
      begin_lane(event.index, event.lane);
      break;
    case Event::Kind::lane_ends:
      end_lane(event.index);
      break;
  }
}

// ---- stages ---------------------------------------------------------------------------------

bool Pipeline::can_go_forward(std::size_t stage) const {
  const Stage& at = stages_[stage];
  if (at.busy || at.forward >= samples_) return false;
  if (spec_.training && at.forward - at.backward_done >= spec_.stages[stage].most_in_flight) {
    return false;
  }
  for (const std::size_t channel : at.from) {
    if (channels_[channel].forward.arrived <= at.forward) return false;
  }
  for (const std::size_t channel : at.to) {
    const Way& way = channels_[channel].forward;
    if (way.taken - way.freed >= spec_.channels[channel].buffer_samples) return false;
  }
  return true;
}

bool Pipeline::can_go_backward(std::size_t stage) const {
  const Stage& at = stages_[stage];
  if (!spec_.training || at.busy || at.backward >= at.forward_done) return false;
  if (spec_.backward_last && at.forward_done < samples_) return false;
  for (const std::size_t channel : at.to) {
    if (!is_output(channel) && channels_[channel].gradient.arrived <= at.backward) return false;
  }
  for (const std::size_t channel : at.from) {
    if (is_input(channel)) continue;
    const Way& way = channels_[channel].gradient;
    if (way.taken - way.freed >= spec_.channels[channel].buffer_samples) return false;
  }
  return true;
}

void Pipeline::try_stage(std::size_t stage) {
  if (can_go_backward(stage)) {
    begin_task(stage, true);
  } else if (can_go_forward(stage)) {
    begin_task(stage, false);
  }
}

void Pipeline::begin_task(std::size_t stage, bool backward) {
  Stage& at = stages_[stage];
  account(stage);
  at.busy = true;
  at.is_backward = backward;
  if (backward) {
    ++at.backward;
    for (const std::size_t channel : at.from) {
      if (!is_input(channel)) ++channels_[channel].gradient.taken;
    }
  } else {
    ++at.forward;
    at.begun.push(now_);
    for (const std::size_t channel : at.to) ++channels_[channel].forward.taken;
  }
  const StageSpec& spec = spec_.stages[stage];
  const Picoseconds end = later(now_, backward ? spec.backward : spec.forward);
  queue_.push(end, Event{Event::Kind::task_done, static_cast<std::uint32_t>(stage), 0});
  const std::int64_t sample = (backward ? at.backward : at.forward) - 1;
  for (PipelineObserver* observer : observers_) {
    observer->on_task(stage, backward, sample, now_, end);
  }
}

void Pipeline::finish_task(std::size_t stage) {
  Stage& at = stages_[stage];
  account(stage);
  at.busy = false;
  const std::int64_t sample = at.is_backward ? at.backward_done++ : at.forward_done++;
  for (const std::size_t channel : at.is_backward ? at.to : at.from) {
    if (at.is_backward && is_output(channel)) continue;
    free_room(channel, at.is_backward);
  }
  for (const std::size_t channel : at.is_backward ? at.from : at.to) {
    if (at.is_backward && is_input(channel)) continue;
    ship(channel, at.is_backward, sample);
  }
  if (spec_.training ? at.is_backward : at.to.empty()) sample_done(sample);
  touch(stage);
}

void Pipeline::free_room(std::size_t channel, bool gradient) {
  Channel& at = channels_[channel];
  ++(gradient ? at.gradient : at.forward).freed;
  if (!gradient && is_input(channel)) {
    feed(channel);
  } else {
    touch(gradient ? spec_.channels[channel].consumer : spec_.channels[channel].producer);
  }
}

void Pipeline::feed(std::size_t channel) {
  if (!is_input(channel)) return;
  Way& way = channels_[channel].forward;
  while (way.taken < samples_ && way.taken - way.freed < spec_.channels[channel].buffer_samples) {
    ship(channel, false, way.taken++);
  }
}

std::size_t Pipeline::parts_of_a_sample() const {
  if (spec_.training) return stages_.size();
  std::size_t parts = 0;
  for (const Stage& stage : stages_) parts += stage.to.empty() ? 1 : 0;
  for (std::size_t i = 0; i < channels_.size(); ++i) parts += is_output(i) ? 1 : 0;
  return parts;
}

void Pipeline::sample_done(std::int64_t sample) {
  --parts_left_[static_cast<std::size_t>(sample)];
  while (done_.size() < parts_left_.size() && parts_left_[done_.size()] == 0) {
    done_.push_back(now_);
    last_done_.push(now_);
  }
}

// ---- accounts -------------------------------------------------------------------------------

Pipeline::Doing Pipeline::waiting_for(std::size_t stage) const {
  const Stage& at = stages_[stage];
  if (at.busy) return Doing::compute;
  bool on_its_way = false;
  bool at_the_edge = false;
  const bool gradients = spec_.training && at.backward < at.forward_done &&
                         (at.forward >= samples_ ||
                          at.forward - at.backward_done >= spec_.stages[stage].most_in_flight);
  if (!gradients && at.forward >= samples_) return Doing::idle;
  for (const std::size_t channel : gradients ? at.to : at.from) {
    if (gradients && is_output(channel)) continue;
    const Way& way = gradients ? channels_[channel].gradient : channels_[channel].forward;
    const std::int64_t sample = gradients ? at.backward : at.forward;
    if (way.arrived > sample) continue;
    if (way.shipped <= sample) return Doing::idle;
    (is_input(channel) ? at_the_edge : on_its_way) = true;
  }
  if (on_its_way) return Doing::communication;
  return at_the_edge ? Doing::edge : Doing::stalled;
}

void Pipeline::account(std::size_t stage) {
  Stage& at = stages_[stage];
  at.spent[static_cast<std::size_t>(at.doing)] += now_ - at.since;
  at.since = now_;
  at.doing = waiting_for(stage);
}

std::vector<StageTimes> Pipeline::stage_times() const {
  std::vector<StageTimes> result;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Picoseconds spent[kDoings];
    std::copy(std::begin(stages_[i].spent), std::end(stages_[i].spent), std::begin(spent));
    spent[static_cast<std::size_t>(stages_[i].doing)] += now_ - stages_[i].since;
    const StageSpec& spec = spec_.stages[i];
    const Picoseconds exchange = stages_[i].forward_done * spec.forward_exchange +
                                 stages_[i].backward_done * spec.backward_exchange;
    result.push_back(
        {spec.name, spent[0] - exchange, spent[1] + exchange, spent[2], spent[3], spent[4]});
  }
  return result;
}

Picoseconds Pipeline::mean_shipment(std::size_t channel) const {
  const Channel& at = channels_[channel];
  return at.shipments == 0 ? 0 : at.shipping / at.shipments;
}

}  // namespace waferloom
