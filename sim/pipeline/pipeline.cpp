#include "sim/pipeline/pipeline.h"

#include <algorithm>
#include <utility>

#include "sim/pipeline_observers.h"

// Problem: run samples through stages, channels, ports and adapters as events, exactly.
// Idea: time goes from event to event. At an instant first come the transfers that arrive, then the
// ends of tasks, then every stage that these touched begins what it can. The network is behind an
// interface.
// Source: PALM (arXiv:2406.03868) for stages as event-driven tiles; rooms, turns and training are
// ours.
// Cost: O(log events) an event; a sample has a task at each stage and a transfer on each lane.
namespace waferloom::sim {

Pipeline::Pipeline(const PipelineSpec& spec, const Mesh& mesh, Network& network,
                   RoutePlanner& planner, std::int64_t samples,
                   std::vector<PipelineObserver*> observers, bool all_lanes)
    : spec_(spec),
      mesh_(mesh),
      network_(network),
      planner_(planner),
      samples_(samples),
      observers_(std::move(observers)),
      stages_(spec.stages.size()),
      updates_(spec.stages.size()),
      workers_(spec.worker_count()),
      channels_(spec.channels.size()),
      ports_(spec, samples),
      lanes_(spec, mesh, all_lanes) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const ChannelSpec& channel = spec.channels[i];
    for (auto& passes : channels_[i].adapter_free) {
      passes.assign(static_cast<std::size_t>(channel.adapters), 0);
    }
    if (!is_output(i)) stages_[channel.consumer].from.push_back(i);
    if (!is_input(i)) stages_[channel.producer].to.push_back(i);
  }
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    workers_[spec.worker(i)].stages.push_back(i);
    if (waits_for_writes(i)) ++updates_[i].waits_for;
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
    std::vector<std::size_t> workers;
    workers.swap(touched_);
    std::sort(workers.begin(), workers.end());
    for (const std::size_t worker : workers) {
      workers_[worker].touched = false;
      try_worker(worker);
      account(worker);
    }
  }
  return true;
}

void Pipeline::touch(std::size_t stage) {
  const std::size_t worker = spec_.worker(stage);
  if (workers_[worker].touched) return;
  workers_[worker].touched = true;
  touched_.push_back(worker);
}

void Pipeline::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::task_done:
      end_part_of_task(event.index);
      break;
    case Event::Kind::exchange_begins:
      for (const OwnTransfer& own : spec_.stages[workers_[event.index].at.stage].own) {
        send_own(Carries::task, event.index, own, own_bytes(workers_[event.index].at, own));
      }
      break;
    case Event::Kind::ship:
      begin_lanes(event.index);
      break;
    case Event::Kind::lane_begins:
      begin_lane({.shipment = event.index, .lane = event.lane});
      break;
    case Event::Kind::lane_ends:
      end_lane(event.index);
      break;
    case Event::Kind::update_step:
      end_part_of_update(event.index);
      break;
  }
}

// ---- stages ---------------------------------------------------------------------------------

bool Pipeline::can_go_forward(std::size_t stage) const {
  const Stage& at = stages_[stage];
  if (at.forward >= samples_) return false;
  if (spec_.training && at.forward - at.backward_done >= spec_.stages[stage].most_in_flight) {
    return false;
  }
  for (const std::size_t channel : at.from) {
    if (channels_[channel].forward.arrived <= at.forward) return false;
  }
  return std::all_of(at.to.begin(), at.to.end(), [&](std::size_t channel) {
    return has_room(channel, channels_[channel].forward);
  });
}

bool Pipeline::can_go_backward(std::size_t stage) const {
  const Stage& at = stages_[stage];
  if (!spec_.training || at.backward >= at.forward_done) return false;
  if (spec_.backward_last && at.forward_done < samples_) return false;
  for (const auto* channels : {&at.from, &at.to}) {
    for (const std::size_t channel : *channels) {
      if (!goes_backward(channel)) continue;
      const Way& way = channels_[channel].gradient;
      const bool comes = is_input(channel) || (channels == &at.to && !is_output(channel));
      if (comes ? way.arrived <= at.backward : !has_room(channel, way)) return false;
    }
  }
  return true;
}

void Pipeline::try_worker(std::size_t worker) {
  const Worker& at = workers_[worker];
  if (at.busy) return;
  if (!spec_.worker_of.empty()) {
    const auto turn = next_turn(worker);
    if (turn && can_go(*turn)) begin_task(worker, *turn);
    return;
  }
  const auto stage = static_cast<std::uint32_t>(worker);
  for (const StageTurn& turn : {StageTurn{stage, true}, StageTurn{stage, false}}) {
    if (!can_go(turn)) continue;
    begin_task(worker, turn);
    return;
  }
}

void Pipeline::begin_task(std::size_t worker, const StageTurn& turn) {
  Worker& on = workers_[worker];
  Stage& at = stages_[turn.stage];
  account(worker);
  on.busy = true;
  on.at = turn;
  ++on.next_turn;
  if (turn.backward) {
    ++at.backward;
    // Inputs were taken when they began to come in.
    for (const std::size_t channel : at.from) {
      if (!is_input(channel)) ++channels_[channel].gradient.taken;
    }
    for (const std::size_t channel : at.to) {
      if (is_output(channel)) ++channels_[channel].gradient.taken;
    }
  } else {
    ++at.forward;
    at.begun.push(now_);
    for (const std::size_t channel : at.to) ++channels_[channel].forward.taken;
  }
  const StageSpec& spec = spec_.stages[turn.stage];
  const Picoseconds end = later(now_, turn.backward ? spec.backward : spec.forward);
  on.began = now_;
  on.waits_for = 1;
  if (has_own(turn)) {
    const Picoseconds exchange = turn.backward ? spec.backward_exchange : spec.forward_exchange;
    queue_.push(end - exchange,
                Event{Event::Kind::exchange_begins, static_cast<std::uint32_t>(worker), 0});
    for (const OwnTransfer& own : spec.own) on.waits_for += own_bytes(turn, own) > 0 ? 1 : 0;
  }
  queue_.push(end, Event{Event::Kind::task_done, static_cast<std::uint32_t>(worker), 0});
  const bool is_last = turn.backward && at.backward == samples_;
  if (is_last && spec.update) begin_last_backward(turn.stage);
  if (has_own(turn)) return;
  const std::int64_t sample = (turn.backward ? at.backward : at.forward) - 1;
  for (PipelineObserver* observer : observers_) {
    observer->on_task(turn.stage, turn.backward, sample, now_, end);
  }
}

bool Pipeline::has_own(const StageTurn& turn) const {
  const std::vector<OwnTransfer>& all = spec_.stages[turn.stage].own;
  return std::any_of(all.begin(), all.end(),
                     [&](const OwnTransfer& own) { return own_bytes(turn, own) > 0; });
}

/// A task's time is over, or one of its own transfers has come: when it was the last, the task is
/// done, and observers hear of it where its end was not known before.
void Pipeline::end_part_of_task(std::size_t worker) {
  Worker& on = workers_[worker];
  if (--on.waits_for > 0) return;
  if (has_own(on.at)) {
    const StageSpec& spec = spec_.stages[on.at.stage];
    on.exchanged_longer += now_ - on.began - (on.at.backward ? spec.backward : spec.forward);
    const Stage& at = stages_[on.at.stage];
    for (PipelineObserver* observer : observers_) {
      observer->on_task(on.at.stage, on.at.backward,
                        (on.at.backward ? at.backward : at.forward) - 1, on.began, now_);
    }
  }
  finish_task(worker);
}

void Pipeline::finish_task(std::size_t worker) {
  account(worker);
  workers_[worker].busy = false;
  const StageTurn turn = workers_[worker].at;
  Stage& at = stages_[turn.stage];
  const std::int64_t sample = turn.backward ? at.backward_done++ : at.forward_done++;
  for (const auto* channels : {&at.from, &at.to}) {
    for (const std::size_t channel : *channels) {
      if (turn.backward && !goes_backward(channel)) continue;
      // What backward needs comes before what a later sample needs.
      if (!turn.backward) feed_backward(channel);
      const bool came =
          is_outside(channel) ? is_input(channel) : (channels == &at.to) == turn.backward;
      if (came) {
        free_room(channel, turn.backward);
      } else {
        ship(channel, turn.backward, sample);
      }
    }
  }
  if (spec_.training ? turn.backward : at.to.empty()) sample_done(sample);
  if (turn.backward && at.backward_done == samples_ && spec_.stages[turn.stage].update) {
    end_last_backward(turn.stage);
  }
  touch(turn.stage);
}

void Pipeline::free_room(std::size_t channel, bool gradient) {
  Channel& at = channels_[channel];
  ++(gradient ? at.gradient : at.forward).freed;
  if (!is_input(channel)) {
    touch(gradient ? spec_.channels[channel].consumer : spec_.channels[channel].producer);
  } else if (gradient) {
    feed_backward(channel);
  } else {
    feed(channel);
  }
}

void Pipeline::feed(std::size_t channel) {
  if (!is_input(channel)) return;
  Way& way = channels_[channel].forward;
  while (way.taken < samples_ && has_room(channel, way)) ship(channel, false, way.taken++);
}

/// What a sample's backward takes in comes when it has gone forward.
void Pipeline::feed_backward(std::size_t channel) {
  if (!spec_.training || !is_input(channel) || !goes_backward(channel)) return;
  Way& way = channels_[channel].gradient;
  const std::int64_t ready = stages_[spec_.channels[channel].consumer].forward_done;
  while (way.taken < ready && has_room(channel, way)) ship(channel, true, way.taken++);
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

std::optional<StageTurn> Pipeline::next_turn(std::size_t worker) const {
  const Worker& on = workers_[worker];
  if (!spec_.worker_of.empty()) {
    const std::vector<StageTurn>& turns = spec_.workers[worker].turns;
    return on.next_turn < turns.size() ? std::optional(turns[on.next_turn]) : std::nullopt;
  }
  const auto stage = static_cast<std::uint32_t>(worker);
  const Stage& at = stages_[stage];
  const bool gradients = spec_.training && at.backward < at.forward_done &&
                         (at.forward >= samples_ ||
                          at.forward - at.backward_done >= spec_.stages[stage].most_in_flight);
  if (!gradients && at.forward >= samples_) return std::nullopt;
  return StageTurn{stage, gradients};
}

Pipeline::Doing Pipeline::waiting_for(std::size_t worker) const {
  if (workers_[worker].busy) return Doing::compute;
  const auto turn = next_turn(worker);
  if (!turn) return Doing::idle;
  const Stage& at = stages_[turn->stage];
  bool on_its_way = false;
  bool at_the_edge = false;
  const auto wait_for = [&](std::size_t channel) {  // false: it is not even on its way
    const Way& way = turn->backward ? channels_[channel].gradient : channels_[channel].forward;
    const std::int64_t sample = turn->backward ? at.backward : at.forward;
    if (way.arrived > sample) return true;
    (is_input(channel) ? at_the_edge : on_its_way) = true;
    return way.shipped > sample;
  };
  for (const std::size_t channel : at.from) {
    const bool comes = !turn->backward || (is_input(channel) && goes_backward(channel));
    if (comes && !wait_for(channel)) return Doing::idle;
  }
  for (const std::size_t channel : at.to) {
    if (turn->backward && !is_output(channel) && !wait_for(channel)) return Doing::idle;
  }
  if (on_its_way) return Doing::communication;
  return at_the_edge ? Doing::edge : Doing::stalled;
}

void Pipeline::account(std::size_t worker) {
  Worker& at = workers_[worker];
  at.spent[static_cast<std::size_t>(at.doing)] += now_ - at.since;
  at.since = now_;
  at.doing = waiting_for(worker);
}

std::vector<StageTimes> Pipeline::stage_times() const {
  std::vector<StageTimes> result;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Worker& on = workers_[i];
    Picoseconds spent[kDoings];
    std::copy(std::begin(on.spent), std::end(on.spent), std::begin(spent));
    spent[static_cast<std::size_t>(on.doing)] += now_ - on.since;
    Picoseconds exchange = on.exchanged_longer;
    Picoseconds wait = 0;
    for (const std::size_t stage : on.stages) {
      const StageSpec& spec = spec_.stages[stage];
      const Stage& at = stages_[stage];
      exchange +=
          at.forward_done * spec.forward_exchange + at.backward_done * spec.backward_exchange;
      wait += at.forward_done * spec.forward_wait + at.backward_done * spec.backward_wait;
    }
    const std::string& name =
        spec_.worker_of.empty() ? spec_.stages[i].name : spec_.workers[i].name;
    result.push_back({name, spent[0] - exchange - wait, spent[1] + exchange, spent[2] + wait,
                      spent[3], spent[4]});
  }
  return result;
}

Picoseconds Pipeline::mean_shipment(std::size_t channel) const {
  const Channel& at = channels_[channel];
  return at.shipments == 0 ? 0 : at.shipping / at.shipments;
}

}  // namespace waferloom::sim
