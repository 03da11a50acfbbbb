// The part of Pipeline that ends a batch: gradients are exchanged, states come in and go out.

#include <algorithm>

#include "sim/pipeline/pipeline.h"

namespace waferloom::sim {
namespace {

/// Of the bytes of an exchange, what is sent behind the last backward; the rest goes beside it.
std::int64_t bytes_left(const StageUpdate& update, std::int64_t bytes) {
  if (update.exchange == 0) return bytes;
  const double left =
      static_cast<double>(update.exchange_left) / static_cast<double>(update.exchange);
  return static_cast<std::int64_t>(static_cast<double>(bytes) * left);
}

}  // namespace

/// What overlaps with a stage's last backward goes through the network beside it.
void Pipeline::begin_last_backward(std::size_t stage) {
  if (!spec_.overlaps_updates) return;
  const StageSpec& spec = spec_.stages[stage];
  for (const OwnTransfer& own : spec.own) {
    send_update(stage, own, own.update_bytes - bytes_left(*spec.update, own.update_bytes));
  }
}

/// The update waits for it.
void Pipeline::send_update(std::size_t stage, const OwnTransfer& own, std::int64_t bytes) {
  if (bytes > 0) ++updates_[stage].waits_for;
  send_own(Carries::update, stage, own, bytes);
}

/// Stages of the same tiles exchange one behind the other; without overlap when all are through.
void Pipeline::end_last_backward(std::size_t stage) {
  Worker& on = workers_[spec_.worker(stage)];
  on.to_update.push_back(stage);
  if (spec_.overlaps_updates) {
    begin_exchange(stage);
  } else if (on.to_update.size() == on.stages.size()) {
    on.update_until = now_;
    for (const std::size_t each : on.to_update) begin_exchange(each);
  }
}

void Pipeline::begin_exchange(std::size_t stage) {
  const StageSpec& spec = spec_.stages[stage];
  Picoseconds& until = workers_[spec_.worker(stage)].update_until;
  until = std::max(later(until, spec.update->exchange), later(now_, spec.update->exchange_left));
  for (const OwnTransfer& own : spec.own) {
    send_update(
        stage, own,
        spec_.overlaps_updates ? bytes_left(*spec.update, own.update_bytes) : own.update_bytes);
  }
  queue_.push(until, Event{Event::Kind::update_step, static_cast<std::uint32_t>(stage), 0});
}

/// Each step begins when all that the one before waits for is over.
void Pipeline::end_part_of_update(std::size_t stage) {
  Update& at = updates_[stage];
  if (--at.waits_for > 0) return;
  const StageUpdate& update = *spec_.stages[stage].update;
  at.waits_for = 1;
  switch (at.step) {
    case Update::Step::exchange:
      at.step = Update::Step::wait;
      queue_.push(later(now_, update.wait),
                  Event{Event::Kind::update_step, static_cast<std::uint32_t>(stage), 0});
      break;
    case Update::Step::wait:
      at.step = Update::Step::read;
      move_states(stage, update.read);
      break;
    case Update::Step::read:
      at.step = Update::Step::write;
      move_states(stage, update.written);
      break;
    case Update::Step::write:
      updated_ = std::max(updated_, now_);
      break;
  }
}

void Pipeline::move_states(std::size_t stage, std::size_t channel) {
  if (channel == StageUpdate::kNone) return end_part_of_update(stage);
  begin_lanes(new_shipment({channel, false, 0, stage, 0, now_}));
}

/// Whether an update waits for what its stage wrote last to be in memory.
bool Pipeline::waits_for_writes(std::size_t stage) const {
  const auto& update = spec_.stages[stage].update;
  return update && update->written != StageUpdate::kNone &&
         spec_.channels[update->written].backward_bytes > 0;
}

}  // namespace waferloom::sim
