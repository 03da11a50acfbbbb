#include "sim/contest_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/placement.h"
#include "model/problem.h"
#include "sim/mesh/route.h"
#include "sim/pipeline/edge_channels.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline/pipeline_routes.h"

// Problem: turn a placement of the contest into a pipeline that the simulator can run.
// Idea: a kernel is a stage with the contest's compute time as service time. An edge is a channel
// with lanes between the two rectangles, its adapters, and a buffer. The buffer is deep enough that
// a skip connection does not stall a balanced pipeline. Inputs and outputs go through the ports at
// the wafer's edge.
// Source: the contest's formulas for time and adapters (ISPD 2020, docs/notation.md); lanes,
// buffers and ports are ours (docs/simulator.md).
// Cost: O(V log V + E log E), and the lanes of each edge.
namespace waferloom::sim {
namespace {

/// Buffered samples of an input or output. There are enough that the host's response time does not
/// slow the ports down.
constexpr std::int64_t kAtTheEdge = 8;

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

  const std::vector<Rectangle>& tiles() const { return rectangles_; }
  std::size_t stage_of(KernelIndex kernel) const { return stage_of_[kernel]; }

  /// Sets the bytes of tiles' memory that kernels and programs leave free.
  void add_free_bytes(Traffic& traffic) const {
    const std::int64_t of_tile = *hardware_.sram_bytes_per_tile - hardware_.program_bytes_per_tile;
    std::int64_t open = usable_tiles(hardware_.wafer);
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      const std::int64_t tiles = rectangles_[i].width * rectangles_[i].height;
      const std::int64_t needs = memory_words(problem_.kernel(i), placement_.kernels[i].execution) *
                                 hardware_.element_bytes;
      traffic.blocks[stage_of_[i]].free_bytes = tiles * std::max<std::int64_t>(0, of_tile - needs);
      open -= tiles;
    }
    traffic.free_bytes = open * std::max<std::int64_t>(0, of_tile);
  }

  PipelineSpec build() {
    add_stages();
    for (const Connection& edge : problem_.connections()) add_edge(edge);
    const EdgeChannels ports(hardware_, spec_, hardware_.edge_io);
    for (const TerminalConnection& edge : problem_.terminal_connections())
      add_terminal(ports, edge);
    // The order of lines in a file must not matter: stages are sorted by id, channels by their
    // ends.
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
      if (contains({0, 0, mesh.width, mesh.height}, rectangles_[i])) continue;
      throw RequestError(fmt::format("kernel {} is not within the hardware's mesh of {} x {} tiles",
                                     name(i), mesh.width, mesh.height));
    }
    demand_living(problem_, rectangles_, hardware_);
  }

  /// Longest paths from a source and to a sink, in edges.
  void find_depths() {
    depth_ = kernel_depths(problem_);
    height_.assign(problem_.kernel_count(), 0);
    std::vector<std::vector<KernelIndex>> consumers(problem_.kernel_count());
    for (const Connection& edge : problem_.connections()) {
      consumers[edge.producer].push_back(edge.consumer);
    }
    const std::vector<KernelIndex> order = topological_order(problem_);
    if (order.empty()) throw RequestError("the kernel graph has a cycle");
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
      const Picoseconds forward = service_time({time, problem_.time_denominator()}, hardware_);
      spec_.stages.push_back({problem_.kernels()[i].name, forward, 2 * forward, height_[i] + 1});
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
    channel.adapter_pass =
        adapter_pass_ps(channel.bytes, hardware_, static_cast<std::int64_t>(channel.lanes.size()));
    channel.buffer_samples = hardware_.buffer_samples.value_or(
        1 + std::max<std::int64_t>(1, depth_[edge.consumer] - depth_[edge.producer]));
    spec_.channels.push_back(std::move(channel));
  }

  void add_terminal(const EdgeChannels& ports, const TerminalConnection& edge) {
    const Terminal& terminal = problem_.terminals()[edge.terminal];
    const bool input = terminal.kind == Terminal::Kind::input;
    ChannelSpec channel;
    (input ? channel.consumer : channel.producer) = stage_of_[edge.kernel];
    channel.name = input ? terminal.name + " -> " + name(edge.kernel)
                         : name(edge.kernel) + " -> " + terminal.name;
    const TensorShape& tensor = edge.tensor.elements() > 0 ? edge.tensor : terminal.shape;
    channel.bytes = tensor_bytes(tensor, channel.name);
    channel.buffer_samples = hardware_.buffer_samples.value_or(kAtTheEdge);
    ports.connect(channel, terminal.name, rectangles_[edge.kernel]);
    spec_.channels.push_back(std::move(channel));
  }

  std::int64_t tensor_bytes(const TensorShape& tensor, const std::string& what) const {
    constexpr std::int64_t kMost = 1'000'000'000'000'000;
    const Int128 bytes =
        Int128(tensor.height) * tensor.width * tensor.channels * hardware_.element_bytes;
    if (bytes > kMost) throw RequestError(what + " carries more than 10^15 bytes");
    return static_cast<std::int64_t>(bytes);
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
  std::vector<std::size_t> stage_of_;  // by kernel
  PipelineSpec spec_;
};

}  // namespace

Picoseconds service_time(const ProblemTime& at, const Hardware& hardware) {
  const auto [time, denominator] = at;
  constexpr long double kLongest = 1e17L;
  const long double about = static_cast<long double>(time) / static_cast<long double>(denominator) *
                            static_cast<long double>(hardware.cycles_per_time_unit) /
                            static_cast<long double>(hardware.clock_hz) *
                            static_cast<long double>(kPicosecondsPerSecond);
  if (about > kLongest) throw RequestError("a kernel's time is more than 10^17 ps");
  const Int128 unit = Int128(denominator) * hardware.clock_hz;
  const Int128 parts = Int128(time) * hardware.cycles_per_time_unit * kPicosecondsPerSecond;
  return std::max<Picoseconds>(1, static_cast<Picoseconds>((2 * parts + unit) / (2 * unit)));
}

std::vector<std::string> connection_tensor_names(const Problem& problem) {
  const std::vector<Connection>& edges = problem.connections();
  // The same order as that of the channels in ContestPipeline::build.
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t at) {
    return std::make_tuple(problem.kernels()[edges[at].producer].id,
                           problem.kernels()[edges[at].consumer].id, edges[at].tensor.elements());
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<std::string> names(edges.size());
  std::map<std::string, int> seen;
  for (const std::size_t at : order) {
    const std::string name = problem.kernels()[edges[at].producer].name + " -> " +
                             problem.kernels()[edges[at].consumer].name;
    const int before = seen[name]++;
    names[at] = before == 0 ? name : fmt::format("{} #{}", name, before + 1);
  }
  return names;
}

PipelineSpec contest_pipeline(const Problem& problem, const Placement& placement,
                              const Hardware& hardware, bool training) {
  demand_mesh(hardware, "a placement of kernels");
  return ContestPipeline(problem, placement, hardware, training).build();
}

Traffic contest_traffic(const Problem& problem, const Placement& placement,
                        const Hardware& hardware, bool training) {
  demand_mesh(hardware, "a placement of kernels");
  ContestPipeline pipeline(problem, placement, hardware, training);
  const PipelineSpec spec = pipeline.build();
  std::vector<Rectangle> tiles(spec.stages.size());
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    tiles[pipeline.stage_of(i)] = pipeline.tiles()[i];
  }
  Traffic traffic = pipeline_traffic(spec, hardware, tiles);
  traffic.samples_each = problem.replicas();
  if (hardware.sram_bytes_per_tile) pipeline.add_free_bytes(traffic);
  return traffic;
}

PipelineSpec contest_pipeline(const Problem& problem, const Placement& placement,
                              const Hardware& hardware, bool training, const Routes& routes) {
  demand_mesh(hardware, "a placement of kernels");
  ContestPipeline pipeline(problem, placement, hardware, training);
  PipelineSpec spec = pipeline.build();
  set_routes(spec, hardware, routes);
  spec.reserve = {pipeline.tiles(), hardware.routing.kernel_link_percent};
  return spec;
}

}  // namespace waferloom::sim
