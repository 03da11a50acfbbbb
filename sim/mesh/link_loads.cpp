#include "sim/mesh/link_loads.h"

#include <algorithm>
#include <tuple>

namespace waferloom::sim {

void LinkLoads::count(const Route& route, std::int64_t bytes) {
  if (bytes == 0) return;
  for (const Leg& leg : route.legs) add_leg(leg, bytes);
}

/// On switched hardware every link is a line of its own.
void LinkLoads::add_leg(const Leg& leg, std::int64_t bytes) {
  if (mesh_.is_switched()) {
    const std::uint64_t line = Mesh::link(leg.from, leg.direction);
    changes_.push_back({line, 0, bytes});
    changes_.push_back({line, 1, -bytes});
    return;
  }
  const std::uint32_t x = mesh_.x(leg.from);
  const std::uint32_t y = mesh_.y(leg.from);
  std::uint32_t place = 0;
  switch (leg.direction) {
    case Direction::east:
      place = x;
      break;
    case Direction::west:
      place = mesh_.columns() - 1 - x;
      break;
    case Direction::north:
      place = y;
      break;
    case Direction::south:
      place = mesh_.rows() - 1 - y;
      break;
  }
  const std::uint64_t line = kDirections.size() * std::uint64_t{is_along_x(leg.direction) ? y : x} +
                             static_cast<std::uint64_t>(leg.direction);
  changes_.push_back({line, place, bytes});
  changes_.push_back({line, place + leg.hops, -bytes});
}

LinkIndex LinkLoads::link_at(std::uint64_t line, std::uint32_t place) const {
  if (mesh_.is_switched()) return static_cast<LinkIndex>(line);
  const auto direction = static_cast<Direction>(line % kDirections.size());
  const auto across = static_cast<std::uint32_t>(line / kDirections.size());
  switch (direction) {
    case Direction::east:
      return Mesh::link(mesh_.node(place, across), direction);
    case Direction::west:
      return Mesh::link(mesh_.node(mesh_.columns() - 1 - place, across), direction);
    case Direction::north:
      return Mesh::link(mesh_.node(across, place), direction);
    case Direction::south:
      return Mesh::link(mesh_.node(across, mesh_.rows() - 1 - place), direction);
  }
  return 0;
}

/// The links of a line from a change to before `end`, which all carry the same.
void LinkLoads::look_at(const Change& from, std::uint32_t end, std::int64_t bytes,
                        Busiest& best) const {
  if (static_cast<double>(bytes) / mesh_.slowest_bytes_per_ps() < best.time) return;
  for (std::uint32_t place = from.place; place < end; ++place) {
    const LinkIndex link = link_at(from.line, place);
    const double time = link_time(mesh_, link, bytes);
    if (time > best.time || (time == best.time && time > 0 && link < best.link)) {
      best = {link, time};
    }
  }
}

LinkLoads::Busiest LinkLoads::busiest() {
  std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    return std::tie(a.line, a.place) < std::tie(b.line, b.place);
  });
  Busiest best;
  std::int64_t bytes = 0;  // zero again at the end of every line
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    bytes += changes_[i].bytes;
    const bool goes_on = i + 1 < changes_.size() && changes_[i + 1].line == changes_[i].line;
    if (bytes > 0 && goes_on) look_at(changes_[i], changes_[i + 1].place, bytes, best);
  }
  return best;
}

}  // namespace waferloom::sim
