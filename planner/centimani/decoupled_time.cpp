#include "planner/centimani/decoupled_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <string>

#include "model/errors.h"
#include "planner/centimani.h"

namespace waferloom::planner {
namespace {

/// Bytes that an operator moves, by what they are.
struct Moved {
  double weights = 0;
  double io = 0;
  double gradients = 0;
};

/// The slowest of arithmetic and of every memory's traffic.
class Roofline {
 public:
  Roofline(const System& system, const OperatorPlacement& placement)
      : system_(system), placement_(placement) {}

  double seconds(double matrix_flop, double element_flop, double samples,
                 const Moved& moved) const {
    const Chip& chip = system_.chip;
    const double element_rate =
        chip.element_flop_per_s > 0 ? chip.element_flop_per_s : chip.flop_per_s;
    double slowest =
        (matrix_flop / chip.flop_per_s + element_flop / element_rate) / chip.reached().at(samples);
    std::vector<double> bytes(system_.memories.size() + 1, 0);
    bytes[level(TensorClass::weights)] += moved.weights;
    const bool is_cached = moved.io + moved.gradients <= placement_.cache_bytes;
    bytes[is_cached ? kSramLevel : level(TensorClass::io)] += moved.io;
    bytes[is_cached ? kSramLevel : level(TensorClass::gradients)] += moved.gradients;
    if (chip.sram_bytes_per_s > 0) {
      slowest = std::max(slowest, bytes[kSramLevel] / chip.sram_bytes_per_s);
    }
    for (std::size_t i = 0; i < system_.memories.size(); ++i) {
      if (bytes[i + 1] <= 0) continue;
      const MemoryLevel& memory = system_.memories[i];
      slowest = std::max(slowest, memory.latency_s + bytes[i + 1] / memory.bytes_per_s);
    }
    return slowest;
  }

 private:
  std::size_t level(TensorClass kind) const {
    return system_.level_of[static_cast<std::size_t>(kind)];
  }

  const System& system_;
  const OperatorPlacement& placement_;
};

void check_edges(const PartitionGraph& graph) {
  for (const DeviceEdge& edge : graph.edges) {
    if (std::max(edge.from, edge.to) < graph.compute_s.size()) continue;
    throw std::logic_error(fmt::format("expected edges among {} devices, found one from {} to {}",
                                       graph.compute_s.size(), edge.from, edge.to));
  }
}

}  // namespace

HostTime host_time(const HostInput& input, const Host& host, const OperatorTable& measured) {
  HostTime time;
  if (host.link_bytes_per_s > 0) time.load_s = input.bytes / host.link_bytes_per_s;
  if (host.preprocess_bytes_per_s > 0)
    time.preprocess_s = input.bytes / host.preprocess_bytes_per_s;
  if (!measured.host) return time;
  const MeasuredHost& other = *measured.host;
  const double faster_link =
      host.link_bytes_per_s > 0 ? host.link_bytes_per_s / other.link_bytes_per_s : 1;
  const double faster_cpu =
      host.cpu_flop_per_s > 0 ? host.cpu_flop_per_s / other.cpu_flop_per_s : 1;
  return {input.samples * other.load_s / faster_link,
          input.samples * other.preprocess_s / faster_cpu};
}

OperatorTime roofline_time(const OperatorKind& kind, std::int64_t batch, const System& system,
                           const OperatorPlacement& placement) {
  const OperatorCount counted = count(kind);
  const auto samples = static_cast<double>(batch);
  double weights = static_cast<double>(counted.parameters) * placement.element_bytes;
  const double input = static_cast<double>(counted.input) * samples * placement.element_bytes;
  const double output = static_cast<double>(counted.output) * samples * placement.element_bytes;
  // Of a table only the rows of the tokens are touched.
  if (std::holds_alternative<EmbeddingOperator>(kind)) weights = std::min(weights, output);
  const double matrix = static_cast<double>(counted.matrix_flop) * samples;
  const double element = static_cast<double>(counted.element_flop) * samples;
  const Roofline roofline(system, placement);
  OperatorTime time;
  time.forward_s = roofline.seconds(matrix, element, samples, {weights, input + output, 0});
  // Reads parameters, inputs and the output's gradient; writes the gradients of the others.
  time.backward_s =
      roofline.seconds(2 * matrix, element, samples, {weights, input, output + input + weights});
  return time;
}

DevicePath longest_path(const PartitionGraph& graph) {
  check_edges(graph);
  const std::size_t devices = graph.compute_s.size();
  std::vector<std::size_t> waits(devices, 0);
  std::vector<std::vector<const DeviceEdge*>> out(devices);
  for (const DeviceEdge& edge : graph.edges) {
    ++waits[edge.to];
    out[edge.from].push_back(&edge);
  }
  std::vector<DevicePath> until(devices);  // through each device, itself included
  std::vector<DevicePath> before(devices);
  std::queue<std::size_t> ready;
  for (std::size_t device = 0; device < devices; ++device) {
    if (waits[device] == 0) ready.push(device);
  }
  DevicePath longest;
  std::size_t seen = 0;
  for (; !ready.empty(); ready.pop(), ++seen) {
    const std::size_t device = ready.front();
    until[device] = before[device];
    until[device].compute_s += graph.compute_s[device];
    if (until[device].total_s() > longest.total_s()) longest = until[device];
    for (const DeviceEdge* edge : out[device]) {
      DevicePath path = until[device];
      path.transfer_s += edge->seconds;
      if (path.total_s() > before[edge->to].total_s()) before[edge->to] = path;
      if (--waits[edge->to] == 0) ready.push(edge->to);
    }
  }
  if (seen < devices) {
    throw std::logic_error(fmt::format("the partition graph has a cycle among {} of {} devices",
                                       devices - seen, devices));
  }
  return longest;
}

double compressed_bytes(double bytes, double element_bytes, const Compression& compression) {
  constexpr double kBitsOfByte = 8;
  const double elements = bytes / element_bytes;
  const double bits =
      compression.value_bits > 0 ? compression.value_bits : element_bytes * kBitsOfByte;
  const double index = compression.density < 1 ? compression.index_bits : 0;
  return elements * compression.density * (bits + index) / kBitsOfByte;
}

double exchange_time(double bytes, std::int64_t chips, Learning learning, const System& system) {
  if (learning == Learning::asynchronous) {
    if (system.host.server_bytes_per_s <= 0) {
      throw RequestError("asynchronous learning needs host.server_bytes_per_s of " + system.name);
    }
    return bytes / system.host.server_bytes_per_s;
  }
  if (chips <= 1) return 0;
  if (system.dimensions.empty()) {
    throw RequestError(fmt::format("{} chips need dimensions of {}", chips, system.name));
  }
  const NetworkDimension& dimension = system.dimensions.front();
  const auto members = static_cast<double>(chips);
  return 2 * (members - 1) * (bytes / members / dimension.link_bytes_per_s + dimension.latency_s);
}

double without_overlap(const StepTimes& stages, const Overlap& overlap) {
  const double compute = stages.compute_s + stages.transfer_s;
  double chip =
      overlap.communication ? std::max(compute, stages.exchange_s) : compute + stages.exchange_s;
  double host = 0;
  (overlap.load ? host : chip) += stages.host.load_s;
  (overlap.preprocess ? host : chip) += stages.host.preprocess_s;
  return std::max(host, chip);
}

}  // namespace waferloom::planner
