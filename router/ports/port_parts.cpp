#include "router/ports/port_parts.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/successive_shortest_path_nonnegative_weights.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "kernels/int128.h"
#include "router/ports/port_stores.h"

// Problem: divide tensors among ports of limited rates, so that no port is busy for too long and
// ways are short.
// Idea: a flow network with edges from a source to stores, from stores to ports, and from ports to
// a sink. A port's capacity is what it moves in a given time; the cost of an edge is its hops. The
// minimum cost flow is the division. If it cannot carry all units, the time grows by a quarter.
// Source: ours; successive shortest paths (Boost.Graph).
// Cost: O(units · stores · ports) for each time that is tried, with at most 4,096 units, or 16 for
// each store if that is more.
namespace waferloom::router {
namespace {

/// Ports may be busy for this part of the period, even if less is possible: so nearer ports are
/// used.
constexpr double kEasyPort = 0.5;

std::size_t block_of(const TrafficTensor& tensor) {
  return tensor.producer == TrafficTensor::kOutside ? tensor.consumer : tensor.producer;
}

/// The stores, in the order of their first tensors.
std::vector<PortStore> stores_of(const Traffic& traffic) {
  std::vector<PortStore> stores;
  std::map<std::size_t, std::size_t> known;  // by Traffic's number of the store
  for (std::size_t i = 0; i < traffic.tensors.size(); ++i) {
    const TrafficTensor& tensor = traffic.tensors[i];
    if (!is_parted(tensor, traffic)) continue;
    const std::set<std::size_t> ports(tensor.ports.begin(), tensor.ports.end());
    const auto at = tensor.store ? known.find(*tensor.store) : known.end();
    if (at == known.end()) {
      if (tensor.store) known[*tensor.store] = stores.size();
      stores.push_back({{i}, {ports.begin(), ports.end()}, block_of(tensor)});
      continue;
    }
    PortStore& store = stores[at->second];
    store.tensors.push_back(i);
    std::erase_if(store.ports, [&](std::size_t port) { return !ports.contains(port); });
  }
  std::erase_if(stores, [](const PortStore& store) { return store.ports.empty(); });
  return stores;
}

/// Sets the bytes of each store: those in the direction, in or out, in which all stores together
/// move more. A store that moves nothing in that direction takes the bytes of the other.
void weigh(const Traffic& traffic, std::vector<PortStore>& stores) {
  double in = 0;
  double out = 0;
  const auto is_input = [&](std::size_t tensor) {
    return traffic.tensors[tensor].producer == TrafficTensor::kOutside;
  };
  for (const PortStore& store : stores) {
    for (const std::size_t i : store.tensors) {
      (is_input(i) ? in : out) += static_cast<double>(traffic.tensors[i].bytes);
    }
  }
  for (PortStore& store : stores) {
    for (const std::size_t i : store.tensors) {
      (is_input(i) == (in >= out) ? store.bytes : store.back_bytes) +=
          static_cast<double>(traffic.tensors[i].bytes);
    }
    store.is_back_only = store.bytes == 0;
    if (store.is_back_only) std::swap(store.bytes, store.back_bytes);
  }
}

/// Finds how many units of each store go through each port. There are few units, because a flow
/// has no more augmenting paths than units.
class PortBalance {
 public:
  PortBalance(const Traffic& traffic, std::vector<PortStore>& stores, double uneven)
      : traffic_(traffic), stores_(stores), uneven_(uneven) {}

  /// Tries the time in which all ports together move all bytes, or kEasyPort of the period if that
  /// is longer. If stores cannot use all ports, it tries longer times.
  void balance() {
    std::set<std::size_t> ports;
    double bytes = 0;
    for (const PortStore& store : stores_) {
      ports.insert(store.ports.begin(), store.ports.end());
      bytes += store.bytes;
    }
    const auto count = static_cast<double>(stores_.size());
    unit_ = bytes / std::max(kUnits, kUnitsAStore * count);
    for (PortStore& store : stores_) {
      store.units = std::max<std::int64_t>(1, std::llround(store.bytes / unit_));
      units_ += store.units;
    }
    double rate = 0;
    for (const std::size_t port : ports) rate += rate_of(port);
    constexpr double kMoreTime = 1.25;
    double time = std::max(static_cast<double>(units_) * unit_ / rate,
                           kEasyPort * static_cast<double>(traffic_.period_ps));
    while (!fits(time, ports)) time *= kMoreTime;
    swap_back_bytes(traffic_.ports, time, stores_);
  }

 private:
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Graph = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS, boost::no_property,
      boost::property<
          boost::edge_capacity_t, std::int64_t,
          boost::property<boost::edge_residual_capacity_t, std::int64_t,
                          boost::property<boost::edge_reverse_t, Traits::edge_descriptor,
                                          boost::property<boost::edge_weight_t, std::int64_t>>>>>;
  using Edge = Traits::edge_descriptor;

  /// In bytes a picosecond.
  double rate_of(std::size_t port) const {
    return static_cast<double>(*traffic_.ports[port].bytes_per_s) * 1e-12;
  }

  struct Arc {
    std::int64_t room = 0;
    std::int64_t cost = 0;
  };

  static Edge join(Graph& graph, std::size_t from, std::size_t to, const Arc& arc) {
    const Edge there = boost::add_edge(from, to, graph).first;
    const Edge back = boost::add_edge(to, from, graph).first;
    boost::put(boost::edge_capacity, graph, there, arc.room);
    boost::put(boost::edge_capacity, graph, back, 0);
    boost::put(boost::edge_weight, graph, there, arc.cost);
    boost::put(boost::edge_weight, graph, back, -arc.cost);
    boost::put(boost::edge_reverse, graph, there, back);
    boost::put(boost::edge_reverse, graph, back, there);
    return there;
  }

  /// Whether all units go through with no port busy for longer than `time_ps`. Sets by_port.
  bool fits(double time_ps, const std::set<std::size_t>& ports) {
    Graph graph(stores_.size() + ports.size() + 2);
    const std::size_t source = stores_.size() + ports.size();
    const std::size_t sink = source + 1;
    std::map<std::size_t, std::size_t> node_of;
    for (const std::size_t port : ports) {
      const std::size_t node = stores_.size() + node_of.size();
      node_of[port] = node;
      join(graph, node, sink, {.room = room(time_ps * rate_of(port) / unit_)});
    }
    std::vector<std::vector<Edge>> ways(stores_.size());
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      PortStore& store = stores_[i];
      join(graph, source, i, {.room = store.units});
      double reach = 0;
      for (const std::size_t port : store.ports) reach += rate_of(port);
      for (const std::size_t port : store.ports) {
        const double share = rate_of(port) / reach;
        const std::int64_t hops =
            hops_to(traffic_.ports[port].tile, traffic_.blocks[store.block].tiles);
        store.most[port] = room(uneven_ * share * static_cast<double>(store.units));
        ways[i].push_back(join(graph, i, node_of[port], {.room = store.most[port], .cost = hops}));
      }
    }
    boost::successive_shortest_path_nonnegative_weights(graph, source, sink);
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < stores_.size(); ++i) {
      PortStore& store = stores_[i];
      store.by_port.clear();
      for (std::size_t way = 0; way < ways[i].size(); ++way) {
        const Edge& edge = ways[i][way];
        const std::int64_t units = boost::get(boost::edge_capacity, graph, edge) -
                                   boost::get(boost::edge_residual_capacity, graph, edge);
        if (units > 0) store.by_port[store.ports[way]] = units;
        moved += units;
      }
    }
    return moved == units_;
  }

  /// Capacity in whole units, rounded up.
  std::int64_t room(double units) const {
    return static_cast<std::int64_t>(std::min(std::ceil(units), static_cast<double>(units_)));
  }

  static constexpr double kUnits = 4'096;
  static constexpr double kUnitsAStore = 16;
  const Traffic& traffic_;
  std::vector<PortStore>& stores_;
  double uneven_;
  double unit_ = 1;  // bytes
  std::int64_t units_ = 0;
};

/// Cuts a tensor by port, in the store's proportions. Parts without bytes are left out.
std::vector<TrafficTensor> parts_of(const TrafficTensor& tensor, const PortStore& store,
                                    const Traffic& traffic) {
  std::vector<TrafficTensor> parts;
  Int128 passed = 0;
  std::int64_t given = 0;
  for (const auto& [port, units] : store.by_port) {
    passed += units;
    const auto until = static_cast<std::int64_t>(Int128(tensor.bytes) * passed / store.units);
    TrafficTensor part = tensor;
    part.name += " by " + traffic.ports[port].name;
    part.bytes = until - given;
    part.ports = {port};
    given = until;
    if (part.bytes > 0) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

bool is_parted(const TrafficTensor& tensor, const Traffic& traffic) {
  const std::size_t least = tensor.store ? 1 : 2;
  return tensor.ports.size() >= least && tensor.bytes > 0 &&
         std::all_of(tensor.ports.begin(), tensor.ports.end(),
                     [&](std::size_t port) { return traffic.ports[port].bytes_per_s.has_value(); });
}

PortParts part_by_ports(const Traffic& traffic, double uneven) {
  std::vector<PortStore> stores = stores_of(traffic);
  PortParts cut{traffic, {}, !stores.empty()};
  std::vector<const PortStore*> store_of(traffic.tensors.size(), nullptr);
  if (!stores.empty()) {
    weigh(traffic, stores);
    PortBalance(traffic, stores, uneven).balance();
  }
  for (const PortStore& store : stores) {
    for (const std::size_t i : store.tensors) store_of[i] = &store;
  }
  cut.traffic.tensors.clear();
  for (std::size_t i = 0; i < traffic.tensors.size(); ++i) {
    const TrafficTensor& tensor = traffic.tensors[i];
    std::vector<TrafficTensor> parts{tensor};
    if (store_of[i] != nullptr) parts = parts_of(tensor, *store_of[i], traffic);
    for (TrafficTensor& part : parts) {
      cut.traffic.tensors.push_back(std::move(part));
      cut.whole_of.push_back(i);
    }
  }
  return cut;
}

Routes joined(const Routes& parts, const PortParts& cut, const Traffic& original) {
  Routes routes{parts.hardware, parts.columns, parts.rows, {}};
  for (const TrafficTensor& tensor : original.tensors) {
    routes.tensors.push_back({tensor.name, tensor.bytes, {}});
  }
  for (std::size_t i = 0; i < parts.tensors.size(); ++i) {
    RoutedTensor& whole = routes.tensors[cut.whole_of[i]];
    const RoutedTensor& part = parts.tensors[i];
    whole.lanes.insert(whole.lanes.end(), part.lanes.begin(), part.lanes.end());
    if (part.buffer_samples) whole.buffer_samples = part.buffer_samples;
    if (part.price) whole.price = whole.price.value_or(0) + *part.price;
  }
  return routes;
}

}  // namespace waferloom::router
