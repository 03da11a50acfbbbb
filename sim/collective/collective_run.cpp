#include "sim/collective/collective_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "sim/collective.h"
#include "sim/engine/event_queue.h"
#include "sim/mesh/route_planner.h"
#include "sim/mesh/run_check.h"
#include "sim/network/network.h"

// Problem: find the time of collectives by sending every message of every step over a network.
// Idea: each tile is an agent. It begins the next step of its task when all that it sends and
// receives in earlier steps has arrived; there is no global barrier. Messages that arrive before
// their step are counted and used later. DRAM ports serve transfers first come first served.
// Source: ours, event-driven; the phases are those of collective_phases.h.
// Cost: O(log events) for each event, and the cost of the network; a transfer for each flow and
// step.
namespace waferloom::sim {
namespace {

constexpr std::uint64_t kRoundsBetweenQuestions = 64;

/// A tile at work on a task. A flow is named by its phase and its index in the phase.
struct Agent {
  struct Use {
    std::size_t flow = 0;
    bool sends = false;
  };
  std::size_t task = 0;
  std::vector<std::vector<Use>> uses;  // by phase
  std::size_t phase = 0;
  std::int64_t step = -1;                                // of the phase
  std::int64_t begun = -1;                               // the current step, over all phases
  std::int64_t under_way = 0;                            // messages of the step not yet through
  std::unordered_map<std::int64_t, std::int64_t> early;  // arrivals before their step, by step
};

struct Moving {
  std::size_t from = 0;  // agents
  std::size_t to = 0;
  std::int64_t step = 0;  // of all phases
  const Flow* flow = nullptr;
  std::int64_t bytes = 0;
  Route route;
};

class CollectiveRun {
 public:
  CollectiveRun(const Hardware& hardware, const std::vector<CollectiveTask>& tasks,
                const CollectiveRunOptions& options)
      : hardware_(hardware),
        options_(options),
        mesh_(hardware),
        planner_(mesh_, options.network_options.routing),
        network_(make_network(options.network, mesh_, hardware, options.network_options)),
        ports_free_(2 * hardware.dram_ports.size(), 0),
        ports_busy_(2 * hardware.dram_ports.size(), 0) {
    check_size(tasks);
    for (const CollectiveTask& task : tasks) {
      tasks_.resize(tasks_.size() + static_cast<std::size_t>(task.count), &task);
    }
    times_.done.assign(tasks_.size(), 0);
    for (std::size_t task = 0; task < tasks_.size(); ++task) add_agents(task);
  }

  CollectiveTimes run() {
    for (std::size_t i = 0; i < agents_.size(); ++i) ready_.push_back(i);
    begin_steps(0);
    std::vector<TransferId> arrived;
    std::uint64_t rounds = 0;
    for (;;) {
      const Picoseconds now = std::min(queue_.next_time(), network_->next_time());
      if (now == kNever) break;
      if (rounds++ % kRoundsBetweenQuestions == 0 && options_.control.is_cut()) {
        times_.stopped = true;
        break;
      }
      arrived.clear();
      network_->advance(now, arrived);
      for (const TransferId id : arrived) arrive(id, now);
      handle_ports(now);
      begin_steps(now);
    }
    if (!times_.stopped && !in_mesh_.empty()) fail_beyond_horizon();
    times_.link_bytes = network_->link_bytes();
    times_.events = network_->event_count();
    times_.rate_error = network_->rate_error();
    if (!times_.stopped) check();
    return std::move(times_);
  }

 private:
  /// A port has served a transfer.
  struct PortEvent {
    Moving moving;
    bool ends = false;  // the transfer ends; otherwise it enters the mesh
  };

  void check() const {
    RunFigures figures{"collectives"};
    const auto time = static_cast<double>(times_.makespan);
    for (std::size_t i = 0; i < ports_busy_.size(); ++i) {
      figures.parts.push_back({fmt::format("DRAM port {}{}", i / 2, i % 2 == 0 ? " in" : " out"),
                               static_cast<double>(ports_busy_[i]), time, 0});
    }
    figures.mesh = &mesh_;
    figures.link_bytes = times_.link_bytes;
    figures.moved = moved_;
    figures.links_ps = time;
    figures.links_shared = options_.network != NetworkKind::analytic;
    check_run(figures);
  }

  static void check_size(const std::vector<CollectiveTask>& tasks) {
    Int128 transfers = 0;
    for (const CollectiveTask& task : tasks) {
      for (const Phase& phase : task.phases) {
        transfers +=
            Int128(phase.steps) * task.count * static_cast<std::int64_t>(phase.flows.size());
      }
    }
    if (transfers <= kMostSteppedTransfers) return;
    throw RequestError(
        fmt::format("step by step there would be more than {} transfers", kMostSteppedTransfers));
  }

  void add_agents(std::size_t task) {
    std::unordered_map<NodeIndex, std::size_t> agent_at;
    const Phases& phases = tasks_[task]->phases;
    const auto use = [&](const TilePlace& tile, std::size_t phase, Agent::Use what) {
      const auto [at, is_new] = agent_at.emplace(mesh_.node(tile), agents_.size());
      if (is_new) {
        agents_.emplace_back();
        agents_.back().task = task;
        agents_.back().uses.resize(phases.size());
      }
      agents_[at->second].uses[phase].push_back(what);
      return at->second;
    };
    ends_.emplace_back();
    first_step_.emplace_back();
    std::int64_t steps = 0;
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      first_step_.back().push_back(steps);
      steps += phases[phase].steps;
      ends_.back().emplace_back();
      for (std::size_t i = 0; i < phases[phase].flows.size(); ++i) {
        const Flow& flow = phases[phase].flows[i];
        // A port takes no part in steps: only the tile sends or receives.
        const bool ported = flow.port != Flow::kNoPort;
        std::pair<std::size_t, std::size_t> ends{kNobody, kNobody};
        if (!ported || flow.out) ends.first = use(flow.from, phase, {i, true});
        if (!ported || !flow.out) ends.second = use(flow.to, phase, {i, ported});
        ends_.back().back().push_back(ends);
      }
    }
  }

  /// Begins the next steps of all agents that are ready, in the order of tasks and tiles.
  void begin_steps(Picoseconds now) {
    std::sort(ready_.begin(), ready_.end());
    for (const std::size_t agent : ready_) begin_step(agent, now);
    ready_.clear();
  }

  /// Goes on to the next step in which the agent has something to send or to wait for.
  void begin_step(std::size_t index, Picoseconds now) {
    const Phases& phases = tasks_[agents_[index].task]->phases;
    while (agents_[index].under_way == 0) {
      Agent& agent = agents_[index];
      if (agent.phase == phases.size()) return;
      if (agent.uses[agent.phase].empty() || ++agent.step == phases[agent.phase].steps) {
        ++agent.phase;
        agent.step = -1;
        continue;
      }
      const std::size_t phase = agent.phase;
      const std::int64_t step = agent.step;
      agent.begun = first_step_[agent.task][phase] + step;
      if (const auto early = agent.early.find(agent.begun); early != agent.early.end()) {
        agent.under_way -= early->second;
        agent.early.erase(early);
      }
      for (const Agent::Use& use : agent.uses[phase]) {
        if (!phases[phase].flows[use.flow].sends_in(step)) continue;
        ++agent.under_way;
        if (use.sends) send(agent, phase, use.flow, now);
      }
    }
  }

  void send(const Agent& agent, std::size_t phase, std::size_t index, Picoseconds now) {
    const CollectiveTask& task = *tasks_[agent.task];
    const auto& ends = ends_[agent.task][phase][index];
    const Flow& flow = task.phases[phase].flows[index];
    Moving moving{ends.first, ends.second, agent.begun, &flow, flow.share.bytes_of(task.bytes), {}};
    ++times_.transfers;
    if (flow.port != Flow::kNoPort && !flow.out) {
      const Picoseconds behind = pass_port(now, flow, moving.bytes);
      queue_.push(behind, PortEvent{std::move(moving), false});
    } else {
      enter_mesh(std::move(moving), now);
    }
  }

  /// Passes bytes through a port from now on. Answers when the port has served them.
  Picoseconds pass_port(Picoseconds now, const Flow& flow, std::int64_t bytes) {
    const EdgePort& port = hardware_.dram_ports[flow.port];
    Picoseconds& free = ports_free_[2 * flow.port + (flow.out ? 1 : 0)];
    const Picoseconds service =
        transmission_time(bytes, bytes_per_ps(port_bytes_per_s(hardware_, port)));
    free = later(std::max(free, now), service);
    ports_busy_[2 * flow.port + (flow.out ? 1 : 0)] += service;
    return later(free, port.response_ps);
  }

  void enter_mesh(Moving moving, Picoseconds now) {
    const TransferId id = next_++;
    const auto route =
        planner_.plan(mesh_.node(moving.flow->from), mesh_.node(moving.flow->to), id, moving.bytes);
    if (!route) throw_cut_group(moving.flow->from, moving.flow->to);
    moving.route = *route;
    moved_ += Int128(moving.bytes) * link_count(moving.route);
    network_->submit(now, Transfer{id, moving.route, moving.bytes});
    in_mesh_.emplace(id, std::move(moving));
  }

  void arrive(TransferId id, Picoseconds now) {
    const auto at = in_mesh_.find(id);
    Moving moving = std::move(at->second);
    in_mesh_.erase(at);
    planner_.release(moving.route, moving.bytes);
    if (moving.flow->port != Flow::kNoPort && moving.flow->out) {
      const Picoseconds behind = pass_port(now, *moving.flow, moving.bytes);
      queue_.push(behind, PortEvent{std::move(moving), true});
    } else {
      end(moving, now);
    }
  }

  void handle_ports(Picoseconds now) {
    while (queue_.next_time() <= now) {
      PortEvent event = queue_.pop().payload;
      if (event.ends) {
        end(event.moving, now);
      } else {
        enter_mesh(std::move(event.moving), now);
      }
    }
  }

  void end(const Moving& moving, Picoseconds now) {
    for (const std::size_t agent : {moving.from, moving.to}) {
      if (agent == kNobody) continue;
      Picoseconds& done = times_.done[agents_[agent].task];
      done = std::max(done, now);
      times_.makespan = std::max(times_.makespan, now);
      if (agents_[agent].begun != moving.step) {
        ++agents_[agent].early[moving.step];
      } else if (--agents_[agent].under_way == 0) {
        ready_.push_back(agent);
      }
    }
  }

  static constexpr std::size_t kNobody = SIZE_MAX;

  const Hardware& hardware_;
  std::vector<const CollectiveTask*> tasks_;  // a task appears `count` times
  const CollectiveRunOptions& options_;
  Mesh mesh_;
  RoutePlanner planner_;
  std::unique_ptr<Network> network_;
  std::vector<Picoseconds> ports_free_;  // when each port's in and out are free
  std::vector<Picoseconds> ports_busy_;  // likewise: for how long in all
  Int128 moved_ = 0;                     // bytes times links
  std::vector<Agent> agents_;
  // By task, phase and flow: the agents at both ends. By task and phase: its first step.
  std::vector<std::vector<std::vector<std::pair<std::size_t, std::size_t>>>> ends_;
  std::vector<std::vector<std::int64_t>> first_step_;
  std::vector<std::size_t> ready_;
  std::unordered_map<TransferId, Moving> in_mesh_;
  EventQueue<PortEvent> queue_;
  TransferId next_ = 0;
  CollectiveTimes times_;
};

}  // namespace

CollectiveTimes run_collectives(const Hardware& hardware, const std::vector<CollectiveTask>& tasks,
                                const CollectiveRunOptions& options) {
  return CollectiveRun(hardware, tasks, options).run();
}

}  // namespace waferloom::sim
