#include "placer/bounds/wire_bound.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

// Problem: prove how much wire, adapters and area any placement of a given time costs at least.
// Idea: disjoint rectangles cannot all be near to each other. Edges, and stars of three neighbours
// or more, so charge their kernels for thin sides and for length beyond them. The sum of the
// charges over a forest of blocks is minimised exactly.
// Source: ours; the proof is in docs/placer.md, bounds.
// Cost: a dynamic program over the forest of blocks. Options that another one beats, whatever the
// neighbours do, are dropped first; the number of options limits the work.
namespace waferloom::placer {
namespace {

/// All types together may have so many times the options of one.
constexpr std::size_t kTypesWorth = 4;

bool is_cycle(const GraphBlock& block, std::size_t length) {
  return block.kernels.size() == length && block.edges.size() == length;
}

std::int64_t least_units(const BlockForest& forest, const GraphBlock& block) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t edge : block.edges) least = std::min(least, forest.edges[edge].units);
  return least;
}

}  // namespace

WireGraph::WireGraph(const Problem& problem)
    : forest_(block_forest(problem)),
      units_(problem.kernel_count(), 0),
      edges_(problem.kernel_count(), 0),
      edges_in_(problem.kernel_count(), 0),
      claimed_(problem.kernel_count(), 0),
      stars_(problem.kernel_count()),
      feeds_(problem.kernel_count(), false),
      fed_(problem.kernel_count(), false) {
  std::vector<std::int64_t> left;  // of every edge's weight
  std::vector<std::vector<std::size_t>> incident(problem.kernel_count());
  for (std::size_t e = 0; e < forest_.edges.size(); ++e) {
    const KernelEdge& edge = forest_.edges[e];
    left.push_back(edge.units);
    for (const KernelIndex kernel : {edge.producer, edge.consumer}) {
      units_[kernel] += edge.units;
      edges_[kernel] += edge.count;
      incident[kernel].push_back(e);
    }
    feeds_[edge.producer] = true;
    fed_[edge.consumer] = true;
    edges_in_[edge.consumer] += edge.count;
  }
  for (const GraphBlock& block : forest_.blocks) {
    if (!is_cycle(block, 3) && !is_cycle(block, 4)) continue;
    const std::int64_t used = least_units(forest_, block);
    for (const KernelIndex kernel : block.kernels) claimed_[kernel] += used;
    for (const std::size_t edge : block.edges) left[edge] -= used;
  }
  for (KernelIndex kernel = 0; kernel < problem.kernel_count(); ++kernel) {
    std::int64_t units = std::numeric_limits<std::int64_t>::max();
    std::vector<std::size_t> edges;
    for (const std::size_t edge : incident[kernel]) {
      if (left[edge] <= 0) continue;
      edges.push_back(edge);
      units = std::min(units, left[edge]);
    }
    if (edges.size() < 3) continue;
    stars_[kernel].units = units;
    for (const std::size_t edge : edges) {
      left[edge] -= units;
      const KernelEdge& both = forest_.edges[edge];
      stars_[kernel].neighbours.push_back(both.producer == kernel ? both.consumer : both.producer);
    }
  }
  for (std::size_t e = 0; e < left.size(); ++e) forest_.edges[e].free_units = left[e];
}

bool WireGraph::is_forest() const {
  return std::all_of(forest_.blocks.begin(), forest_.blocks.end(),
                     [](const GraphBlock& block) { return block.edges.size() == 1; });
}

WireBound::WireBound(const ShapeLibrary& library, const PortClasses& classes,
                     const WireGraph& graph, std::int64_t time, const WirePrices& prices,
                     const RunControl& stop, std::size_t most_options)
    : library_(library), graph_(graph), prices_(prices), stop_(stop) {
  const Problem& problem = library.problem();
  const std::size_t count = problem.kernel_count();
  // Least areas: what the other kernels leave over bounds the area of each.
  std::vector<std::int64_t> least_area(library.type_count(), 0);
  std::int64_t area_left = usable_tiles(problem.wafer());
  for (std::size_t type = 0; type < library.type_count(); ++type) {
    for (const Shape& shape : library.front(type, time)) {
      const std::int64_t area = shape.size.width * shape.size.height;
      least_area[type] = least_area[type] == 0 ? area : std::min(least_area[type], area);
    }
  }
  for (KernelIndex kernel = 0; kernel < count; ++kernel) {
    area_left -= least_area[library.type_of(kernel)];
  }
  std::vector<std::int64_t> slack(library.type_count(), 0);
  std::vector<bool> by_length(library.type_count(), false);
  for (KernelIndex kernel = 0; kernel < count; ++kernel) {
    std::int64_t& own = slack[library.type_of(kernel)];
    own = std::max(own, thin_slack(kernel));
    if (graph.star(kernel) != nullptr || graph.claimed(kernel) > 0) {
      by_length[library.type_of(kernel)] = true;
    }
  }
  MergedChannels merged(library, classes, time);
  const auto list_all = [&](bool channels) {
    lists_.clear();
    listed_.clear();
    std::size_t examined = 0;
    for (KernelIndex kernel = 0; kernel < count; ++kernel) {
      const bool priced = prices.mismatch > 0;
      const SeenPorts seen{priced && graph.fed(kernel), priced && graph.feeds(kernel),
                           prices.half_tile > 0 && graph.units(kernel) > 0, channels};
      const int code = (seen.input ? 1 : 0) + (seen.output ? 2 : 0) + (seen.parity ? 4 : 0);
      const std::size_t type = library.type_of(kernel);
      const auto [entry, added] = listed_.try_emplace({type, code});
      if (added) {
        PortLimits limits;
        limits.most_area = area_left + least_area[type];
        limits.thin_slack = slack[type];
        limits.by_length = by_length[type];
        if (library_channels_ == ChannelRule::within_image) limits.merged = &merged;
        if (channels) limits.most_options = most_options;
        limits.stop = &stop_;
        entry->second = classes.options(type, time, seen, PortRule::outlines, limits);
        examined += entry->second.examined;
        listing_work_ += entry->second.examined;
        if (entry->second.given_up || (channels && examined > kTypesWorth * most_options)) {
          return false;
        }
      }
      lists_.push_back(&entry->second);
    }
    return true;
  };
  // The finest that is not too long: all c, c where h and w agree, no c at all.
  library_channels_ = ChannelRule::always;
  if (!list_all(true)) {
    library_channels_ = ChannelRule::within_image;
    if (!list_all(true) && !list_all(false)) complete_ = false;
  }
  if (!complete_) return;
  for (const PortOptions* of : lists_) {
    std::int64_t least = 0;
    for (const PortOption& option : of->options) {
      least = least == 0 ? option.thin : std::min(least, option.thin);
    }
    least_thin_.push_back(least);
  }
}

std::int64_t WireBound::thin_slack(KernelIndex kernel) const {
  const std::int64_t units = graph_.units(kernel);
  if (prices_.half_tile == 0 || units == 0) return kMaxWaferSide;
  // Changing all of a port costs at most three mismatches and one parity on each edge.
  const Int128 most =
      Int128(3) * graph_.edges(kernel) * prices_.mismatch + Int128(units) * prices_.half_tile;
  const Int128 per_tile = Int128(units) * prices_.half_tile;
  return static_cast<std::int64_t>(
      std::min<Int128>(kMaxWaferSide, (most + per_tile - 1) / per_tile));
}

bool WireBound::is_block(KernelIndex kernel) const {
  return convolution_total(library_.problem().kernel(kernel)) > 1;
}

std::size_t WireBound::work() const {
  std::size_t sum = 0;
  for (const PortOptions* of : lists_) sum += of->options.size();
  return sum;
}

const PortMatching& WireBound::matching(const KernelEdge& edge, KernelIndex from) {
  const bool produces = edge.producer == from;
  const PortOptions* near = lists_[from];
  const PortOptions* far = lists_[produces ? edge.consumer : edge.producer];
  const auto key = std::make_tuple(near, far, produces);
  auto found = matchings_.find(key);
  if (found == matchings_.end()) {
    found = matchings_
                .emplace(key,
                         PortMatching(near->ports, produces ? EdgeEnd::producer : EdgeEnd::consumer,
                                      far->ports, library_channels_))
                .first;
  }
  return found->second;
}

WireBound::Vector WireBound::own_cost(KernelIndex kernel, Price area_price) const {
  Vector costs;
  costs.reserve(list(kernel).options.size());
  const WireGraph::Star* star = graph_.star(kernel);
  std::int64_t crowding = 0;  // least thin side of a neighbour in the star
  if (star != nullptr) {
    crowding = std::numeric_limits<std::int64_t>::max();
    for (const KernelIndex other : star->neighbours) {
      crowding = std::min(crowding, least_thin_[other]);
    }
  }
  for (const PortOption& option : list(kernel).options) {
    Price half_tiles = option.thin * graph_.units(kernel);
    if (star != nullptr) {
      // x neighbours at the short sides, the others along the long ones.
      const auto degree = static_cast<std::int64_t>(star->neighbours.size());
      const std::int64_t excess = is_block(kernel) ? 0 : option.length - option.thin;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (std::int64_t x = 0; x <= degree; ++x) {
        const std::int64_t along = degree - x;
        least = std::min(least, x * excess + (along >= 3 ? (along - 1) * crowding : 0));
      }
      half_tiles += least * star->units;
    }
    costs.push_back(half_tiles * prices_.half_tile + option.area() * area_price);
  }
  return costs;
}

const std::array<WireBound::PortGroups, WireBound::kAgreements.size()>& WireBound::groups(
    const PortOptions& of) {
  const auto [entry, added] = groups_.try_emplace(&of);
  if (!added) return entry->second;
  for (std::size_t a = 0; a < kAgreements.size(); ++a) {
    std::unordered_map<std::uint64_t, std::uint32_t> group_of;
    for (const Port& port : of.ports) {
      std::uint64_t key = 0;
      if (kAgreements[a] & 1U) key |= static_cast<std::uint64_t>(port.ports.h);
      if (kAgreements[a] & 2U) key |= static_cast<std::uint64_t>(port.ports.w) << 16U;
      if (kAgreements[a] & 4U) key |= static_cast<std::uint64_t>(port.ports.c_in) << 32U;
      if (kAgreements[a] & 8U) key |= static_cast<std::uint64_t>(port.ports.c_out) << 48U;
      const auto next = static_cast<std::uint32_t>(group_of.size());
      entry->second[a].of.push_back(group_of.emplace(key, next).first->second);
    }
    entry->second[a].count = static_cast<std::uint32_t>(group_of.size());
  }
  return entry->second;
}

WireBound::Vector WireBound::choose_candidates(KernelIndex kernel, Price area_price) {
  const Vector own = own_cost(kernel, area_price);
  const PortOptions& all = list(kernel);
  const std::int64_t claimed = graph_.claimed(kernel);
  const auto excess = [&](const PortOption& option) {
    return is_block(kernel) ? 0 : option.length - option.thin;
  };
  // The most that an option can cost beyond its own.
  const auto most = [&](std::size_t o) {
    const PortOption& option = all.options[o];
    return own[o] + claimed * (2 * option.thin + excess(option)) * prices_.half_tile;
  };
  // Taking another option that agrees in a set of coordinates costs at most the mismatches of the
  // others on every edge, and a parity.
  std::vector<bool> kept(own.size(), true);
  const Price parity = graph_.units(kernel) * prices_.half_tile;
  const auto& grouped = groups(all);
  Vector least;
  for (std::size_t a = 0; a < kAgreements.size(); ++a) {
    const unsigned agree = kAgreements[a];
    if (agree > 0 && prices_.mismatch == 0) break;
    const std::int64_t differ = (agree & 1U ? 0 : graph_.edges(kernel)) +
                                (agree & 2U ? 0 : graph_.edges(kernel)) +
                                (agree & 4U ? 0 : graph_.edges_in(kernel)) +
                                (agree & 8U ? 0 : graph_.edges(kernel) - graph_.edges_in(kernel));
    const Price change = differ * prices_.mismatch + parity;
    least.assign(grouped[a].count, kNoPrice);
    const auto group = [&](std::size_t o) { return grouped[a].of[all.options[o].port]; };
    for (std::size_t o = 0; o < own.size(); ++o) {
      if (kept[o]) least[group(o)] = std::min(least[group(o)], most(o));
    }
    for (std::size_t o = 0; o < own.size(); ++o) {
      if (kept[o] && own[o] > least[group(o)] + change) kept[o] = false;
    }
  }
  Vector costs;
  auto& candidates = candidates_[kernel];
  auto& slots = slots_[kernel];
  candidates.clear();
  slots.clear();
  for (std::size_t o = 0; o < own.size(); ++o) {
    if (!kept[o]) continue;
    const PortOption& option = all.options[o];
    if (slots.empty() || slots.back() != option.port) slots.push_back(option.port);
    const Candidate candidate{option.port, static_cast<std::uint32_t>(slots.size() - 1),
                              option.thin, excess(option)};
    if (claimed == 0 && !candidates.empty() && candidates.back().port == option.port) {
      costs.back() = std::min(costs.back(), own[o]);  // nothing but the cost will matter
      continue;
    }
    candidates.push_back(candidate);
    costs.push_back(own[o]);
  }
  return costs;
}

void WireBound::add_charge(KernelIndex kernel, const Charge& charge, Vector& costs) const {
  const auto& candidates = candidates_[kernel];
  for (std::size_t o = 0; o < candidates.size(); ++o) {
    costs[o] += (candidates[o].thin * charge.thin + candidates[o].excess * charge.excess) *
                prices_.half_tile;
  }
}

WireBound::Vector WireBound::carry(const KernelEdge& edge, KernelIndex from, const Vector& costs) {
  const KernelIndex to = edge.producer == from ? edge.consumer : edge.producer;
  Vector by_slot(slots_[from].size(), kNoPrice);
  for (std::size_t o = 0; o < costs.size(); ++o) {
    Price& best = by_slot[candidates_[from][o].slot];
    best = std::min(best, costs[o]);
  }
  Vector carried(slots_[to].size());
  matching(edge, from)
      .carry(slots_[from], by_slot,
             MatchPrices{edge.count * prices_.mismatch, edge.free_units * prices_.half_tile},
             slots_[to], carried);
  Vector result;
  result.reserve(candidates_[to].size());
  for (const Candidate& candidate : candidates_[to]) result.push_back(carried[candidate.slot]);
  return result;
}

std::vector<KernelIndex> WireBound::cycle_order(const GraphBlock& block) const {
  std::vector<KernelIndex> order{block.kernels.front()};
  std::vector<std::size_t> edges = block.edges;
  while (order.size() < block.kernels.size()) {
    const auto found = std::find_if(edges.begin(), edges.end(), [&](std::size_t e) {
      const KernelEdge& edge = graph_.forest().edges[e];
      return edge.producer == order.back() || edge.consumer == order.back();
    });
    const KernelEdge& edge = graph_.forest().edges[*found];
    order.push_back(edge.producer == order.back() ? edge.consumer : edge.producer);
    edges.erase(found);
  }
  return order;
}

std::vector<WireBound::Alternative> WireBound::alternatives(const GraphBlock& block) const {
  const std::int64_t units = least_units(graph_.forest(), block);
  if (units == 0 || prices_.half_tile == 0) return {{}};
  const Charge thin{2 * units, 0};
  const Charge turn{0, units};
  const Charge both{2 * units, units};
  if (is_cycle(block, 3)) return {{{0, thin}}, {{1, thin}}, {{2, thin}}};
  if (!is_cycle(block, 4)) return {{}};
  const std::vector<KernelIndex> order = cycle_order(block);
  const auto position = [&](std::size_t around) {
    const auto found =
        std::find(block.kernels.begin(), block.kernels.end(), order[around % order.size()]);
    return static_cast<std::size_t>(found - block.kernels.begin());
  };
  std::vector<Alternative> result;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      result.push_back({{a, thin}, {b, thin}});
    }
    result.push_back({{position(a), turn}, {position(a + 1), turn}});
    result.push_back({{position(a), both}, {position(a + 2), turn}});
  }
  return result;
}

std::vector<std::vector<std::size_t>> WireBound::trees(const GraphBlock& block) const {
  if (block.kernels.size() == 2) return {block.edges};
  if (is_cycle(block, 3) || is_cycle(block, 4)) {
    return {{block.edges.begin() + 1, block.edges.end()}};
  }
  // A spanning tree of edges between kernels that are close in the file (Kruskal).
  std::vector<std::size_t> order = block.edges;
  const auto reach = [&](std::size_t e) {
    const KernelEdge& edge = graph_.forest().edges[e];
    return std::max(edge.producer, edge.consumer) - std::min(edge.producer, edge.consumer);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return reach(a) < reach(b); });
  std::map<KernelIndex, KernelIndex> parent;
  const auto root = [&](KernelIndex kernel) {
    while (parent.count(kernel) > 0) kernel = parent[kernel];
    return kernel;
  };
  std::vector<std::size_t> tree;
  for (const std::size_t e : order) {
    const KernelIndex a = root(graph_.forest().edges[e].producer);
    const KernelIndex b = root(graph_.forest().edges[e].consumer);
    if (a == b) continue;
    parent[a] = b;
    tree.push_back(e);
  }
  return {tree};
}

WireBound::Vector WireBound::tree_message(const GraphBlock& block,
                                          const std::vector<std::size_t>& tree,
                                          const std::vector<Vector>& costs,
                                          const Alternative& alternative) {
  const auto position = [&](KernelIndex kernel) {
    const auto rest = std::lower_bound(block.kernels.begin() + 1, block.kernels.end(), kernel);
    return kernel == block.kernels.front() ? std::size_t{0}
                                           : static_cast<std::size_t>(rest - block.kernels.begin());
  };
  std::vector<Vector> sums;
  for (std::size_t i = 0; i < block.kernels.size(); ++i) {
    const KernelIndex kernel = block.kernels[i];
    sums.push_back(i == 0 ? Vector(candidates_[kernel].size(), 0) : costs[kernel]);
  }
  for (const Half& half : alternative) {
    add_charge(block.kernels[half.position], half.charge, sums[half.position]);
  }
  std::vector<std::vector<std::size_t>> incident(block.kernels.size());
  for (const std::size_t e : tree) {
    incident[position(graph_.forest().edges[e].producer)].push_back(e);
    incident[position(graph_.forest().edges[e].consumer)].push_back(e);
  }
  // From the leaves to the root.
  std::vector<std::size_t> order{0};
  std::vector<std::size_t> up(block.kernels.size(), graph_.forest().edges.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::size_t e : incident[order[i]]) {
      if (e == up[order[i]]) continue;
      const KernelEdge& edge = graph_.forest().edges[e];
      const KernelIndex here = block.kernels[order[i]];
      const std::size_t below = position(edge.producer == here ? edge.consumer : edge.producer);
      up[below] = e;
      order.push_back(below);
    }
  }
  for (std::size_t i = order.size(); i-- > 1;) {
    const KernelEdge& edge = graph_.forest().edges[up[order[i]]];
    const KernelIndex here = block.kernels[order[i]];
    const Vector carried = carry(edge, here, sums[order[i]]);
    Vector& above = sums[position(edge.producer == here ? edge.consumer : edge.producer)];
    for (std::size_t o = 0; o < above.size(); ++o) above[o] += carried[o];
  }
  return sums[0];
}

WireBound::Vector WireBound::message(const GraphBlock& block, const std::vector<Vector>& costs) {
  Vector best;
  const std::vector<Alternative> ways = alternatives(block);
  for (const auto& tree : trees(block)) {
    Vector least;
    for (const Alternative& way : ways) {
      const Vector found = tree_message(block, tree, costs, way);
      if (least.empty()) {
        least = found;
      } else {
        for (std::size_t o = 0; o < least.size(); ++o) least[o] = std::min(least[o], found[o]);
      }
    }
    if (best.empty()) {
      best = least;
    } else {
      for (std::size_t o = 0; o < best.size(); ++o) best[o] = std::max(best[o], least[o]);
    }
  }
  return best;
}

std::optional<Price> WireBound::at(Price area_price) {
  std::vector<Vector> costs;
  candidates_.resize(lists_.size());
  slots_.resize(lists_.size());
  for (KernelIndex kernel = 0; kernel < lists_.size(); ++kernel) {
    if (list(kernel).options.empty() || stop_.is_cut()) return std::nullopt;
    costs.push_back(choose_candidates(kernel, area_price));
  }
  for (const GraphBlock& block : graph_.forest().blocks) {
    if (stop_.is_cut()) return std::nullopt;
    const Vector arrived = message(block, costs);
    Vector& root = costs[block.kernels.front()];
    for (std::size_t o = 0; o < root.size(); ++o) root[o] += arrived[o];
  }
  Price sum = 0;
  for (const KernelIndex root : graph_.forest().roots) {
    sum += *std::min_element(costs[root].begin(), costs[root].end());
  }
  return sum;
}

}  // namespace waferloom::placer
