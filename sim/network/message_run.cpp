#include "sim/message_run.h"

#include <algorithm>
#include <memory>

#include "sim/engine/event_queue.h"
#include "sim/mesh/route_planner.h"

namespace waferloom::sim {
namespace {

constexpr Picoseconds kCycle = 1'000;

/// The fabric of the reference measurements: a flit of one byte a cycle and link.
Hardware reference_fabric(const MessageSet& set, const MessageRunOptions& options) {
  Hardware hardware;
  hardware.wafer.width = set.columns;
  hardware.wafer.height = set.rows;
  hardware.clock_hz = kPicosecondsPerSecond / kCycle;
  hardware.link = {hardware.clock_hz, 4 * kCycle};
  hardware.group_link = hardware.link;
  hardware.endpoint_latency_ps = 6 * kCycle;
  hardware.router.flit_bytes = 1;
  hardware.router.packet_flits = set.packet_flits;
  hardware.router.injection_queues = options.injection_queues;
  return hardware;
}

class MessageRun {
 public:
  MessageRun(const MessageSet& set, const MessageRunOptions& options)
      : set_(set),
        options_(options),
        hardware_(reference_fabric(set, options)),
        mesh_(hardware_),
        planner_(mesh_, set.routing),
        network_(make_network(options.network, mesh_, hardware_, {{options.sharing}, set.routing})),
        missing_(set.messages.size()),
        followers_(set.messages.size()),
        routes_(set.messages.size()) {
    for (std::size_t i = 0; i < set.messages.size(); ++i) {
      missing_[i] = set.messages[i].after.size();
      for (const std::size_t before : set.messages[i].after) followers_[before].push_back(i);
    }
    // Ties go by id, never by position in the file: transfers are named by their rank.
    by_id_.resize(set.messages.size());
    for (std::size_t i = 0; i < by_id_.size(); ++i) by_id_[i] = i;
    std::sort(by_id_.begin(), by_id_.end(), [&](std::size_t a, std::size_t b) {
      return set.messages[a].id < set.messages[b].id;
    });
    rank_.resize(by_id_.size());
    for (std::size_t rank = 0; rank < by_id_.size(); ++rank) rank_[by_id_[rank]] = rank;
    for (const std::size_t i : by_id_) {
      if (missing_[i] == 0) releases_.push(set.messages[i].release_cycle * kCycle, rank_[i]);
    }
  }

  MessageTimes run() {
    MessageTimes result;
    result.complete_cycle.assign(set_.messages.size(), -1);
    std::vector<TransferId> arrived;
    for (;;) {
      const Picoseconds now = std::min(releases_.next_time(), network_->next_time());
      if (now == kNever) break;
      // Every time: one step may bring broadcasts to thousands of tiles to new rates.
      if (options_.stopped && options_.stopped()) {
        result.stopped = true;
        break;
      }
      arrived.clear();
      network_->advance(now, arrived);
      for (const TransferId rank : arrived) {
        const std::size_t message = by_id_[rank];
        result.complete_cycle[message] = (now + kCycle - 1) / kCycle;
        result.makespan = std::max(result.makespan, result.complete_cycle[message]);
        complete(message, now);
        ++progress_.complete;
        tell();
      }
      begin_due(now);
    }
    const auto first_left =
        std::find(result.complete_cycle.begin(), result.complete_cycle.end(), -1);
    if (!result.stopped && first_left != result.complete_cycle.end()) fail_beyond_horizon();
    result.link_flits = network_->link_bytes();
    result.events = network_->event_count();
    result.rate_error = network_->rate_error();
    return result;
  }

 private:
  void tell() const {
    if (options_.on_progress) options_.on_progress(progress_);
  }

  void complete(std::size_t message, Picoseconds now) {
    planner_.release(routes_[message], set_.messages[message].flits);
    routes_[message] = Route{};
    for (const std::size_t follower : followers_[message]) {
      if (--missing_[follower] > 0) continue;
      releases_.push(std::max(now, set_.messages[follower].release_cycle * kCycle),
                     rank_[follower]);
    }
  }

  void begin_due(Picoseconds now) {
    due_.clear();
    while (releases_.next_time() <= now) due_.push_back(releases_.pop().payload);
    std::sort(due_.begin(), due_.end());
    for (const std::size_t rank : due_) {
      const std::size_t index = by_id_[rank];
      const Message& message = set_.messages[index];
      routes_[index] = route(message, rank);
      network_->submit(now, Transfer{rank, routes_[index], message.flits});
      ++progress_.begun;
      tell();
    }
  }

  Route route(const Message& message, std::size_t rank) {
    std::vector<NodeIndex> to;
    for (const TilePlace& tile : message.destinations) to.push_back(mesh_.node(tile));
    if (to.size() > 1)
      return *planner_.plan_tree(mesh_.node(message.source), to, rank, message.flits);
    return *planner_.plan(mesh_.node(message.source), to.front(), rank, message.flits);
  }

  const MessageSet& set_;
  const MessageRunOptions& options_;
  Hardware hardware_;
  Mesh mesh_;
  RoutePlanner planner_;
  std::unique_ptr<Network> network_;
  std::vector<std::size_t> missing_;  // messages that one waits for
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<Route> routes_;
  std::vector<std::size_t> by_id_;    // indices in the order of ids
  std::vector<std::size_t> rank_;     // and back
  EventQueue<std::size_t> releases_;  // ranks
  std::vector<std::size_t> due_;
  MessageProgress progress_;
};

}  // namespace

MessageTimes run_messages(const MessageSet& set, const MessageRunOptions& options) {
  return MessageRun(set, options).run();
}

}  // namespace waferloom::sim
