#include "planner/wafer/stream_sites.h"

#include <algorithm>
#include <set>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "planner/tile_operators.h"

// Problem: say what reaches a rectangle of tiles through the host ports, when ports, tiles and
// links are dead and groups of tiles are joined by slower links. Idea: ports on tiles that live,
// each at most at its link's rate. Ports of other groups bring what the borders on their way and
// those of the group itself let through; they are left out where that adds less than a hundredth,
// since their words come late. Source: ours.
namespace waferloom::planner {
namespace {

constexpr double kWorthWaiting = 0.01;

}  // namespace

StreamSites::StreamSites(const Hardware& hardware, const TileFabric& fabric, double ports_share)
    : sites_(hardware), fabric_(fabric), ports_share_(ports_share) {}

double StreamSites::rate_of(const std::vector<std::size_t>& ports) const {
  const Hardware& hardware = sites_.hardware();
  const double word = as_double(fabric_.word_bytes) * as_double(hardware.clock_hz);
  double bytes = 0;
  for (const std::size_t port : ports) {
    const Rate rate = port_bytes_per_s(hardware, hardware.host_ports[port]);
    bytes += rate ? std::min(as_double(*rate), word) : word;
  }
  if (hardware.host_bytes_per_s) bytes = std::min(bytes, as_double(*hardware.host_bytes_per_s));
  return bytes;
}

double StreamSites::words_a_cycle(double bytes_per_s) const {
  return ports_share_ * bytes_per_s / as_double(fabric_.word_bytes) /
         as_double(sites_.hardware().clock_hz);
}

double StreamSites::words_per_cycle() const {
  return words_a_cycle(rate_of(sites_.living().host_ports().places));
}

double StreamSites::sides_of_ports() const {
  std::set<Direction> sides;
  for (const std::size_t port : sites_.living().host_ports().places) {
    sides.insert(sites_.hardware().host_ports[port].side);
  }
  return sides.size() > 1 ? 2 : 1;
}

GroupPlace StreamSites::group_of(std::size_t port) const {
  const Hardware& hardware = sites_.hardware();
  return sites_.borders().group(port_tile(hardware.wafer, hardware.host_ports[port]));
}

PortFlow StreamSites::flow_over(const Rectangle& place) const {
  const GroupBorders& borders = sites_.borders();
  std::vector<std::size_t> ports;
  for (const std::size_t port : sites_.living().host_ports().places) {
    if (overlap(borders.tiles(group_of(port)), place)) ports.push_back(port);
  }
  return {words_a_cycle(rate_of(ports)), 0, sides_of_ports()};
}

PortFlow StreamSites::flow_to(const GroupPlace& group) const {
  const GroupBorders& borders = sites_.borders();
  std::map<Key, std::vector<std::size_t>> by_group;
  for (const std::size_t port : sites_.living().host_ports().places) {
    const GroupPlace at = group_of(port);
    by_group[{at.x, at.y}].push_back(port);
  }
  double own = 0;
  double far = 0;
  double latency_ps = 0;
  for (const auto& [place, ports] : by_group) {
    if (place == Key{group.x, group.y}) {
      own = rate_of(ports);
      continue;
    }
    const BorderWay way = borders.way({place.first, place.second}, group);
    far += std::min(rate_of(ports), way.bytes_per_ps * kSecondPs);
    latency_ps = std::max(latency_ps, way.latency_ps);
  }
  far = std::min(far, over_borders(group));
  PortFlow flow;
  flow.sides = sides_of_ports();
  double bytes = own;
  if (far > kWorthWaiting * own) {
    bytes += far;
    flow.entry_cycles = latency_ps * as_double(sites_.hardware().clock_hz) / kSecondPs;
  }
  const Rate& most = sites_.hardware().host_bytes_per_s;
  flow.words_per_cycle = words_a_cycle(most ? std::min(bytes, as_double(*most)) : bytes);
  return flow;
}

double StreamSites::over_borders(const GroupPlace& group) const {
  const GroupBorders& borders = sites_.borders();
  double bytes = 0;
  for (const GroupPlace& next :
       {GroupPlace{group.x + 1, group.y}, GroupPlace{group.x - 1, group.y},
        GroupPlace{group.x, group.y + 1}, GroupPlace{group.x, group.y - 1}}) {
    const bool is_there =
        next.x >= 0 && next.y >= 0 && next.x < borders.columns() && next.y < borders.rows();
    if (is_there) bytes += borders.way(next, group).bytes_per_ps * kSecondPs;
  }
  return bytes;
}

StreamSite StreamSites::site(const TileGrid& tiles, const Rectangle& place, std::int64_t spare_rows,
                             bool spans) {
  StreamSite found{tiles, place, spare_rows, spans};
  const Detours detours = sites_.detours(place, spare_rows);
  found.fabric = detoured(sites_.hardware(), fabric_, stretch_of(detours, tiles), detours, spans);
  const GroupPlace group = sites_.borders().group({place.x, place.y});
  if (spans) {
    found.ports = flow_over(place);
    return found;
  }
  const auto known = flows_.find({group.x, group.y});
  if (known != flows_.end()) {
    found.ports = known->second;
  } else {
    found.ports = flows_[{group.x, group.y}] = flow_to(group);
  }
  return found;
}

std::vector<StreamSite> StreamSites::of(const TileGrid& tiles) {
  const RowRange rows{sites_.box().y, sites_.box().height};
  const bool has_groups = sites_.borders().are_felt();
  std::vector<StreamSite> found;
  constexpr std::int64_t kMostTried = 1024;
  for (const RegionWay& way : sites_.ways(tiles, rows, has_groups ? kMostTried : 1)) {
    std::optional<StreamSite> best;
    const std::int64_t tried = has_groups && !way.spans ? std::min(way.blocks, kMostTried) : 1;
    std::set<Key> groups;
    for (const Rectangle& place : sites_.places(tiles, way, rows, tried)) {
      const GroupPlace group = sites_.borders().group({place.x, place.y});
      const bool lies_over = !contains(sites_.borders().tiles(group), place);
      if (lies_over != way.spans) continue;
      if (!groups.insert({group.x, group.y}).second) continue;
      StreamSite next = site(tiles, place, way.spare_rows, way.spans);
      if (next.ports.words_per_cycle <= 0) continue;
      if (!best || next.ports.words_per_cycle > best->ports.words_per_cycle) best = next;
    }
    if (best) found.push_back(*best);
  }
  return found;
}

StreamSite StreamSites::planned(const TileGrid& tiles, const Rectangle& place,
                                std::int64_t spare_rows) {
  const Hardware& hardware = sites_.hardware();
  const Rectangle mesh{0, 0, hardware.wafer.width, hardware.wafer.height};
  if (!contains(mesh, place)) throw RequestError("the plan's tiles leave " + hardware.name);
  if (place.width != tiles.columns || place.height != tiles.rows + spare_rows) {
    throw RequestError("the plan's place is not of the plan's rows and columns");
  }
  if (sites_.lost_in_column(place) > spare_rows) {
    throw InfeasibleError("the plan needs " + sites_.lost_text(place));
  }
  const GroupBorders& borders = sites_.borders();
  const bool spans = !contains(borders.tiles(borders.group({place.x, place.y})), place);
  StreamSite found = site(tiles, place, spare_rows, spans);
  if (found.ports.words_per_cycle > 0) return found;
  const std::string lost = sites_.living().text();
  throw InfeasibleError("no host port of " + hardware.name + " leads to the plan's tiles" +
                        (lost.empty() ? "" : ": " + lost));
}

}  // namespace waferloom::planner
