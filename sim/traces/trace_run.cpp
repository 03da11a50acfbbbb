#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/errors.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/free_entries.h"
#include "sim/message_run.h"
#include "sim/traces/channel_network.h"

// A trace is a program for each processor of a tile: transfers that it issues, and barriers at
// which it waits until what it issued is there. A read asks the other tile, over the same network,
// and the data come back on it, on in its direction around the torus; a write goes out, and its
// answer comes back likewise. Of these, what carries data is simulated flit by flit; requests and
// answers are single flits, of which only the way counts.

namespace waferloom::sim {
namespace {

class TraceRun {
 public:
  TraceRun(const DeviceTrace& trace, const Hardware& hardware, const TraceRunOptions& options)
      : trace_(trace), hardware_(hardware), options_(options) {
    if (!hardware.noc || hardware.noc->networks.empty()) {
      throw RequestError("device traces run on networks on chip, and machine " + hardware.name +
                         " has none: its fabric says nothing of noc");
    }
    network_.emplace(hardware);
    half_request_ = hardware.noc->request_ps / 2;
    response_.assign(static_cast<std::size_t>(hardware.wafer.width * hardware.wafer.height), 0);
    for (const EdgePort& port : hardware.dram_ports) {
      response_[tile_index(port_tile(hardware.wafer, port))] = port.response_ps;
    }
    for (const std::string& name : trace.networks) networks_.push_back(network_named(name));
    times_.networks.resize(hardware.noc->networks.size());
    times_.programs.resize(trace.programs.size());
    states_.resize(trace.programs.size());
    for (std::size_t i = 0; i < trace.programs.size(); ++i) {
      demand_tile(trace.programs[i].tile, i);
      if (trace.programs[i].events.empty()) continue;
      times_.programs[i].recorded_cycle = trace.programs[i].events.back().cycle;
      push(time_of(trace.programs[i].events.front()), {What::issue, i});
    }
  }

  TraceTimes run() {
    std::vector<ChannelNetwork::Arrival> arrived;
    while (!queue_.empty() || network_->busy()) {
      if (options_.control.is_cut()) {
        times_.stopped = true;
        break;
      }
      arrived.clear();
      const bool is_there = network_->run_until(queue_.next_time(), arrived);
      for (const ChannelNetwork::Arrival& arrival : arrived) come(arrival);
      if (!arrived.empty() || !is_there || queue_.empty()) continue;
      const auto event = queue_.pop();
      happen(event.payload, event.time);
    }
    times_.span_cycles = cycles(end_);
    times_.events = events_ + network_->event_count();
    name_busiest();
    return std::move(times_);
  }

 private:
  enum class What : std::uint8_t { issue, submit, complete };
  struct Event {
    What what;
    std::size_t at;  // a program, or a transfer
  };
  struct Transfer {
    std::size_t program = 0;
    Shipment shipment;
    bool is_read = false;
  };
  /// Where a program is.
  struct State {
    std::size_t next = 0;
    std::int64_t reads = 0;  // that are not complete
    std::int64_t writes = 0;
    std::optional<Picoseconds> waits_since{};
  };

  std::size_t tile_index(const TilePlace& tile) const {
    return static_cast<std::size_t>(tile.y * hardware_.wafer.width + tile.x);
  }

  std::size_t network_named(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const NocNetwork& network : hardware_.noc->networks) {
      if (network.name == name) return names.size();
      names.emplace_back(network.name);
    }
    throw RequestError(fmt::format("no network {} is on machine {}: it has {}", name,
                                   hardware_.name, alternatives(names)));
  }

  void demand_tile(const TilePlace& tile, std::size_t program) const {
    if (tile.x < hardware_.wafer.width && tile.y < hardware_.wafer.height) return;
    const TraceProgram& of = trace_.programs[program];
    throw RequestError(
        fmt::format("tile {} is beyond the {}x{} tiles of machine {}: in the events "
                    "of {} of tile {}",
                    tile_text(tile), hardware_.wafer.width, hardware_.wafer.height, hardware_.name,
                    of.processor, tile_text(of.tile)));
  }

  Picoseconds in_picoseconds(std::int64_t cycle) const {
    const Int128 time = Int128(cycle) * kPicosecondsPerSecond / hardware_.clock_hz;
    if (time > kHorizon) fail_beyond_horizon();
    return static_cast<Picoseconds>(time);
  }
  Picoseconds time_of(const TraceEvent& event) const { return in_picoseconds(event.cycle); }
  std::int64_t cycles(Picoseconds time) const {
    const Int128 scaled = Int128(time) * hardware_.clock_hz;
    return static_cast<std::int64_t>((scaled + kPicosecondsPerSecond - 1) / kPicosecondsPerSecond);
  }

  void push(Picoseconds time, Event event) { queue_.push(later(time, 0), event); }

  void happen(const Event& event, Picoseconds now) {
    ++events_;
    if (event.what == What::issue) return go_on(event.at, now);
    if (event.what == What::submit) {
      network_->submit(now, event.at, transfers_[event.at].shipment);
      return;
    }
    const Transfer& transfer = transfers_[event.at];
    State& state = states_[transfer.program];
    (transfer.is_read ? state.reads : state.writes) -= 1;
    note_end(transfer.program, now);
    free_.push_back(event.at);
    if (state.waits_since && is_through(state, kind_at(transfer.program))) {
      go_on(transfer.program, now);
    }
  }

  void come(const ChannelNetwork::Arrival& arrival) {
    const Transfer& transfer = transfers_[arrival.id];
    Picoseconds time = later(arrival.time, half_request_);
    const Shipment& shipment = transfer.shipment;
    if (!transfer.is_read) {
      const TilePlace& to = shipment.of == PacketClass::broadcast ? shipment.last : shipment.to;
      time = later(time, way(shipment.network, to, shipment.from));
    }
    push(time, {What::complete, arrival.id});
  }

  Picoseconds way(std::size_t network, const TilePlace& from, const TilePlace& to) const {
    return network_->hops(network, from, to) * hardware_.link.latency_ps;
  }

  TraceEventKind kind_at(std::size_t program) const {
    return trace_.programs[program].events[states_[program].next].kind;
  }

  static bool is_through(const State& state, TraceEventKind barrier) {
    const bool of_reads = barrier != TraceEventKind::write_barrier;
    const bool of_writes = barrier != TraceEventKind::read_barrier;
    return (!of_reads || state.reads == 0) && (!of_writes || state.writes == 0);
  }

  void note_end(std::size_t program, Picoseconds now) {
    end_ = std::max(end_, now);
    ProgramTimes& times = times_.programs[program];
    times.end_cycle = std::max(times.end_cycle, cycles(now));
  }

  /// Does what a program does next, as far as it has no time of its own.
  void go_on(std::size_t program, Picoseconds now) {
    State& state = states_[program];
    const std::vector<TraceEvent>& events = trace_.programs[program].events;
    for (;;) {
      const TraceEvent& event = events[state.next];
      if (is_barrier(event.kind)) {
        if (!is_through(state, event.kind)) {
          state.waits_since = now;
          return;
        }
        if (state.waits_since) {
          times_.programs[program].waited_cycles += cycles(now - *state.waits_since);
          state.waits_since.reset();
        }
        ++times_.barriers;
      } else if (event.kind != TraceEventKind::other) {
        issue(program, event, now);
      }
      note_end(program, now);
      if (++state.next == events.size()) return;
      const TraceEvent& next = events[state.next];
      // A barrier's recorded end is what is to be found: it begins as soon as its program is there.
      const Picoseconds time = is_barrier(next.kind) ? now
                               : options_.issue_times == IssueTimes::shifted
                                   ? later(now, in_picoseconds(next.cycle - event.cycle))
                                   : time_of(next);
      if (time > now) {
        push(time, {What::issue, program});
        return;
      }
    }
  }

  static bool is_barrier(TraceEventKind kind) {
    return kind == TraceEventKind::read_barrier || kind == TraceEventKind::write_barrier ||
           kind == TraceEventKind::full_barrier;
  }

  void issue(std::size_t program, const TraceEvent& event, Picoseconds now) {
    const TilePlace& here = trace_.programs[program].tile;
    demand_tile(event.tile, program);
    Transfer transfer;
    transfer.program = program;
    transfer.is_read = event.kind == TraceEventKind::read;
    Shipment& shipment = transfer.shipment;
    shipment.network = networks_[event.network];
    shipment.bytes = event.bytes;
    Picoseconds time = later(now, half_request_);
    if (transfer.is_read) {
      shipment.from = event.tile;
      shipment.to = here;
      shipment.of = PacketClass::answer;
      time = later(time, way(shipment.network, here, event.tile));
      time = later(time, response_[tile_index(event.tile)]);
      ++states_[program].reads;
      ++times_.reads;
    } else {
      shipment.from = here;
      shipment.to = event.tile;
      shipment.last = event.last;
      shipment.of = PacketClass::request;
      if (event.kind == TraceEventKind::broadcast) {
        demand_tile(event.last, program);
        shipment.of = PacketClass::broadcast;
      }
      ++states_[program].writes;
      ++times_.writes;
    }
    NetworkTimes& network = times_.networks[shipment.network];
    ++network.transfers;
    network.bytes += event.bytes;
    const std::size_t at = take_entry(transfers_, free_);
    transfers_[at] = transfer;
    push(time, {What::submit, at});
  }

  void name_busiest() {
    const std::vector<std::int64_t> bytes = network_->link_bytes();
    const std::size_t links = bytes.size() / times_.networks.size();
    for (std::size_t i = 0; i < times_.networks.size(); ++i) {
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(i * links);
      const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(links));
      if (*most == 0) continue;
      const auto at = static_cast<std::int64_t>(most - first);
      const NocNetwork& network = hardware_.noc->networks[i];
      const Direction way = at % 2 == 0 ? network.along_x : network.along_y;
      const std::int64_t tile = at / 2;
      times_.networks[i].busiest_link_bytes = *most;
      times_.networks[i].busiest_link =
          fmt::format("link {} of tile {}", kDirectionWords[static_cast<std::size_t>(way)],
                      tile_text({tile % hardware_.wafer.width, tile / hardware_.wafer.width}));
    }
  }

  const DeviceTrace& trace_;
  const Hardware& hardware_;
  const TraceRunOptions& options_;
  std::optional<ChannelNetwork> network_;
  std::vector<std::size_t> networks_;  // of the machine, by those of the trace
  std::vector<Picoseconds> response_;  // by tile
  Picoseconds half_request_ = 0;
  EventQueue<Event> queue_;
  std::vector<Transfer> transfers_;
  std::vector<std::size_t> free_;
  std::vector<State> states_;  // by program
  TraceTimes times_;
  Picoseconds end_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace

TraceTimes run_trace(const DeviceTrace& trace, const Hardware& hardware,
                     const TraceRunOptions& options) {
  return TraceRun(trace, hardware, options).run();
}

}  // namespace waferloom::sim
