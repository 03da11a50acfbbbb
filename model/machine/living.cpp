#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "model/mesh.h"

// Problem: say once what of a machine can work together when tiles and links are dead.
// Idea: tiles that reach one another by links that live both ways are a part, found by flooding.
// The largest part counts; what is dead or in another part is lost. Sums of lost tiles over
// corners answer for any rectangle. Ports count where their tile is joined.
// Source: summed-area tables (Crow, 1984). Cost: O(tiles), nothing where nothing is dead.
namespace waferloom {
namespace {

template <typename Visit>
void for_each_joined(const Mesh& mesh, NodeIndex at, const Visit& visit) {
  for (const Direction direction : kDirections) {
    if (mesh.is_dead_link(Mesh::link(at, direction))) continue;
    const NodeIndex next = mesh.neighbour(at, direction);
    if (!mesh.is_dead_link(Mesh::link(next, opposite(direction)))) visit(next);
  }
}

/// The sum with one more; nothing where either has no limit.
std::optional<std::int64_t> plus(const std::optional<std::int64_t>& sum,
                                 const std::optional<std::int64_t>& more) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!sum || !more) return std::nullopt;
  return *sum > kMost - *more ? kMost : *sum + *more;
}

Rate smaller(const Rate& a, const Rate& b) {
  if (!a) return b;
  return b && *b < *a ? b : a;
}

}  // namespace

LiveParts::LiveParts(const Mesh& mesh) { find(mesh); }

LiveParts::LiveParts(const Hardware& hardware) {
  if (!hardware.wafer.dead.empty() || !hardware.dead_links.empty()) find(Mesh(hardware));
}

void LiveParts::find(const Mesh& mesh) {
  if (!mesh.has_dead()) return;
  constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();
  part_.assign(mesh.node_count(), kUnseen);
  count_ = 0;
  if (mesh.is_switched()) {
    for (NodeIndex node = 0; node < part_.size(); ++node) {
      part_[node] = mesh.is_dead(node) ? ++count_ : 0;
    }
    ++count_;
    return;
  }
  std::vector<NodeIndex> reached;
  for (NodeIndex first = 0; first < part_.size(); ++first) {
    if (part_[first] != kUnseen) continue;
    part_[first] = count_;
    reached.assign(1, first);
    while (!reached.empty()) {
      const NodeIndex at = reached.back();
      reached.pop_back();
      for_each_joined(mesh, at, [&](NodeIndex next) {
        if (part_[next] != kUnseen) return;
        part_[next] = count_;
        reached.push_back(next);
      });
    }
    ++count_;
  }
}

Rate port_bytes_per_s(const Hardware& hardware, const EdgePort& port) {
  const Rate& link = hardware.link.bytes_per_s;
  if (hardware.topology != Topology::switched) return smaller(port.bytes_per_s, link);
  const Rate& network = hardware.group_link.bytes_per_s;
  if (!link || !network) return port.bytes_per_s;
  return smaller(port.bytes_per_s, std::max(*link, *network));
}

Living::Living(const Hardware& hardware) : Living(hardware, std::nullopt) {}

Living::Living(const Hardware& hardware, const std::optional<TilePlace>& within)
    : columns_(hardware.wafer.width), rows_(hardware.wafer.height), joined_(tiles()) {
  if (!hardware.wafer.dead.empty() || !hardware.dead_links.empty())
    find_part(hardware, Mesh(hardware), within);
  host_ports_ = ports_of(hardware, hardware.host_ports);
  host_ports_.bytes_per_s = smaller(host_ports_.bytes_per_s, hardware.host_bytes_per_s);
  dram_ports_ = ports_of(hardware, hardware.dram_ports);
}

void Living::find_part(const Hardware& hardware, const Mesh& mesh,
                       const std::optional<TilePlace>& within) {
  const LiveParts parts(mesh);
  std::vector<std::int64_t> sizes(parts.count(), 0);
  is_dead_.assign(mesh.node_count(), false);
  for (NodeIndex node = 0; node < mesh.node_count(); ++node) {
    is_dead_[node] = mesh.is_dead(node);
    dead_ += is_dead_[node] ? 1 : 0;
    sizes[parts.part(node)] += is_dead_[node] ? 0 : 1;
  }
  // A part that nothing comes into can do nothing.
  const auto& ports = hardware.edge_io == EdgeIo::dram ? hardware.dram_ports : hardware.host_ports;
  std::vector<std::int64_t> reached(parts.count(), 0);
  for (const EdgePort& port : ports) {
    const NodeIndex node = mesh.node(port_tile(hardware.wafer, port));
    if (!is_dead_[node] || mesh.is_passing(node)) {
      reached[parts.part(node)] = sizes[parts.part(node)];
    }
  }
  const bool is_reached = *std::max_element(reached.begin(), reached.end()) > 0;
  const std::vector<std::int64_t>& of_those = is_reached ? reached : sizes;
  auto part = static_cast<std::uint32_t>(std::max_element(of_those.begin(), of_those.end()) -
                                         of_those.begin());
  if (within && contains({0, 0, columns_, rows_}, {within->x, within->y, 1, 1})) {
    const NodeIndex node = mesh.node(*within);
    if (!is_dead_[node]) part = parts.part(node);
  }
  if (!hardware.passing.empty()) {
    is_passing_.assign(mesh.node_count(), false);
    for (NodeIndex node = 0; node < mesh.node_count(); ++node) {
      is_passing_[node] = mesh.is_passing(node) && parts.part(node) == part;
    }
  }
  joined_ = sizes[part];
  if (joined_ == tiles()) return;
  const std::size_t stride = std::size_t{mesh.columns()} + 1;
  sums_.assign(stride * (std::size_t{mesh.rows()} + 1), 0);
  for (std::uint32_t y = 0; y < mesh.rows(); ++y) {
    std::uint32_t along = 0;
    for (std::uint32_t x = 0; x < mesh.columns(); ++x) {
      const NodeIndex node = mesh.node(x, y);
      along += parts.part(node) != part || is_dead_[node] ? 1 : 0;
      const std::size_t corner = stride * (std::size_t{y} + 1) + x + 1;
      sums_[corner] = sums_[corner - stride] + along;
    }
  }
}

std::int64_t Living::lost_tiles(const Rectangle& tiles) const {
  if (sums_.empty()) return 0;
  const auto at = [&](std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(sums_[static_cast<std::size_t>(y * (columns_ + 1) + x)]);
  };
  const std::int64_t right = tiles.x + tiles.width;
  const std::int64_t top = tiles.y + tiles.height;
  return at(right, top) - at(tiles.x, top) - at(right, tiles.y) + at(tiles.x, tiles.y);
}

bool Living::is_joined(const Rectangle& tiles) const {
  return contains({0, 0, columns_, rows_}, tiles) && lost_tiles(tiles) == 0;
}

std::optional<TilePlace> Living::first_lost(const Rectangle& tiles) const {
  if (lost_tiles(tiles) == 0) return std::nullopt;
  std::int64_t y = tiles.y;
  while (lost_tiles({tiles.x, y, tiles.width, 1}) == 0) ++y;
  std::int64_t x = tiles.x;
  while (!is_lost({x, y})) ++x;
  return TilePlace{x, y};
}

TileState Living::state(const TilePlace& tile) const {
  if (!is_lost(tile)) return TileState::joined;
  const auto at = static_cast<std::size_t>(tile.y * columns_ + tile.x);
  if (!is_passing_.empty() && is_passing_[at]) return TileState::passing;
  const bool is_dead = is_dead_[at];
  return is_dead ? TileState::dead : TileState::cut_off;
}

std::vector<Rectangle> Living::cut_off_rectangles() const {
  std::vector<Rectangle> found;
  if (cut_off_tiles() == 0) return found;
  std::vector<std::size_t> below;  // those that end at the row below
  for (std::int64_t y = 0; y < rows_; ++y) {
    std::vector<std::size_t> here;
    for (std::int64_t x = 0; x < columns_; ++x) {
      if (state({x, y}) != TileState::cut_off) continue;
      const std::int64_t first = x;
      while (x < columns_ && state({x, y}) == TileState::cut_off) ++x;
      const auto alike = std::find_if(below.begin(), below.end(), [&](std::size_t at) {
        return found[at].x == first && found[at].width == x - first;
      });
      if (alike == below.end()) {
        found.push_back({first, y, x - first, 1});
        here.push_back(found.size() - 1);
      } else {
        ++found[*alike].height;
        here.push_back(*alike);
      }
    }
    below = std::move(here);
  }
  return found;
}

LivePorts Living::ports_of(const Hardware& hardware, const std::vector<EdgePort>& ports) const {
  LivePorts found;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const TileState found_there = state(port_tile(hardware.wafer, ports[i]));
    if (found_there == TileState::joined || found_there == TileState::passing) {
      found.places.push_back(i);
    }
  }
  found.lost = ports.size() - found.places.size();
  if (found.places.empty()) return found;
  found.bytes_per_s = found.capacity_bytes = 0;
  for (const std::size_t place : found.places) {
    found.bytes_per_s = plus(found.bytes_per_s, port_bytes_per_s(hardware, ports[place]));
    found.capacity_bytes = plus(found.capacity_bytes, ports[place].capacity_bytes);
  }
  return found;
}

std::string Living::text() const {
  if (is_whole()) return "";
  const std::string of = fmt::format(" of its {} tiles are ", tiles());
  if (dead_ == 0) return fmt::format("{}{}cut off", cut_off_tiles(), of);
  const std::string dead = fmt::format("{}{}dead", dead_, of);
  const std::int64_t more = cut_off_tiles();
  return more == 0 ? dead : fmt::format("{}, {} more cut off", dead, more);
}

Wafer joined_wafer(const Hardware& hardware) {
  Wafer wafer = hardware.wafer;
  const std::vector<Rectangle> cut_off = Living(hardware).cut_off_rectangles();
  wafer.dead.insert(wafer.dead.end(), cut_off.begin(), cut_off.end());
  return wafer;
}

}  // namespace waferloom
