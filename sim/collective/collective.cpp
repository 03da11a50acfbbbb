#include "sim/collective/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "sim/collective.h"
#include "sim/mesh/route_planner.h"

// Problem: find the time of a collective without sending its messages step by step.
// Idea: macro-flows. The steps of a phase are equal, so a single step is timed and multiplied. A
// step takes the longest latency, and the largest flow's bytes at the rate that the busiest link or
// port leaves to it. Loads are added up once; then any number of bytes takes O(phases).
// Source: PALM (arXiv:2406.03868), Eqs. 2 and 5; loads of links and chains that fill are ours
// (docs/collectives.md).
// Cost: O(flows · hops) at most. Equal flows on a mesh without defects take O(legs + tiles).
namespace waferloom::sim {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Makes one of the amounts at each place, sorted by place; amounts are added in the order in which
/// they came, so that sums of floating-point numbers do not depend on the sort. O(n log n).
template <typename Place, typename Amount>
void add_up(std::vector<std::pair<Place, Amount>>& amounts) {
  std::stable_sort(amounts.begin(), amounts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t sums = 0;
  for (const auto& amount : amounts) {
    if (sums > 0 && amounts[sums - 1].first == amount.first) {
      amounts[sums - 1].second += amount.second;
    } else {
      amounts[sums++] = amount;
    }
  }
  amounts.resize(sums);
}

/// The smallest rectangle around some tiles.
class Surrounding {
 public:
  void add(const TilePlace& tile) {
    left_ = std::min(left_, tile.x);
    right_ = std::max(right_, tile.x);
    low_ = std::min(low_, tile.y);
    high_ = std::max(high_, tile.y);
  }
  /// Of at least one tile.
  Rectangle rectangle() const { return {left_, low_, right_ - left_ + 1, high_ - low_ + 1}; }

 private:
  std::int64_t left_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t right_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t low_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t high_ = std::numeric_limits<std::int64_t>::min();
};

Rectangle around(const std::vector<Flow>& flows) {
  Surrounding surrounding;
  for (const Flow& flow : flows) {
    surrounding.add(flow.from);
    surrounding.add(flow.to);
  }
  return surrounding.rectangle();
}

Rectangle around(const std::vector<TileGroup>& groups) {
  Surrounding surrounding;
  for (const TileGroup& group : groups) {
    for (const TilePlace& tile : group) surrounding.add(tile);
  }
  return surrounding.rectangle();
}

/// How many members of a group are on each node of switched hardware.
std::map<std::int64_t, std::int64_t> members_by_node(const TileGroup& group) {
  std::map<std::int64_t, std::int64_t> members;
  for (const TilePlace& tile : group) ++members[tile.y];
  return members;
}

/// The columns and rows in which a group has tiles, and which of their crossings are its.
class Crossings {
 public:
  explicit Crossings(const TileGroup& group) {
    for (const TilePlace& tile : group) {
      columns_.push_back(tile.x);
      rows_.push_back(tile.y);
    }
    for (std::vector<std::int64_t>* lines : {&columns_, &rows_}) {
      std::sort(lines->begin(), lines->end());
      lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
    }
    is_its_.assign(columns_.size() * rows_.size(), 0);
    for (const TilePlace& tile : group) {
      is_its_[place(rows_, tile.y) * columns_.size() + place(columns_, tile.x)] = 1;
    }
  }
  const std::vector<std::int64_t>& columns() const { return columns_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  /// 1 where the group has a tile, else 0.
  std::int64_t at(std::size_t column, std::size_t row) const {
    return is_its_[row * columns_.size() + column];
  }

 private:
  static std::size_t place(const std::vector<std::int64_t>& lines, std::int64_t line) {
    return static_cast<std::size_t>(std::lower_bound(lines.begin(), lines.end(), line) -
                                    lines.begin());
  }
  std::vector<std::int64_t> columns_;
  std::vector<std::int64_t> rows_;
  std::vector<std::uint8_t> is_its_;
};

/// Counts flows on the links and tiles of a rectangle without defects. A leg notes only where its
/// links begin and end in a row or column; prefix sums give the rest. That takes O(legs + tiles)
/// instead of O(hops). The counts are whole numbers, so the order does not matter.
class FlowCounts {
 public:
  FlowCounts(const Mesh& mesh, const Rectangle& tiles)
      : mesh_(mesh),
        tiles_(tiles),
        width_(static_cast<std::size_t>(tiles.width)),
        count_(width_ * static_cast<std::size_t>(tiles.height)),
        in_(count_, 0),
        out_(count_, 0) {
    for (auto& ends : links_) ends.assign(count_ + width_, 0);
  }

  void add_leg(const Leg& leg) { add_leg(leg, 1); }
  void add_leg(const Leg& leg, std::int64_t flows) {
    const std::size_t apart = stride(leg.direction);
    const std::size_t length = leg.hops * apart;
    const bool up = leg.direction == Direction::east || leg.direction == Direction::north;
    const std::size_t from = index(leg.from);
    const std::size_t lowest = up ? from : from + apart - length;
    auto& ends = links_[static_cast<std::size_t>(leg.direction)];
    ends[lowest] += flows;
    ends[lowest + length] -= flows;
  }
  void add_way_in(NodeIndex node) { ++in_[index(node)]; }
  void add_way_out(NodeIndex node) { ++out_[index(node)]; }

  /// A flow from each tile of a group to each other one. By xy, what leaves a column goes in the
  /// row of its sender to all columns beyond, and what leaves a row in the column of its receiver.
  void add_all_to_all(const TileGroup& group) {
    const Crossings crossings(group);
    const auto of_row = [&](std::size_t row, std::size_t column) {
      return crossings.at(column, row);
    };
    const auto of_column = [&](std::size_t column, std::size_t row) {
      return crossings.at(column, row);
    };
    // Senders in the row, receivers anywhere.
    for_each_gap(
        crossings.rows(), crossings.columns(), of_row,
        [&](std::int64_t y, std::int64_t before, std::int64_t x, const Halves& row,
            const Halves& all) {
          const auto hops = static_cast<std::uint32_t>(x - before);
          add_leg({mesh_.node({before, y}), Direction::east, hops}, row.before * all.behind);
          add_leg({mesh_.node({x, y}), Direction::west, hops}, row.behind * all.before);
        });
    // Receivers in the column, senders anywhere.
    for_each_gap(
        crossings.columns(), crossings.rows(), of_column,
        [&](std::int64_t x, std::int64_t before, std::int64_t y, const Halves& column,
            const Halves& all) {
          const auto hops = static_cast<std::uint32_t>(y - before);
          add_leg({mesh_.node({x, before}), Direction::north, hops}, all.before * column.behind);
          add_leg({mesh_.node({x, y}), Direction::south, hops}, all.behind * column.before);
        });
    const auto others = static_cast<std::int64_t>(group.size()) - 1;
    for (const TilePlace& tile : group) {
      in_[index(mesh_.node(tile))] += others;
      out_[index(mesh_.node(tile))] += others;
    }
  }

  /// Calls visit_link(link, flows) for each link in use, and visit_tile(node, flows) for each way
  /// of a tile in use. May be called once only.
  template <typename VisitLink, typename VisitTile>
  void add_up(const VisitLink& visit_link, const VisitTile& visit_tile) {
    for (const Direction direction : kDirections) {
      const std::size_t apart = stride(direction);
      auto& flows = links_[static_cast<std::size_t>(direction)];
      for (std::size_t tile = 0; tile < count_; ++tile) {
        if (tile >= apart) flows[tile] += flows[tile - apart];
        if (flows[tile] != 0) visit_link(Mesh::link(node(tile), direction), flows[tile]);
      }
    }
    for (const std::vector<std::int64_t>* ways : {&in_, &out_}) {
      for (std::size_t tile = 0; tile < count_; ++tile) {
        if ((*ways)[tile] > 0) visit_tile(node(tile), (*ways)[tile]);
      }
    }
  }

 private:
  /// Tiles of a line, or of all lines, before a gap and behind it.
  struct Halves {
    std::int64_t before = 0;
    std::int64_t behind = 0;
    void move(std::int64_t tiles) {
      before += tiles;
      behind -= tiles;
    }
  };
  /// Calls visit(line, place before, place behind, its halves, those of all lines) for each two
  /// places of a line that follow one another.
  template <typename Count, typename Visit>
  static void for_each_gap(const std::vector<std::int64_t>& lines,
                           const std::vector<std::int64_t>& places, const Count& count,
                           const Visit& visit) {
    std::vector<std::int64_t> all_at(places.size(), 0);
    std::int64_t all = 0;
    std::vector<std::int64_t> in_line(lines.size(), 0);
    for (std::size_t line = 0; line < lines.size(); ++line) {
      for (std::size_t at = 0; at < places.size(); ++at) {
        all_at[at] += count(line, at);
        in_line[line] += count(line, at);
      }
      all += in_line[line];
    }
    for (std::size_t line = 0; line < lines.size(); ++line) {
      Halves own{0, in_line[line]};
      Halves together{0, all};
      for (std::size_t at = 0; at + 1 < places.size(); ++at) {
        own.move(count(line, at));
        together.move(all_at[at]);
        visit(lines[line], places[at], places[at + 1], own, together);
      }
    }
  }

  std::size_t stride(Direction direction) const { return is_along_x(direction) ? 1 : width_; }
  std::size_t index(NodeIndex node) const {
    const TilePlace tile{mesh_.x(node), mesh_.y(node)};
    return static_cast<std::size_t>(tile.y - tiles_.y) * width_ +
           static_cast<std::size_t>(tile.x - tiles_.x);
  }
  NodeIndex node(std::size_t index) const {
    return mesh_.node({tiles_.x + static_cast<std::int64_t>(index % width_),
                       tiles_.y + static_cast<std::int64_t>(index / width_)});
  }

  const Mesh& mesh_;
  Rectangle tiles_;
  std::size_t width_;
  std::size_t count_;                                                // of tiles
  std::vector<std::int64_t> in_;                                     // by tile: ways into the mesh
  std::vector<std::int64_t> out_;                                    // by tile: ways out of it
  std::array<std::vector<std::int64_t>, kDirections.size()> links_;  // by direction and tile
};

/// Adds up the loads of a step: on every link, on every tile's ways into and out of the mesh, and
/// on every DRAM port's ways in and out. A flow's weight is its share of the largest flow. A few
/// loads are kept in a list and added up by place at the end. Many loads are counted by FlowCounts
/// if all flows have equal weights and the mesh has no defects. Otherwise they go into an array of
/// all places, in their order, so that rounding is always the same.
class Loads {
 public:
  /// The flows are between tiles of `tiles`. `weight` is the weight of each flow, a whole number,
  /// if all have the same.
  Loads(const Mesh& mesh, const Hardware& hardware, const Rectangle& tiles,
        std::optional<double> weight)
      : mesh_(mesh),
        hardware_(hardware),
        tiles_(tiles),
        weight_(mesh.is_switched() || !routes_stay_inside(mesh, tiles) ? std::nullopt : weight),
        ways_in_(mesh.link_count()),
        places_(mesh.link_count() + 2 * mesh.node_count()) {}

  void add(const Flow& flow, const Route& route, double weight) {
    if (flow.port != Flow::kNoPort) ports_.emplace_back(2 * flow.port + (flow.out ? 1 : 0), weight);
    if (few_.size() >= most_listed()) count_listed();
    const NodeIndex from = mesh_.node(flow.from);
    const NodeIndex to = mesh_.node(flow.to);
    if (counts_) {
      counts_->add_way_in(from);
      counts_->add_way_out(to);
      for (const Leg& leg : route.legs) counts_->add_leg(leg);
      return;
    }
    carry(ways_in_ + from, weight);
    carry(ways_in_ + mesh_.node_count() + to, weight);
    for_each_link(mesh_, route, [&](LinkIndex link) { carry(link, weight); });
  }

  /// Flows of a group from all to all; all flows weigh the same, and routes stay inside.
  void add_all_to_all(const TileGroup& group) {
    if (mesh_.is_switched()) {
      add_through_switches(group);
      return;
    }
    if (!counts_) count_listed();
    counts_->add_all_to_all(group);
  }

  /// What leaves least to the largest flow, and so many bytes a picosecond.
  struct Busiest {
    double rate = kNoLimit;
    std::size_t place = SIZE_MAX;
    double alone = kNoLimit;  ///< the rate of the slowest place in use, if it were not shared
  };
  /// Of links and ways of tiles; busiest_port() of ports. Each may be called once only.
  Busiest busiest_link() {
    Busiest busiest;
    const auto look_at = [&](std::size_t place, double weight) {
      const bool is_link = place < ways_in_;
      const double rate =
          is_link ? mesh_.bytes_per_ps(static_cast<LinkIndex>(place)) : mesh_.tile_bytes_per_ps();
      busiest.alone = std::min(busiest.alone, rate);
      if (rate / weight >= busiest.rate) return;
      busiest.rate = rate / weight;
      busiest.place = place;
    };
    add_up(few_);
    for (const auto& [place, weight] : few_) look_at(place, weight);
    for (std::size_t place = 0; place < many_.size(); ++place) {
      if (many_[place] > 0) look_at(place, many_[place]);
    }
    if (counts_) {
      counts_->add_up(
          [&](LinkIndex link, std::int64_t flows) {
            look_at(link, static_cast<double>(flows) * *weight_);
          },
          [&](NodeIndex node, std::int64_t flows) {
            look_at(ways_in_ + node, static_cast<double>(flows) * *weight_);
          });
    }
    return busiest;
  }
  Busiest busiest_port() {
    Busiest busiest;
    add_up(ports_);
    for (const auto& [place, weight] : ports_) {
      const double rate =
          bytes_per_ps(port_bytes_per_s(hardware_, hardware_.dram_ports[place / 2])) / weight;
      if (rate < busiest.rate) busiest = {rate, place, kNoLimit};
    }
    return busiest;
  }

 private:
  using Load = std::pair<std::size_t, double>;  // place, weight

  /// Each member sends to, and takes from, those of its node through the node's switch, all others
  /// through the network between the nodes.
  void add_through_switches(const TileGroup& group) {
    const auto members = static_cast<std::int64_t>(group.size());
    const auto by_node = members_by_node(group);
    for (const TilePlace& tile : group) {
      const std::int64_t here = by_node.at(tile.y);
      for (const Direction direction : kDirections) {
        const std::int64_t flows = is_along_x(direction) ? here - 1 : members - here;
        if (flows == 0) continue;
        carry(Mesh::link(mesh_.node(tile), direction), static_cast<double>(flows));
      }
    }
  }

  /// The length of the list from which on FlowCounts or the array is cheaper. FlowCounts looks at
  /// every link of the rectangle, the array at every place.
  std::size_t most_listed() const {
    if (!weight_) return std::max(kFew, places_ / 8);
    return std::max(kFew, static_cast<std::size_t>(tiles_.width * tiles_.height));
  }

  /// Changes from the list to FlowCounts, if all weights are equal.
  void count_listed() {
    if (!weight_) return;
    counts_.emplace(mesh_, tiles_);
    for (const auto& [place, weight] : few_) {
      if (place < ways_in_) {
        const auto link = static_cast<LinkIndex>(place);
        counts_->add_leg({Mesh::source(link), Mesh::direction(link), 1});
        continue;
      }
      const std::size_t way = place - ways_in_;
      const auto node = static_cast<NodeIndex>(way % mesh_.node_count());
      if (way < mesh_.node_count()) {
        counts_->add_way_in(node);
      } else {
        counts_->add_way_out(node);
      }
    }
    few_.clear();
  }

  void carry(std::size_t place, double weight) {
    if (!many_.empty()) {
      many_[place] += weight;
      return;
    }
    few_.emplace_back(place, weight);
    if (weight_ || few_.size() < most_listed()) return;
    many_.assign(places_, 0);
    for (const auto& [at, waiting] : few_) many_[at] += waiting;
    few_.clear();
  }

  static constexpr std::size_t kFew = 1'024;
  const Mesh& mesh_;
  const Hardware& hardware_;
  Rectangle tiles_;
  std::optional<double> weight_;
  std::size_t ways_in_;
  std::size_t places_;
  std::vector<Load> few_;
  std::vector<double> many_;  // by place; empty while `few_` is in use
  std::optional<FlowCounts> counts_;
  std::vector<Load> ports_;
};

/// Of a place of Loads: a link, or a tile whose way into the mesh or out of it that is.
std::string link_place_text(const Mesh& mesh, std::size_t place) {
  if (place < mesh.link_count()) return mesh.link_text(static_cast<LinkIndex>(place));
  const std::size_t node = (place - mesh.link_count()) % mesh.node_count();
  return "tile " + tile_text(mesh.place(static_cast<NodeIndex>(node)));
}

/// Likewise of a DRAM port.
std::string port_place_text(std::size_t place) {
  return fmt::format("port dram {}{}", place / 2, place % 2 == 0 ? ", in" : ", out");
}

bool is_larger(const Share& a, const Share& b) {
  return Int128(a.parts) * b.of > Int128(b.parts) * a.of;
}

/// The average time of a phase's flows, and the most steps that a flow takes part in.
struct Average {
  double ps_per_byte = 0;  // sum over flows, like latency
  double latency = 0;
  std::int64_t longest = 0;  // steps of a flow

  void add(const Flow& flow, double rate, Picoseconds flow_latency) {
    ps_per_byte += 1 / rate;
    latency += static_cast<double>(flow_latency);
    longest = std::max(longest, flow.count);
  }
};

bool is_of_one_share(const Phase& phase) {
  const Share& first = phase.flows.front().share;
  return std::all_of(phase.flows.begin(), phase.flows.end(), [&](const Flow& flow) {
    return flow.share.parts == first.parts && flow.share.of == first.of;
  });
}

Share largest_share(const Phase& phase) {
  Share largest = phase.flows.front().share;
  for (const Flow& flow : phase.flows) {
    if (is_larger(flow.share, largest)) largest = flow.share;
  }
  return largest;
}

/// Of the ways by xy between any two tiles of a group the longest: hops are as far as places along
/// both axes are apart, which sums and differences of places tell.
Picoseconds longest_latency(const Mesh& mesh, const Rectangle& tiles, const TileGroup& group) {
  const auto places = [&](std::int64_t count, const TilePlace& step, Direction direction) {
    std::vector<Picoseconds> at{0};
    for (std::int64_t i = 0; i + 1 < count; ++i) {
      const NodeIndex node = mesh.node({tiles.x + i * step.x, tiles.y + i * step.y});
      at.push_back(at.back() + mesh.latency(Mesh::link(node, direction)));
    }
    return at;
  };
  const std::vector<Picoseconds> along_x = places(tiles.width, {1, 0}, Direction::east);
  const std::vector<Picoseconds> along_y = places(tiles.height, {0, 1}, Direction::north);
  constexpr Picoseconds kFar = std::numeric_limits<Picoseconds>::max();
  std::array<Picoseconds, 2> least{kFar, kFar};
  std::array<Picoseconds, 2> most{-kFar, -kFar};
  for (const TilePlace& tile : group) {
    const Picoseconds x = along_x[static_cast<std::size_t>(tile.x - tiles.x)];
    const Picoseconds y = along_y[static_cast<std::size_t>(tile.y - tiles.y)];
    const std::array<Picoseconds, 2> both{x + y, x - y};
    for (std::size_t i = 0; i < both.size(); ++i) {
      least[i] = std::min(least[i], both[i]);
      most[i] = std::max(most[i], both[i]);
    }
  }
  return std::max(most[0] - least[0], most[1] - least[1]);
}

/// The same through switches: up and down again, by the slower of the two ways that are used.
Picoseconds longest_through_switches(const Mesh& mesh, const TileGroup& group) {
  const auto members = static_cast<std::int64_t>(group.size());
  const NodeIndex node = mesh.node(group.front());
  const auto there_and_back = [&](Direction up) {
    return mesh.latency(Mesh::link(node, up)) + mesh.latency(Mesh::link(node, opposite(up)));
  };
  Picoseconds longest = 0;
  for (const auto& [place, here] : members_by_node(group)) {
    if (here > 1) longest = std::max(longest, there_and_back(Direction::east));
    if (here < members) longest = std::max(longest, there_and_back(Direction::north));
  }
  return longest;
}

}  // namespace

Collective::Collective(const Mesh& mesh, const Hardware& hardware, const ExchangeGroups& exchange,
                       Contention contention) {
  const std::vector<TileGroup>& groups = exchange.groups;
  if (groups.empty() || groups.front().size() < 2) return;
  const auto members = static_cast<std::int64_t>(groups.front().size());
  const Rectangle tiles = around(groups);
  Step step{exchange.steps, {1, members}, {kNoLimit, kNoLimit}, {kNoLimit, kNoLimit}, 0};
  Loads loads(mesh, hardware, tiles, 1.0);
  for (const TileGroup& group : groups) {
    loads.add_all_to_all(group);
    const Picoseconds latency = mesh.is_switched() ? longest_through_switches(mesh, group)
                                                   : longest_latency(mesh, tiles, group);
    step.latency = std::max(step.latency, latency + hardware.endpoint_latency_ps);
  }
  const Loads::Busiest busiest = loads.busiest_link();
  step.alone.mesh = busiest.alone;
  step.met.mesh = busiest.alone;
  step.filling_rate = kNoLimit;
  if (contention == Contention::simulated) {
    step.met.mesh = busiest.rate;
    step.link = busiest.place;
  }
  steps_.push_back(step);
}

Collective::Collective(const Mesh& mesh, const Hardware& hardware, const Phases& phases,
                       Contention contention, std::int64_t count, const RunControl& control) {
  constexpr std::size_t kFlowsBetweenQuestions = 1024;
  std::size_t seen = 0;
  RoutePlanner planner(mesh, Routing::xy);
  for (const Phase& phase : phases) {
    if (phase.flows.empty()) continue;
    Step step{phase.steps, largest_share(phase), {kNoLimit, kNoLimit}, {kNoLimit, kNoLimit}, 0};
    Average average;
    const auto alike = static_cast<double>(count);
    Loads loads(mesh, hardware, around(phase.flows),
                is_of_one_share(phase) ? std::optional(alike) : std::nullopt);
    for (const Flow& flow : phase.flows) {
      if (seen++ % kFlowsBetweenQuestions == 0) control.end_if_cut();
      const auto route = planner.plan(mesh.node(flow.from), mesh.node(flow.to), 0, 0);
      if (!route) throw_cut_group(flow.from, flow.to);
      const double weight = flow.share.value() / step.share.value();
      Picoseconds latency = route_latency(mesh, *route) + hardware.endpoint_latency_ps;
      if (flow.port != Flow::kNoPort) {
        const EdgePort& port = hardware.dram_ports[flow.port];
        latency = later(latency, port.response_ps);
        step.alone.port =
            std::min(step.alone.port, bytes_per_ps(port_bytes_per_s(hardware, port)) / weight);
      }
      step.latency = std::max(step.latency, latency);
      const double rate = slowest_rate(mesh, *route) / weight;
      step.alone.mesh = std::min(step.alone.mesh, rate);
      average.add(flow, rate, latency);
      if (contention == Contention::simulated) loads.add(flow, *route, weight * alike);
    }
    const Loads::Busiest link = loads.busiest_link();
    const Loads::Busiest port = loads.busiest_port();
    step.met = {std::min(step.alone.mesh, link.rate), std::min(step.alone.port, port.rate)};
    step.link = link.place;
    step.port = port.place;
    const auto flows = static_cast<double>(phase.flows.size());
    step.filling = phase.steps - std::min(phase.steps, average.longest);
    step.filling_rate = flows / average.ps_per_byte;
    step.filling_latency = static_cast<Picoseconds>(average.latency / flows);
    steps_.push_back(step);
  }
}

Collective::PhaseTime Collective::time_of(const Step& step, std::int64_t bytes) {
  const std::int64_t largest = step.share.bytes_of(bytes);
  const auto moving = [&](double mesh, double port) {
    return PhaseTime{transmission_time(largest, mesh), transmission_time(largest, port), 0};
  };
  const PhaseTime shared_mesh = moving(step.met.mesh, step.alone.port);
  const PhaseTime shared_port = moving(step.alone.mesh, step.met.port);
  const auto both = [](const PhaseTime& time) { return later(time.links, time.ports); };
  const PhaseTime& slower = both(shared_mesh) >= both(shared_port) ? shared_mesh : shared_port;
  if (later(both(slower), step.latency) > kHorizon / step.count) fail_beyond_horizon();
  const std::int64_t full = step.count - step.filling;
  return {slower.links * full + transmission_time(largest, step.filling_rate) * step.filling,
          slower.ports * full, step.latency * full + step.filling_latency * step.filling};
}

Picoseconds Collective::time(std::int64_t bytes) const {
  if (bytes == 0) return 0;
  Picoseconds whole = 0;
  for (const Step& step : steps_) {
    const PhaseTime phase = time_of(step, bytes);
    whole = later(whole, later(phase.links, later(phase.ports, phase.latency)));
  }
  return whole;
}

std::vector<NamedBound> Collective::parts(const Mesh& mesh, std::int64_t bytes) const {
  NamedBound links{"link", "", 0};
  NamedBound ports{"dram", "", 0};
  NamedBound latency{"latency", "ways through routers and ends", 0};
  if (bytes == 0) return {links, ports, latency};
  Picoseconds longest_links = 0;
  Picoseconds longest_ports = 0;
  const auto add = [](NamedBound& bound, Picoseconds time) {
    bound.seconds += static_cast<double>(time) / static_cast<double>(kPicosecondsPerSecond);
  };
  std::size_t link = kNowhere;
  std::size_t port = kNowhere;
  const auto look_at = [](std::size_t& busiest, Picoseconds& longest, Picoseconds time,
                          std::size_t place) {
    if (time <= longest) return;
    longest = time;
    busiest = place;
  };
  for (const Step& step : steps_) {
    const PhaseTime phase = time_of(step, bytes);
    look_at(link, longest_links, phase.links, step.link);
    look_at(port, longest_ports, phase.ports, step.port);
    add(links, phase.links);
    add(ports, phase.ports);
    add(latency, phase.latency);
  }
  if (link != kNowhere) links.name = link_place_text(mesh, link);
  if (port != kNowhere) ports.name = port_place_text(port);
  return {links, ports, latency};
}

}  // namespace waferloom::sim
