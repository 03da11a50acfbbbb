#include "router/buffers/edge_buffers.h"

#include <algorithm>
#include <cmath>

// Problem: choose how many samples each edge may buffer, so that the pipeline reaches its period
// and the buffers fit the tiles' memories.
// Idea: give each block an offset at which it begins its sample. It is the earliest time, or a
// later time if fewer bytes wait then. An edge needs as many places as periods fit between the
// producer's begin and the consumer's end. If the places do not fit the memories, bisection finds
// the least period at which they fit.
// Source: ours. A pipeline that does everything as soon as it can is never later than this
// schedule: max-plus systems are monotone (Baccelli et al., Synchronization and Linearity, 1992).
// Cost: O(blocks + edges) for each of 6 passes and 20 halvings.
namespace waferloom::router {
namespace {

/// Passes that move offsets.
constexpr int kPasses = 6;
/// Halvings of the period's interval: down to a millionth of it.
constexpr int kHalvings = 20;
/// The most samples of an edge that a routes file may have.
constexpr double kMostSamples = 1'000'000;
/// The most bytes that are reported. Twice as many do not overflow.
constexpr std::int64_t kMostBytes = 4'000'000'000'000'000'000;

std::int64_t bytes_of(std::int64_t samples, std::int64_t bytes) {
  return samples > kMostBytes / std::max<std::int64_t>(1, bytes) ? kMostBytes : samples * bytes;
}

class BufferChoice {
 public:
  BufferChoice(const Traffic& traffic, const Hardware& hardware, const Mesh& mesh,
               const Routes& routes)
      : traffic_(traffic), routes_(routes) {
    find_transfers(hardware, mesh);
    sort_blocks();
    find_offsets();
  }

  EdgeBuffers choose() {
    EdgeBuffers found;
    found.unlimited_ps = least_ps_;
    found.period_ps = least_ps_;
    if (const auto edge = overfull_edge(least_ps_)) {
      found.short_edge = edge;
      stretch(found);
    }
    found.samples = samples_at(found.period_ps);
    for (std::size_t i = 0; i < found.samples.size(); ++i) {
      found.bytes =
          std::min(kMostBytes, found.bytes + bytes_of(found.samples[i], traffic_.tensors[i].bytes));
    }
    return found;
  }

 private:
  bool is_edge(std::size_t tensor) const {
    return traffic_.tensors[tensor].kind == TensorKind::edge;
  }

  /// Finds the longest time that a sample of each edge is on its way. Also finds the least period
  /// that blocks, links, tiles' ways and adapters allow.
  void find_transfers(const Hardware& hardware, const Mesh& mesh) {
    const std::vector<std::int64_t> loads = link_bytes_of(routes_, mesh);
    const TileWays ways = tile_ways_of(routes_, mesh);
    least_ps_ = std::max({static_cast<double>(traffic_.period_ps),
                          busiest_link(loads, mesh).time_ps, busiest_tile(ways, mesh).time_ps});
    for (std::size_t i = 0; i < traffic_.tensors.size(); ++i) {
      const TrafficTensor& tensor = traffic_.tensors[i];
      double slowest = 0;
      for (const RoutedLane& lane : routes_.tensors[i].lanes) {
        double latency = 0;
        double busiest = std::max(tile_way_time(mesh, ways.out_of.at(mesh.node(lane.from))),
                                  tile_way_time(mesh, ways.into.at(mesh.node(lane.to))));
        for_each_path_link(mesh, lane.from, lane.path, [&](LinkIndex link) {
          latency += static_cast<double>(mesh.latency(link));
          busiest = std::max(busiest, link_time(mesh, link, loads[link]));
        });
        slowest = std::max(slowest, latency + busiest);
      }
      const std::int64_t pass =
          tensor.adapters > 0 ? adapter_pass_ps(routes_.tensors[i], hardware) : 0;
      least_ps_ = std::max(least_ps_, static_cast<double>(pass));
      transfer_ps_.push_back(slowest + static_cast<double>(hardware.endpoint_latency_ps) +
                             static_cast<double>(tensor.adapters * pass));
    }
  }

  /// Sorts blocks topologically, producers first.
  void sort_blocks() {
    const std::size_t count = traffic_.blocks.size();
    into_.resize(count);
    out_of_.resize(count);
    std::vector<std::size_t> missing(count, 0);
    for (std::size_t i = 0; i < traffic_.tensors.size(); ++i) {
      if (!is_edge(i)) continue;
      into_[traffic_.tensors[i].consumer].push_back(i);
      out_of_[traffic_.tensors[i].producer].push_back(i);
      ++missing[traffic_.tensors[i].consumer];
    }
    for (std::size_t block = 0; block < count; ++block) {
      if (missing[block] == 0) order_.push_back(block);
    }
    for (std::size_t at = 0; at < order_.size(); ++at) {
      for (const std::size_t edge : out_of_[order_[at]]) {
        const std::size_t next = traffic_.tensors[edge].consumer;
        if (--missing[next] == 0) order_.push_back(next);
      }
    }
  }

  double work(std::size_t block) const {
    return static_cast<double>(traffic_.blocks[block].work_ps);
  }
  double earliest(std::size_t block) const {
    double offset = 0;
    for (const std::size_t edge : into_[block]) {
      const std::size_t from = traffic_.tensors[edge].producer;
      offset = std::max(offset, offset_[from] + work(from) + transfer_ps_[edge]);
    }
    return offset;
  }
  double latest(std::size_t block) const {
    double offset = offset_[block];
    bool first = true;
    for (const std::size_t edge : out_of_[block]) {
      const double by = offset_[traffic_.tensors[edge].consumer] - transfer_ps_[edge] - work(block);
      offset = first ? by : std::min(offset, by);
      first = false;
    }
    return std::max(offset, offset_[block]);
  }
  double bytes(const std::vector<std::size_t>& edges) const {
    double sum = 0;
    for (const std::size_t edge : edges) sum += static_cast<double>(traffic_.tensors[edge].bytes);
    return sum;
  }

  void find_offsets() {
    offset_.assign(traffic_.blocks.size(), 0);
    for (const std::size_t block : order_) offset_[block] = earliest(block);
    for (int pass = 0; pass < kPasses; ++pass) {
      for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        if (bytes(out_of_[*at]) > bytes(into_[*at])) offset_[*at] = latest(*at);
      }
      for (const std::size_t block : order_) {
        if (bytes(into_[block]) > bytes(out_of_[block])) offset_[block] = earliest(block);
      }
    }
  }

  std::vector<std::int64_t> samples_at(double period) const {
    std::vector<std::int64_t> samples(traffic_.tensors.size(), 0);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (!is_edge(i)) continue;
      const TrafficTensor& tensor = traffic_.tensors[i];
      const double held =
          offset_[tensor.consumer] + work(tensor.consumer) - offset_[tensor.producer];
      // A millionth of a period is taken for rounding.
      const double wanted = held > 0 ? std::ceil(held / period - 1e-6) : 1;
      samples[i] = static_cast<std::int64_t>(std::clamp(wanted, 1.0, kMostSamples));
    }
    return samples;
  }

  /// The first edge whose samples find no room at a period; nothing if all find room.
  std::optional<std::size_t> overfull_edge(double period) const {
    const std::vector<std::int64_t> samples = samples_at(period);
    std::vector<std::optional<std::int64_t>> free;
    for (const TrafficBlock& block : traffic_.blocks) free.push_back(block.free_bytes);
    std::optional<std::int64_t> open = traffic_.free_bytes;
    const auto take = [](std::optional<std::int64_t>& room, std::int64_t& needed) {
      if (!room) {
        needed = 0;
        return;
      }
      const std::int64_t part = std::min(std::max<std::int64_t>(0, *room), needed);
      *room -= part;
      needed -= part;
    };
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (!is_edge(i)) continue;
      std::int64_t needed = bytes_of(samples[i], traffic_.tensors[i].bytes);
      take(free[traffic_.tensors[i].consumer], needed);
      if (needed > 0) take(free[traffic_.tensors[i].producer], needed);
      if (needed > 0) take(open, needed);
      if (needed > 0) return i;
    }
    return std::nullopt;
  }

  /// Finds the least period at which all samples fit, by bisection. If they fit at no period, it
  /// takes the longest period, at which each edge has a single place.
  void stretch(EdgeBuffers& found) const {
    double low = least_ps_;
    double high = least_ps_;
    for (std::size_t i = 0; i < traffic_.tensors.size(); ++i) {
      if (!is_edge(i)) continue;
      const TrafficTensor& tensor = traffic_.tensors[i];
      high = std::max(high,
                      offset_[tensor.consumer] + work(tensor.consumer) - offset_[tensor.producer]);
    }
    found.fits = !overfull_edge(high);
    if (!found.fits) low = high;
    for (int halving = 0; halving < kHalvings && low < high; ++halving) {
      const double middle = (low + high) / 2;
      (overfull_edge(middle) ? low : high) = middle;
    }
    found.period_ps = high;
  }

  const Traffic& traffic_;
  const Routes& routes_;
  double least_ps_ = 0;
  std::vector<double> transfer_ps_;  // by tensor
  std::vector<std::vector<std::size_t>> into_;
  std::vector<std::vector<std::size_t>> out_of_;
  std::vector<std::size_t> order_;
  std::vector<double> offset_;  // by block
};

}  // namespace

EdgeBuffers edge_buffers(const Traffic& traffic, const Hardware& hardware, const Mesh& mesh,
                         const Routes& routes) {
  return BufferChoice(traffic, hardware, mesh, routes).choose();
}

}  // namespace waferloom::router
