#include "sim/pipeline/demands.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/routes.h"
#include "sim/mesh/link_loads.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline/sample_routes.h"

namespace waferloom::sim {

namespace {

double most_bytes_per_ps(const PortSpec& port) {
  return std::min(port.bytes_per_ps, port.most_bytes_per_ps);
}

/// The ports of a kind that live.
struct PortsTogether {
  PortsTogether(const std::vector<PortSpec>& ports, bool memory) : is_memory(memory) {
    for (const PortSpec& port : ports) {
      if (port.is_memory != memory || most_bytes_per_ps(port) == 0) continue;
      bytes_per_ps += most_bytes_per_ps(port);
      only = ++count == 1 ? port.name : "";
    }
  }
  std::string name(const std::string& way) const {
    if (!only.empty()) return "port " + only;
    return (is_memory ? "all memory ports" : "all host ports") + way;
  }

  bool is_memory;
  double bytes_per_ps = 0;
  std::size_t count = 0;
  std::string only{};  // its name, where there is one
};

}  // namespace

Demands::Demands(const PipelineSpec& spec, const Mesh& mesh, NetworkKind network,
                 RoutePlanner& planner)
    : spec_(spec), mesh_(&mesh), links_are_short_(network != NetworkKind::analytic) {
  add_stages();
  if (links_are_short_) {
    lacks_links_ = !is_fixed(planner.routing());
    if (!lacks_links_) add_fixed_links(planner);
  }
  add_ports();
  add_adapters();
}

Demands Demands::on_any_routes(const PipelineSpec& spec) {
  Demands demands(spec);
  demands.add_stages();
  demands.add_ports_together();
  demands.add_adapters();
  return demands;
}

void Demands::add_adapters() {
  for (const ChannelSpec& channel : spec_.channels) {
    if (channel.adapters == 0) continue;
    add(Bound::adapter, "adapter of " + channel.name, static_cast<double>(channel.adapter_pass));
  }
}

void Demands::add_stages() {
  struct Work {
    Picoseconds all = 0;
    Picoseconds exchange = 0;
    Picoseconds wait = 0;
  };
  std::vector<Work> works(spec_.worker_count());
  for (std::size_t i = 0; i < spec_.stages.size(); ++i) {
    const StageSpec& stage = spec_.stages[i];
    Work& work = works[spec_.worker(i)];
    work.all += stage.forward + (spec_.training ? stage.backward : 0);
    work.exchange += stage.forward_exchange + (spec_.training ? stage.backward_exchange : 0);
    work.wait += stage.forward_wait + (spec_.training ? stage.backward_wait : 0);
  }
  for (std::size_t i = 0; i < works.size(); ++i) {
    const Work& work = works[i];
    const std::string& name =
        spec_.worker_of.empty() ? spec_.stages[i].name : spec_.workers[i].name;
    const Picoseconds computes = work.all - work.exchange - work.wait;
    if (work.exchange > std::max(computes, work.wait)) {
      add(Bound::link, "exchanges of stage " + name, static_cast<double>(work.all));
    } else if (work.wait > computes) {
      add(Bound::dram, "memory of stage " + name, static_cast<double>(work.all));
    } else {
      add(Bound::compute, "stage " + name, static_cast<double>(work.all));
    }
  }
}

Picoseconds Demands::least_per_sample() const {
  Picoseconds least = 0;
  for (const auto& two : most_) least = std::max(least, two[0].busy_per_sample);
  return least;
}

std::vector<NamedBound> Demands::bounds() const {
  std::vector<NamedBound> all;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (const Utilisation& resource : most_[kind]) {
      if (resource.name.empty()) continue;
      all.push_back({bound_name(static_cast<Bound>(kind)), resource.name,
                     resource.busy / static_cast<double>(kPicosecondsPerSecond)});
    }
  }
  return all;
}

void Demands::add(Bound kind, const std::string& name, double busy) {
  auto& [most, next] = most_[static_cast<std::size_t>(kind)];
  const Utilisation found{name, static_cast<Picoseconds>(std::llround(busy)), busy};
  if (busy > most.busy) {
    if (name != most.name) next = most;
    most = found;
  } else if (busy > next.busy && name != most.name) {
    next = found;
  }
}

void Demands::add_links(const std::vector<std::int64_t>& bytes, double samples) {
  LinkIndex busiest = 0;
  for (LinkIndex link = 1; link < bytes.size(); ++link) {
    if (link_time(*mesh_, link, bytes[link]) > link_time(*mesh_, busiest, bytes[busiest])) {
      busiest = link;
    }
  }
  add_link(busiest, link_time(*mesh_, busiest, bytes[busiest]) / samples);
}

void Demands::add_link(LinkIndex link, double busy) {
  add(Bound::link, mesh_->link_text(link), busy);
}

/// The bytes of one sample by the usual routes, on links and on tiles' ways into and out of the
/// mesh.
void Demands::add_fixed_links(RoutePlanner& planner) {
  LinkLoads loads(*mesh_);
  TileWays ways;
  for_each_sample_lane(spec_, [&](const Lane& lane, bool back, std::int64_t part) {
    loads.count(*lane_route(*mesh_, planner, lane, back, 0, part), part);
    if (lane.passes_by) return;
    const NodeIndex from = mesh_->node(lane.from);
    const NodeIndex to = mesh_->node(lane.to);
    ways.add_lane(back ? to : from, back ? from : to, part);
  });
  const LinkLoads::Busiest busiest = loads.busiest();
  add_link(busiest.link, busiest.time);
  for (const auto* side : {&ways.into, &ways.out_of}) {
    for (const auto& [tile, carried] : *side) {
      const double busy = tile_way_time(*mesh_, carried);
      // Names take longer than all else here, and two are kept.
      if (busy <= most_[static_cast<std::size_t>(Bound::link)][1].busy) continue;
      add(Bound::link, "tile " + tile_text(mesh_->place(tile)), busy);
    }
  }
}

void Demands::add_ports() {
  for (const bool out : {false, true}) {
    std::vector<std::int64_t> bytes(spec_.ports.size(), 0);
    for (const ChannelSpec& channel : spec_.channels) {
      if (channel.is_output() != out) continue;
      for (std::size_t lane = 0; lane < channel.ports.size(); ++lane) {
        bytes[channel.ports[lane]] +=
            channel.part(channel.lanes, lane, sample_bytes(spec_, channel));
      }
    }
    std::int64_t host = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const PortSpec& port = spec_.ports[i];
      if (bytes[i] == 0) continue;
      if (!port.is_memory) host += bytes[i];
      add(port.is_memory ? Bound::dram : Bound::io, "port " + port.name,
          static_cast<double>(bytes[i]) /
              (links_are_short_ ? most_bytes_per_ps(port) : port.bytes_per_ps));
    }
    add(Bound::io, out ? "all host ports, out" : "all host ports, in",
        static_cast<double>(host) / spec_.host_bytes_per_ps);
  }
}

void Demands::add_ports_together() {
  const PortsTogether memories(spec_.ports, true);
  const PortsTogether hosts(spec_.ports, false);
  const double host_rate = std::min(hosts.bytes_per_ps, spec_.host_bytes_per_ps);
  for (const bool out : {false, true}) {
    double host = 0;
    double memory = 0;
    for (const ChannelSpec& channel : spec_.channels) {
      if (channel.is_output() != out || (!out && !channel.is_input())) continue;
      const auto bytes = static_cast<double>(sample_bytes(spec_, channel));
      (passes_memory(spec_, channel) ? memory : host) += bytes;
    }
    const std::string way = out ? ", out" : ", in";
    if (memory > 0) add(Bound::dram, memories.name(way), memory / memories.bytes_per_ps);
    if (host > 0) add(Bound::io, hosts.name(way), host / host_rate);
  }
}

}  // namespace waferloom::sim
