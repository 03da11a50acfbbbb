#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/engine/recent_times.h"
#include "sim/mesh/route_planner.h"
#include "sim/network/network.h"
#include "sim/pipeline/lone_lanes.h"
#include "sim/pipeline/wafer_ports.h"
#include "sim/pipeline_observers.h"
#include "sim/pipeline_spec.h"
#include "sim/report.h"

namespace waferloom::sim {

/// A pipeline at work: what every stage, channel and port is doing. Samples are numbered from 0.
///
/// A stage begins a sample when its tiles are free, the sample has come over every channel to it,
/// and every channel from it has room; the room is taken then and free again when the consumer is
/// done with the sample. In training a sample's gradient goes first (or waits for all samples), and
/// a stage has at most StageSpec::most_in_flight samples between forward and backward (1F1B). Tiles
/// that work for several stages take these in the order of WorkerSpec::turns instead.
///
/// What a stage exchanges among its own tiles over links that others use (StageSpec::own) goes
/// through the network at the end of its task, which ends when all of it has come. Updates
/// (StageSpec::update) follow the last backward.
class Pipeline {
 public:
  /// All of them have to live longer. Unless `all_lanes`, lanes that meet no other are left out of
  /// what is sent (LaneTraffic).
  Pipeline(const PipelineSpec& spec, const Mesh& mesh, Network& network, RoutePlanner& planner,
           std::int64_t samples, std::vector<PipelineObserver*> observers = {},
           bool all_lanes = true);

  /// Lets everything of the next instant happen; false if nothing is left to happen.
  bool step();
  /// Whether all samples are done and nothing of them is on its way: updates alone are left.
  bool is_through() const {
    return static_cast<std::int64_t>(done_.size()) == samples_ && samples_moving_ == 0;
  }
  /// When the last update was over; 0 if there was none.
  Picoseconds updated() const { return updated_; }
  Picoseconds now() const { return now_; }
  std::uint64_t events() const { return events_; }

  /// What arrived so far: of tensors, of what stages exchange, in the network or apart from it, and
  /// of lanes that were left out of what was sent. What is under way does not count.
  struct Carried {
    std::vector<std::int64_t> link_bytes;  ///< by LinkIndex
    Int128 moved = 0;                      ///< bytes times links, transfer by transfer
    Int128 exchanged = 0;                  ///< bytes of stages' exchanges in the network
    Int128 exchanged_apart = 0;            ///< and of those apart from it
  };
  /// O(links).
  Carried carried() const;

  /// When samples were done, in order.
  const std::vector<Picoseconds>& done() const { return done_; }
  /// When the last samples were done, a stage began the last ones, and they left a channel's
  /// producer.
  const RecentTimes& last_done() const { return last_done_; }
  const RecentTimes& begun(std::size_t stage) const { return stages_[stage].begun; }
  const RecentTimes& sent(std::size_t channel) const { return channels_[channel].sent; }

  /// Of the tiles of every stage or, where stages share tiles, of every worker; as of now().
  std::vector<StageTimes> stage_times() const;
  std::vector<PortUse> port_uses() const { return ports_.uses(now_); }
  /// How long the last tensor took on a channel, adapters and ports included.
  Picoseconds last_shipment(std::size_t channel) const { return channels_[channel].last_shipping; }
  /// Mean time of a shipment on a channel; 0 if there was none.
  Picoseconds mean_shipment(std::size_t channel) const;

 private:
  enum class Doing : std::uint8_t { compute, communication, edge, stalled, idle };
  static constexpr std::size_t kDoings = 5;

  struct Stage {
    std::int64_t forward = 0;   // samples begun
    std::int64_t backward = 0;  // likewise
    std::int64_t forward_done = 0;
    std::int64_t backward_done = 0;
    RecentTimes begun;
    std::vector<std::size_t> from;  // channels to it
    std::vector<std::size_t> to;    // channels from it
  };
  /// The tiles of a stage, or of several.
  struct Worker {
    std::vector<std::size_t> stages;
    std::size_t next_turn = 0;  // of WorkerSpec::turns
    bool busy = false;
    StageTurn at;  // what it is busy with
    Doing doing = Doing::idle;
    Picoseconds since = 0;
    Picoseconds spent[kDoings] = {};
    bool touched = false;
    Picoseconds began = 0;               // what it is busy with
    std::size_t waits_for = 0;           // of that: its time, and transfers of its own
    Picoseconds exchanged_longer = 0;    // than without others, together
    std::vector<std::size_t> to_update;  // stages whose last backward is over, in that order
    Picoseconds update_until = 0;        // exchanges so far would have taken, alone
  };
  /// How far a stage's update is.
  struct Update {
    enum class Step : std::uint8_t { exchange, wait, read, write };
    Step step = Step::exchange;
    /// Of the step: its time, or that to begin; its transfers; before it what was written last.
    std::size_t waits_for = 1;
  };
  /// One way of a channel.
  struct Way {
    std::int64_t taken = 0;           // samples with room in the buffer, so far
    std::int64_t freed = 0;           // of those
    std::int64_t shipped = 0;         // left the producer
    std::int64_t arrived = 0;         // all before this one have come
    std::vector<std::int64_t> early;  // come before one that was sent before them
  };
  struct Channel {
    Way forward;
    Way gradient;
    std::vector<Picoseconds> adapter_free[2];  // when each can take the next sample
    RecentTimes sent;                          // when samples left the producer
    Picoseconds shipping = 0;                  // together
    Picoseconds last_shipping = 0;             // of the last tensor that arrived
    std::int64_t shipments = 0;
    std::int64_t came[2] = {};  // shipments over lanes, forward and of gradients
  };
  struct Shipment {
    std::size_t channel = 0;
    bool gradient = false;
    std::int64_t sample = 0;
    std::optional<std::size_t> update_of{};  // stage, where it is no sample's
    std::size_t lanes_left = 0;
    Picoseconds begin = 0;
  };
  enum class Carries : std::uint8_t { shipment, task, update };
  struct LaneTransfer {
    Carries carries = Carries::shipment;
    std::uint32_t shipment = 0;  // or worker of a task, or stage of an update
    std::uint32_t lane = 0;
    Route route;
    std::int64_t bytes = 0;
  };
  struct Event {
    enum class Kind : std::uint8_t {
      task_done,
      exchange_begins,
      ship,
      lane_begins,
      lane_ends,
      update_step
    };
    Kind kind = Kind::task_done;
    std::uint32_t index = 0;  // worker, shipment or stage
    std::uint32_t lane = 0;
  };

  bool is_input(std::size_t channel) const { return spec_.channels[channel].is_input(); }
  bool is_output(std::size_t channel) const { return spec_.channels[channel].is_output(); }
  bool is_outside(std::size_t channel) const { return is_input(channel) || is_output(channel); }
  /// Whether a channel has something to move for a sample's backward.
  bool goes_backward(std::size_t channel) const {
    return !is_outside(channel) || spec_.channels[channel].backward_bytes > 0;
  }
  bool has_room(std::size_t channel, const Way& way) const {
    return way.taken - way.freed < spec_.channels[channel].buffer_samples;
  }
  /// The tiles of a stage may have something to do.
  void touch(std::size_t stage);
  void handle(const Event& event);
  void finish_task(std::size_t worker);
  void try_worker(std::size_t worker);
  bool can_go(const StageTurn& turn) const {
    return turn.backward ? can_go_backward(turn.stage) : can_go_forward(turn.stage);
  }
  bool can_go_forward(std::size_t stage) const;
  bool can_go_backward(std::size_t stage) const;
  void begin_task(std::size_t worker, const StageTurn& turn);
  void end_part_of_task(std::size_t worker);
  std::int64_t own_bytes(const StageTurn& turn, const OwnTransfer& own) const {
    return turn.backward ? own.backward_bytes : own.forward_bytes;
  }
  bool has_own(const StageTurn& turn) const;
  void send_own(Carries carries, std::size_t index, const OwnTransfer& own, std::int64_t bytes);
  /// What a worker that is not busy will do next; nothing if it is done.
  std::optional<StageTurn> next_turn(std::size_t worker) const;
  Doing waiting_for(std::size_t worker) const;
  void account(std::size_t worker);
  void feed(std::size_t channel);
  void feed_backward(std::size_t channel);

  void ship(std::size_t channel, bool gradient, std::int64_t sample);
  std::uint32_t new_shipment(const Shipment& shipment);
  std::int64_t bytes_of(const Shipment& shipment) const;
  void begin_lanes(std::uint32_t shipment);
  struct ShippedLane {
    std::uint32_t shipment = 0;
    std::uint32_t lane = 0;
  };
  void begin_lane(const ShippedLane& shipped);
  void lane_arrived(TransferId transfer);
  void end_lane(std::uint32_t shipment);
  void finish_shipment(std::uint32_t shipment);
  void free_room(std::size_t channel, bool gradient);
  void sample_done(std::int64_t sample);

  // Updates.
  void begin_last_backward(std::size_t stage);
  void end_last_backward(std::size_t stage);
  void begin_exchange(std::size_t stage);
  void send_update(std::size_t stage, const OwnTransfer& own, std::int64_t bytes);
  void end_part_of_update(std::size_t stage);
  void move_states(std::size_t stage, std::size_t channel);
  bool waits_for_writes(std::size_t stage) const;
  std::size_t parts_of_a_sample() const;

  const PipelineSpec& spec_;
  const Mesh& mesh_;
  Network& network_;
  RoutePlanner& planner_;
  std::int64_t samples_;
  std::vector<PipelineObserver*> observers_;
  Picoseconds now_ = 0;
  std::uint64_t events_ = 0;
  EventQueue<Event> queue_;
  std::vector<Stage> stages_;
  std::vector<Update> updates_;  // by stage
  std::vector<Worker> workers_;
  std::vector<Channel> channels_;
  WaferPorts ports_;
  LaneTraffic lanes_;
  std::vector<Shipment> shipments_;
  std::vector<std::uint32_t> free_shipments_;
  std::unordered_map<TransferId, LaneTransfer> transfers_;
  TransferId next_transfer_ = 0;
  std::vector<std::size_t> touched_;  // workers
  std::vector<TransferId> arrived_;
  std::vector<std::size_t> parts_left_;  // of samples under way, from the first that is not done
  std::vector<Picoseconds> done_;
  Int128 moved_ = 0;      // of all transfers that arrived
  Int128 exchanged_ = 0;  // likewise
  RecentTimes last_done_;
  std::int64_t samples_moving_ = 0;  // shipments under way
  Picoseconds updated_ = 0;
};

}  // namespace waferloom::sim
