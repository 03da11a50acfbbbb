#include "sim/contest_pipeline.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "kernels/int128.h"
#include "model/kernel_graph.h"
#include "sim/mesh.h"
#include "sim/route.h"

namespace waferloom {
namespace {

class ContestPipeline {
 public:
  ContestPipeline(const Problem& problem, const Placement& placement, const Hardware& hardware,
                  bool training)
      : problem_(problem),
        placement_(placement),
        hardware_(hardware),
        rectangles_(rectangles(problem, placement)) {
    check();
    spec_.training = training;
    find_depths();
  }

  PipelineSpec build() {
    add_stages();
    add_ports();
    for (const Connection& edge : problem_.connections()) add_edge(edge);
    for (const TerminalConnection& edge : problem_.terminal_connections()) add_terminal(edge);
    // The order of lines in a file means nothing: stages go by id, channels by their ends.
    std::stable_sort(spec_.channels.begin(), spec_.channels.end(),
                     [](const ChannelSpec& a, const ChannelSpec& b) {
                       return std::tie(a.producer, a.consumer, a.bytes, a.name) <
                              std::tie(b.producer, b.consumer, b.bytes, b.name);
                     });
    return std::move(spec_);
  }

 private:
  void check() const {
    const Wafer& mesh = hardware_.wafer;
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      const Rectangle& tiles = rectangles_[i];
      const std::string name = "kernel " + problem_.kernels()[i].name;
      if (!contains({0, 0, mesh.width, mesh.height}, tiles)) {
        throw std::invalid_argument(name + " is not within the hardware's mesh of " +
                                    std::to_string(mesh.width) + " x " +
                                    std::to_string(mesh.height) + " tiles");
      }
      if (!is_clear(mesh, tiles)) {
        throw std::invalid_argument(name + " lies on a dead tile of the hardware");
      }
    }
    const bool memory = hardware_.edge_io == EdgeIo::dram;
    const auto& ports = memory ? hardware_.dram_ports : hardware_.host_ports;
    if (!problem_.terminal_connections().empty() && ports.empty()) {
      throw std::invalid_argument(std::string("the case has inputs or outputs, the hardware no ") +
                                  (memory ? "DRAM" : "host") + " ports");
    }
  }

  /// Longest paths from a source and to a sink, in edges.
  void find_depths() {
    depth_.assign(problem_.kernel_count(), 0);
    height_.assign(problem_.kernel_count(), 0);
    std::vector<std::vector<KernelIndex>> consumers(problem_.kernel_count());
    for (const Connection& edge : problem_.connections()) {
      consumers[edge.producer].push_back(edge.consumer);
    }
    const std::vector<KernelIndex> order = topological_order(problem_);
    if (order.empty()) throw std::invalid_argument("the kernel graph has a cycle");
    for (const KernelIndex kernel : order) {
      for (const KernelIndex next : consumers[kernel]) {
        depth_[next] = std::max(depth_[next], depth_[kernel] + 1);
      }
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      for (const KernelIndex next : consumers[*at]) {
        height_[*at] = std::max(height_[*at], height_[next] + 1);
      }
    }
  }

  void add_stages() {
    std::vector<KernelIndex> by_id(problem_.kernel_count());
    std::iota(by_id.begin(), by_id.end(), KernelIndex{0});
    std::sort(by_id.begin(), by_id.end(), [&](KernelIndex a, KernelIndex b) {
      return problem_.kernels()[a].id < problem_.kernels()[b].id;
    });
    stage_of_.resize(by_id.size());
    for (const KernelIndex i : by_id) {
      stage_of_[i] = spec_.stages.size();
      const std::int64_t time = compute_time(problem_.kernel(i), placement_.kernels[i].execution,
                                             problem_.time_denominator());
      const Picoseconds forward = service_time(time, problem_.time_denominator(), hardware_);
      spec_.stages.push_back({problem_.kernels()[i].name, forward, 2 * forward, height_[i] + 1});
    }
  }

  void add_ports() {
    const bool memory = hardware_.edge_io == EdgeIo::dram;
    const std::vector<EdgePort>& ports = memory ? hardware_.dram_ports : hardware_.host_ports;
    if (!memory) spec_.host_bytes_per_ps = bytes_per_ps(hardware_.host_bytes_per_s);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const TilePlace tile = port_tile(hardware_.wafer, ports[i]);
      // A port at a dead tile is dead too, but keeps its place in the list.
      if (is_clear(hardware_.wafer, {tile.x, tile.y, 1, 1})) live_ports_.push_back(i);
      spec_.ports.push_back({(memory ? "dram " : "host ") + std::to_string(i),
                             port_tile(hardware_.wafer, ports[i]),
                             bytes_per_ps(ports[i].bytes_per_s), ports[i].response_ps, memory,
                             ports[i].capacity_bytes});
    }
  }

  void add_edge(const Connection& edge) {
    ChannelSpec channel;
    channel.producer = stage_of_[edge.producer];
    channel.consumer = stage_of_[edge.consumer];
    channel.name = name(edge.producer) + " -> " + name(edge.consumer);
    channel.bytes = tensor_bytes(edge.tensor, channel.name);
    channel.lanes =
        lanes_between(rectangles_[edge.producer], rectangles_[edge.consumer], hardware_.lanes_max);
    channel.adapters = adapter_mismatches(signature_of(edge.producer), signature_of(edge.consumer));
    const double rate =
        bytes_per_ps(hardware_.link.bytes_per_s) * static_cast<double>(channel.lanes.size());
    channel.adapter_pass = hardware_.adapter_setup_ps + transmission_time(channel.bytes, rate);
    channel.buffer_samples = hardware_.buffer_samples.value_or(
        1 + std::max<std::int64_t>(1, depth_[edge.consumer] - depth_[edge.producer]));
    spec_.channels.push_back(std::move(channel));
  }

  void add_terminal(const TerminalConnection& edge) {
    const Terminal& terminal = problem_.terminals()[edge.terminal];
    const bool input = terminal.kind == Terminal::Kind::input;
    ChannelSpec channel;
    (input ? channel.consumer : channel.producer) = stage_of_[edge.kernel];
    channel.name = input ? terminal.name + " -> " + name(edge.kernel)
                         : name(edge.kernel) + " -> " + terminal.name;
    const TensorShape& tensor = edge.tensor.elements() > 0 ? edge.tensor : terminal.shape;
    channel.bytes = tensor_bytes(tensor, channel.name);
    const Rectangle& kernel = rectangles_[edge.kernel];
    const TilePlace nearest = spec_.ports[nearest_port(kernel)].tile;
    const std::vector<TilePlace> tiles =
        lane_tiles(kernel, {nearest.x, nearest.y, 1, 1}, hardware_.lanes_max);
    for (std::size_t lane = 0; lane < tiles.size(); ++lane) {
      channel.ports.push_back(port_for(terminal, tiles[lane], lane, tiles.size()));
      const TilePlace& port = spec_.ports[channel.ports.back()].tile;
      channel.lanes.push_back(input ? Lane{port, tiles[lane]} : Lane{tiles[lane], port});
    }
    channel.buffer_samples = hardware_.buffer_samples.value_or(2);
    spec_.channels.push_back(std::move(channel));
  }

  std::int64_t tensor_bytes(const TensorShape& tensor, const std::string& what) const {
    constexpr std::int64_t kMost = 1'000'000'000'000'000;
    const Int128 bytes =
        Int128(tensor.height) * tensor.width * tensor.channels * hardware_.element_bytes;
    if (bytes > kMost) throw std::invalid_argument(what + " carries more than 10^15 bytes");
    return static_cast<std::int64_t>(bytes);
  }

  /// The port that one of so many lanes of a terminal uses, which begins or ends at a tile.
  std::size_t port_for(const Terminal& terminal, const TilePlace& tile, std::size_t lane,
                       std::size_t lanes) const {
    const bool memory = hardware_.edge_io == EdgeIo::dram;
    const auto mapped = hardware_.host_port_of.find(terminal.name);
    if (!memory && mapped != hardware_.host_port_of.end()) {
      const auto port = static_cast<std::size_t>(mapped->second);
      if (!std::binary_search(live_ports_.begin(), live_ports_.end(), port)) {
        throw std::invalid_argument("the port of " + terminal.name + " is at a dead tile");
      }
      return port;
    }
    const PortChoice choice = memory ? hardware_.dram_port_choice : hardware_.host_port_choice;
    if (choice == PortChoice::all) {
      return live_ports_[(2 * lane + 1) * live_ports_.size() / (2 * lanes)];
    }
    return nearest_port({tile.x, tile.y, 1, 1});
  }

  std::size_t nearest_port(const Rectangle& tiles) const {
    if (live_ports_.empty()) throw std::invalid_argument("all ports are at dead tiles");
    std::size_t best = live_ports_.front();
    for (const std::size_t i : live_ports_) {
      if (hops_to(spec_.ports[i].tile, tiles) < hops_to(spec_.ports[best].tile, tiles)) best = i;
    }
    return best;
  }

  /// From a tile to the nearest of a rectangle.
  static std::int64_t hops_to(const TilePlace& tile, const Rectangle& to) {
    const std::int64_t x = std::clamp(tile.x, to.x, to.x + to.width - 1);
    const std::int64_t y = std::clamp(tile.y, to.y, to.y + to.height - 1);
    return std::abs(x - tile.x) + std::abs(y - tile.y);
  }

  const std::string& name(KernelIndex kernel) const { return problem_.kernels()[kernel].name; }

  Signature signature_of(KernelIndex kernel) const {
    return signature(problem_.kernel(kernel), placement_.kernels[kernel].execution);
  }

  const Problem& problem_;
  const Placement& placement_;
  const Hardware& hardware_;
  std::vector<Rectangle> rectangles_;
  std::vector<std::int64_t> depth_;
  std::vector<std::int64_t> height_;
  std::vector<std::size_t> live_ports_;  // ascending
  std::vector<std::size_t> stage_of_;    // by kernel
  PipelineSpec spec_;
};

}  // namespace

Picoseconds service_time(std::int64_t time, std::int64_t denominator, const Hardware& hardware) {
  constexpr long double kLongest = 1e17L;
  const long double about = static_cast<long double>(time) / static_cast<long double>(denominator) *
                            static_cast<long double>(hardware.cycles_per_time_unit) /
                            static_cast<long double>(hardware.clock_hz) *
                            static_cast<long double>(kPicosecondsPerSecond);
  if (about > kLongest) throw std::invalid_argument("a kernel's time is more than 10^17 ps");
  const Int128 unit = Int128(denominator) * hardware.clock_hz;
  const Int128 parts = Int128(time) * hardware.cycles_per_time_unit * kPicosecondsPerSecond;
  return std::max<Picoseconds>(1, static_cast<Picoseconds>((2 * parts + unit) / (2 * unit)));
}

PipelineSpec contest_pipeline(const Problem& problem, const Placement& placement,
                              const Hardware& hardware, bool training) {
  return ContestPipeline(problem, placement, hardware, training).build();
}

}  // namespace waferloom
