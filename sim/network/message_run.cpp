#include "sim/message_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "model/errors.h"
#include "model/mesh.h"
#include "sim/engine/event_queue.h"
#include "sim/mesh/route_planner.h"
#include "sim/mesh/run_check.h"
#include "sim/network/network.h"

namespace waferloom::sim {
namespace {

constexpr Picoseconds kCycle = 1'000;

/// The fabric of the reference measurements: a flit of one byte a cycle and link.
Hardware reference_fabric(const MessageSet& set, const MessageRunOptions& options) {
  Hardware hardware;
  hardware.wafer.width = set.columns;
  hardware.wafer.height = set.rows;
  hardware.wafer.dead = set.dead.tiles;
  hardware.dead_links = set.dead.links;
  hardware.clock_hz = kPicosecondsPerSecond / kCycle;
  hardware.link = {hardware.clock_hz, 4 * kCycle};
  hardware.group_link = hardware.link;
  hardware.endpoint_latency_ps = 6 * kCycle;
  hardware.router.flit_bytes = 1;
  hardware.router.packet_flits = set.packet_flits;
  hardware.router.injection_queues = options.injection_queues;
  if (set.fabric) {
    hardware.hop_cycles = set.fabric->hop_cycles;
    hardware.ramp_cycles = set.fabric->ramp_cycles;
    hardware.link.latency_ps = set.fabric->hop_cycles * kCycle;
    hardware.group_link = hardware.link;
    hardware.endpoint_latency_ps = 2 * set.fabric->ramp_cycles * kCycle;
  }
  return hardware;
}

bool adds_words(const MessageSet& set) {
  const auto adds = [](const Message& message) { return !message.adds.empty(); };
  return std::any_of(set.messages.begin(), set.messages.end(), adds);
}

void demand_fabric(const MessageSet& set, NetworkKind network) {
  if (network == NetworkKind::packet || !adds_words(set)) return;
  throw RequestError("messages that are added word by word run on the network packet alone");
}

/// Flits times ports that they pass, and the tiles whose routers have to be made: what the packet
/// network does. Beyond the least cost of any run the fair network is cheaper.
constexpr std::int64_t kLeastWork = 20'000;
constexpr std::int64_t kWorkOfTile = 10;

std::int64_t packet_work(const MessageSet& set) {
  std::int64_t work = kWorkOfTile * set.columns * set.rows;
  for (const Message& message : set.messages) {
    for (const TilePlace& to : message.destinations) {
      const std::int64_t hops =
          std::abs(message.source.x - to.x) + std::abs(message.source.y - to.y);
      work += message.flits * (hops + 2);
      if (work > kLeastWork) return work;
    }
  }
  return work;
}

/// Around dead tiles packets may wait in a circle.
bool has_dead(const MessageSet& set) { return !set.dead.tiles.empty() || !set.dead.links.empty(); }

/// Words of a fabric have colours of their own, so none waits behind another.
FairMethod fair_method(const MessageSet& set) {
  return set.fabric || has_dead(set) ? FairMethod::rates : FairMethod::bursts;
}

NetworkKind automatic_network(const MessageSet& set) {
  const bool may_stick = has_dead(set) && !set.fabric;
  const bool to_packet = adds_words(set) || (!may_stick && packet_work(set) <= kLeastWork);
  return to_packet ? NetworkKind::packet : NetworkKind::fair;
}

std::string reason(const MessageSet& set, NetworkKind chosen) {
  if (adds_words(set)) return "words are added on their way";
  if (chosen == NetworkKind::packet) return "so few flits cost nothing cycle by cycle";
  return fair_method(set) == FairMethod::bursts ? "so many flits cost less packet by packet"
                                                : "so many words cost less as rates of flows";
}

NetworkOptions network_options(const MessageSet& set) {
  NetworkOptions options;
  options.routing = set.routing;
  options.fair = fair_method(set);
  return options;
}

class MessageRun {
 public:
  MessageRun(const MessageSet& set, const MessageRunOptions& options)
      : set_(set),
        options_(options),
        hardware_(reference_fabric(set, options)),
        mesh_(hardware_),
        planner_(mesh_, set.routing),
        kind_(options.network ? *options.network : automatic_network(set)),
        network_(make_network(kind_, mesh_, hardware_, network_options(set))),
        missing_(set.messages.size()),
        followers_(set.messages.size()),
        routes_(set.messages.size()),
        is_complete_(set.messages.size(), false),
        sent_(mesh_.node_count(), 0),
        received_(mesh_.node_count(), 0) {
    demand_fabric(set, kind_);
    for (std::size_t i = 0; i < set.messages.size(); ++i) {
      missing_[i] = set.messages[i].after.size();
      for (const std::size_t before : set.messages[i].after) followers_[before].push_back(i);
    }
    for (std::size_t i = 0; i < set.messages.size(); ++i) file_by_tile(i);
    // Ties go by id, never by position in the file: transfers are named by their rank.
    by_id_.resize(set.messages.size());
    for (std::size_t i = 0; i < by_id_.size(); ++i) by_id_[i] = i;
    std::sort(by_id_.begin(), by_id_.end(), [&](std::size_t a, std::size_t b) {
      return set.messages[a].id < set.messages[b].id;
    });
    rank_.resize(by_id_.size());
    for (std::size_t rank = 0; rank < by_id_.size(); ++rank) rank_[by_id_[rank]] = rank;
    for (const std::size_t i : by_id_) {
      if (missing_[i] == 0) releases_.push(release_time(set.messages[i], 0), rank_[i]);
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
      if (options_.control.is_cut()) {
        result.stopped = true;
        break;
      }
      arrived.clear();
      network_->advance(now, arrived);
      for (const Network::Delivery& delivery : network_->take_deliveries()) {
        release_at(by_id_[delivery.id], delivery.node, now);
      }
      for (const TransferId rank : arrived) {
        const std::size_t message = by_id_[rank];
        end(message, now, result);
      }
      begin_due(now, result);
    }
    const auto first_left =
        std::find(result.complete_cycle.begin(), result.complete_cycle.end(), -1);
    if (!result.stopped && first_left != result.complete_cycle.end()) fail_beyond_horizon();
    result.link_flits = network_->link_bytes();
    result.events = network_->event_count();
    result.rate_error = network_->rate_error();
    result.network = kind_;
    if (!options_.network) result.network_reason = reason(set_, kind_);
    if (!result.stopped) {
      check(result);
      name_bound(result);
    }
    return result;
  }

 private:
  void check(const MessageTimes& times) const {
    RunFigures figures{"messages"};
    figures.mesh = &mesh_;
    figures.link_bytes = times.link_flits;
    figures.moved = moved_;
    figures.links_ps = static_cast<double>(times.makespan) * static_cast<double>(kCycle);
    figures.links_shared = kind_ != NetworkKind::analytic;
    check_run(figures);
  }

  void name_bound(MessageTimes& times) const {
    std::vector<NamedBound> bounds;
    const auto add = [&](const std::vector<std::int64_t>& flits, const auto& name) {
      const auto most = std::max_element(flits.begin(), flits.end());
      bounds.push_back({"link", name(most - flits.begin()), seconds(*most)});
    };
    add(times.link_flits, [&](auto link) { return mesh_.link_text(static_cast<LinkIndex>(link)); });
    add(sent_, [&](auto tile) { return tile_name(tile) + ", out"; });
    add(received_, [&](auto tile) { return tile_name(tile) + ", in"; });
    // Where nothing is ever short, nothing but the way itself takes time.
    if (kind_ == NetworkKind::analytic) bounds.clear();
    const auto waits = [&](const NamedBound& bound) {
      return bound.seconds < kAlmostAll * seconds(times.makespan);
    };
    if (std::all_of(bounds.begin(), bounds.end(), waits)) {
      bounds.push_back({"schedule", "ways of messages, and how they wait for one another",
                        seconds(times.makespan)});
    }
    times.bottleneck = bottleneck_of(bounds, "a run at 1 GHz");
  }

  std::string tile_name(std::ptrdiff_t tile) const {
    return "tile " + tile_text(mesh_.place(static_cast<NodeIndex>(tile)));
  }
  static double seconds(std::int64_t cycles) {
    return static_cast<double>(cycles) * kCycle / static_cast<double>(kPicosecondsPerSecond);
  }

  void end(std::size_t message, Picoseconds now, MessageTimes& result) {
    result.complete_cycle[message] = (now + kCycle - 1) / kCycle;
    result.makespan = std::max(result.makespan, result.complete_cycle[message]);
    complete(message, now);
    ++progress_.complete;
    tell();
  }

  void tell() const {
    if (options_.on_progress) options_.on_progress(progress_);
  }

  /// When a message begins of which all before it was complete at `now`. What is added delays it
  /// word by word, in the network.
  static Picoseconds release_time(const Message& message, Picoseconds now) {
    const std::int64_t delay = message.adds.empty() ? message.delay_cycles : 0;
    return std::max(later(now, delay * kCycle), message.release_cycle * kCycle);
  }

  void complete(std::size_t message, Picoseconds now) {
    is_complete_[message] = true;
    planner_.release(routes_[message], set_.messages[message].flits);
    routes_[message] = Route{};
    for (const std::size_t follower : followers_[message]) pass(follower, now);
  }

  /// One of the messages that a message waits for is complete, or its source has it.
  void pass(std::size_t message, Picoseconds now) {
    if (--missing_[message] > 0) return;
    releases_.push(release_time(set_.messages[message], now), rank_[message]);
  }

  /// On a fabric a tile goes on once it has its copy of a message to several.
  void release_at(std::size_t message, NodeIndex node, Picoseconds now) {
    const auto waiting = at_tile_.find({message, node});
    if (waiting == at_tile_.end()) return;
    for (const std::size_t follower : waiting->second) pass(follower, now);
    at_tile_.erase(waiting);
  }

  /// Files what waits for a message to several tiles under its own tile, if that is among them.
  void file_by_tile(std::size_t message) {
    std::vector<std::size_t>& followers = followers_[message];
    if (!set_.fabric || kind_ != NetworkKind::packet || followers.empty() ||
        set_.messages[message].destinations.size() < 2) {
      return;
    }
    std::unordered_set<NodeIndex> tiles;
    for (const TilePlace& tile : set_.messages[message].destinations)
      tiles.insert(mesh_.node(tile));
    std::erase_if(followers, [&](std::size_t follower) {
      const NodeIndex node = mesh_.node(set_.messages[follower].source);
      if (!tiles.contains(node)) return false;
      at_tile_[{message, node}].push_back(follower);
      return true;
    });
  }

  void begin_due(Picoseconds now, MessageTimes& result) {
    while (releases_.next_time() <= now) {
      due_.clear();
      while (releases_.next_time() <= now) due_.push_back(releases_.pop().payload);
      std::sort(due_.begin(), due_.end());
      for (const std::size_t rank : due_) begin(rank, now, result);
    }
  }

  void begin(std::size_t rank, Picoseconds now, MessageTimes& result) {
    const std::size_t index = by_id_[rank];
    const Message& message = set_.messages[index];
    ++progress_.begun;
    tell();
    if (message.flits == 0) return end(index, now, result);
    routes_[index] = route(message, rank);
    Transfer transfer{rank, routes_[index], message.flits};
    if (!message.adds.empty()) {
      transfer.add_cycles = std::max<std::int64_t>(1, message.delay_cycles);
      for (const std::size_t added : message.adds) {
        if (!is_complete_[added]) transfer.adds.push_back(rank_[added]);
      }
    }
    moved_ += Int128(message.flits) * link_count(transfer.route);
    sent_[mesh_.node(message.source)] += message.flits;
    for (const TilePlace& tile : message.destinations) {
      received_[mesh_.node(tile)] += message.flits;
    }
    network_->submit(now, transfer);
  }

  Route route(const Message& message, std::size_t rank) {
    std::vector<NodeIndex> to;
    for (const TilePlace& tile : message.destinations) to.push_back(mesh_.node(tile));
    const NodeIndex from = mesh_.node(message.source);
    std::optional<Route> route = to.size() > 1
                                     ? planner_.plan_tree(from, to, rank, message.flits)
                                     : planner_.plan(from, to.front(), rank, message.flits);
    if (route) return *std::move(route);
    throw InfeasibleError(
        fmt::format("no way of live links leads from tile ({}, {}) to where its words go",
                    message.source.x, message.source.y));
  }

  const MessageSet& set_;
  const MessageRunOptions& options_;
  Hardware hardware_;
  Mesh mesh_;
  RoutePlanner planner_;
  NetworkKind kind_;
  std::unique_ptr<Network> network_;
  std::vector<std::size_t> missing_;  // messages that one waits for
  std::vector<std::vector<std::size_t>> followers_;
  std::map<std::pair<std::size_t, NodeIndex>, std::vector<std::size_t>> at_tile_;
  std::vector<Route> routes_;
  std::vector<bool> is_complete_;
  std::vector<std::size_t> by_id_;    // indices in the order of ids
  std::vector<std::size_t> rank_;     // and back
  EventQueue<std::size_t> releases_;  // ranks
  std::vector<std::size_t> due_;
  MessageProgress progress_;
  Int128 moved_ = 0;  // flits times links
  // Flits by tile, of its way into the mesh and out of it.
  std::vector<std::int64_t> sent_;
  std::vector<std::int64_t> received_;
};

}  // namespace

MessageTimes run_messages(const MessageSet& set, const MessageRunOptions& options) {
  return MessageRun(set, options).run();
}

}  // namespace waferloom::sim
