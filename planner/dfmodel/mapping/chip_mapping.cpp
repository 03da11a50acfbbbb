#include "planner/dfmodel/mapping/chip_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "model/text.h"
#include "planner/dfmodel.h"

// Problem: price a mapping. A chip runs partitions of a graph's kernels one after another.
// Idea: inside a partition kernels run at once, each on a part of the chip. The partition takes the
// longest of its compute, memory and network time, and the load of its weights. A tensor between
// partitions goes through DRAM. The mapping takes the sum of its partitions.
// Source: DFModel, sections III and V; the formulas are those of its published set-up files.
// Cost: O(V) and the tensors of its kernels for a partition; a mapping adds O(cut tensors ·
// partitions) for what is alive in DRAM.
namespace waferloom::planner {

KernelSet::KernelSet(std::size_t kernels, const std::vector<std::size_t>& members)
    : KernelSet(kernels) {
  for (const std::size_t kernel : members) insert(kernel);
}

MappingProblem::MappingProblem(DataflowGraph graph_of_chip, const ChipRates& chip_rates)
    : graph(std::move(graph_of_chip)),
      rates(chip_rates),
      level(levels(graph)),
      into(graph.kernels.size()),
      from(graph.kernels.size()) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    into[graph.tensors[i].to].push_back(i);
    from[graph.tensors[i].from].push_back(i);
  }
}

double MappingProblem::compute_s(std::size_t kernel) const {
  const DataflowKernel& dataflow_kernel = graph.kernels[kernel];
  return dataflow_kernel.flop /
         (is_product(dataflow_kernel) ? rates.flop_per_s : rates.element_flop_per_s);
}

double MappingProblem::network_s(std::size_t kernel) const {
  const double bytes = graph.kernels[kernel].all_reduce_bytes;
  if (bytes == 0) return 0;
  return bytes * rates.seconds_per_reduced_byte + rates.seconds_per_reduction;
}

const char* partition_bound_name(PartitionBound bound) {
  return kPartitionBoundNames[static_cast<std::size_t>(bound)].data();
}

double PartitionCost::total_s() const {
  return std::max({compute_s, memory_s, network_s}) + weight_load_s;
}

PartitionBound PartitionCost::bound() const {
  if (compute_s >= memory_s && compute_s >= network_s) return PartitionBound::compute;
  return memory_s >= network_s ? PartitionBound::memory : PartitionBound::network;
}

double loaded_weight_bytes(const ChipRates& rates, const WeightDemand& demand) {
  if (!rates.streams_weights) return demand.weight_bytes;
  if (rates.seconds_per_weight_byte >= 1 / rates.dram_bytes_per_s) return 0;
  const double most = std::clamp(demand.room_bytes, 0.0, demand.weight_bytes);
  if (rates.seconds_per_weight_byte == 0) return most;
  const double hidden_s = std::max(0.0, demand.others_s - demand.memory_s);
  return std::clamp(demand.weight_bytes - hidden_s * rates.dram_bytes_per_s, 0.0, most);
}

PartitionCost partition_cost(const MappingProblem& problem, const KernelSet& partition,
                             std::optional<double> compute_s) {
  const DataflowGraph& graph = problem.graph;
  PartitionCost cost;
  double weights = 0;
  double buffers = 0;  // times pieces, so that whole numbers of bytes stay whole
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) {
    if (!partition.contains(kernel)) continue;
    const DataflowKernel& dataflow_kernel = graph.kernels[kernel];
    cost.flop += dataflow_kernel.flop;
    cost.compute_s += problem.compute_s(kernel);
    cost.network_s += problem.network_s(kernel);
    cost.reduced_bytes += dataflow_kernel.all_reduce_bytes;
    cost.dram_bytes += dataflow_kernel.dram_bytes;
    weights += dataflow_kernel.weight_bytes;
    for (const std::size_t i : problem.into[kernel]) {
      const DataflowTensor& tensor = graph.tensors[i];
      if (partition.contains(tensor.from)) {
        buffers += tensor.bytes * problem.buffered_pieces(tensor);
        continue;
      }
      cost.dram_bytes += tensor.bytes;
      buffers += tensor.bytes * kCutPieces;
    }
    for (const std::size_t i : problem.from[kernel]) {
      const DataflowTensor& tensor = graph.tensors[i];
      if (partition.contains(tensor.to)) continue;
      cost.dram_bytes += tensor.bytes;
      buffers += tensor.bytes * kCutPieces;
    }
  }
  const ChipRates& rates = problem.rates;
  if (compute_s) cost.compute_s = *compute_s;
  const auto pieces = static_cast<double>(graph.pieces);
  const double loaded = loaded_weight_bytes(
      rates, {weights, rates.sram_bytes - buffers / pieces,
              cost.dram_bytes / rates.dram_bytes_per_s, std::max(cost.compute_s, cost.network_s)});
  const double needed = (rates.streams_weights ? 0 : loaded * pieces) + buffers;
  cost.sram_bytes = (loaded * pieces + buffers) / pieces;
  cost.fits_sram = needed <= rates.sram_bytes * pieces;
  cost.streamed_bytes = weights - loaded;
  cost.dram_bytes += cost.streamed_bytes;
  cost.memory_s = cost.dram_bytes / rates.dram_bytes_per_s;
  cost.weight_load_s = loaded * rates.seconds_per_weight_byte;
  return cost;
}

namespace {

/// The partition of each kernel.
std::vector<std::size_t> places(const DataflowGraph& graph, const Partitions& partitions) {
  const std::size_t nowhere = partitions.size();
  std::vector<std::size_t> place(graph.kernels.size(), nowhere);
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    if (partitions[p].empty()) {
      throw RequestError(fmt::format("partition {} has no kernel", p + 1));
    }
    for (const std::size_t kernel : partitions[p]) {
      if (place.at(kernel) != nowhere) {
        throw RequestError("kernel " + graph.kernels[kernel].name +
                           " stands in two partitions or twice in one");
      }
      place[kernel] = p;
    }
  }
  for (std::size_t kernel = 0; kernel < place.size(); ++kernel) {
    if (place[kernel] == nowhere) {
      throw RequestError("kernel " + graph.kernels[kernel].name + " stands in no partition");
    }
  }
  for (const DataflowTensor& tensor : graph.tensors) {
    if (place[tensor.from] <= place[tensor.to]) continue;
    throw RequestError(fmt::format("kernel {} in partition {} takes a tensor of {} in partition {}",
                                   graph.kernels[tensor.to].name, place[tensor.to] + 1,
                                   graph.kernels[tensor.from].name, place[tensor.from] + 1));
  }
  return place;
}

}  // namespace

MappingCost mapping_cost(const MappingProblem& problem, const Partitions& partitions,
                         const PartitionCompute& compute_s) {
  const std::vector<std::size_t> place = places(problem.graph, partitions);
  MappingCost cost;
  for (const std::vector<std::size_t>& partition : partitions) {
    cost.partitions.push_back(
        partition_cost(problem, KernelSet(problem.kernels(), partition),
                       compute_s ? std::optional(compute_s(partition)) : std::nullopt));
  }
  for (const DataflowTensor& tensor : problem.graph.tensors) {
    if (place[tensor.from] == place[tensor.to]) continue;
    for (std::size_t p = place[tensor.from]; p <= place[tensor.to]; ++p) {
      cost.partitions[p].live_dram_bytes += tensor.bytes;
    }
  }
  for (PartitionCost& part : cost.partitions) {
    part.fits_dram = part.live_dram_bytes <= problem.rates.dram_bytes;
    cost.total_s += part.total_s();
    cost.fits = cost.fits && part.fits_sram && part.fits_dram;
    cost.flop += part.flop;
    cost.dram_bytes += part.dram_bytes;
    cost.reduced_bytes += part.reduced_bytes;
  }
  return cost;
}

Partitions kernel_by_kernel(const DataflowGraph& graph) {
  Partitions partitions;
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
    partitions.push_back({kernel});
  }
  return partitions;
}

Partitions vendor_mapping(const DataflowGraph& graph) {
  std::vector<std::string> last{"V", "LN2", "FFN0"};
  for (const DataflowKernel& kernel : graph.kernels) {
    if (kernel.name == "Gate") last.back() = kernel.name;
  }
  Partitions partitions(1);
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
    partitions.back().push_back(kernel);
    const std::size_t ended = partitions.size() - 1;
    if (ended < last.size() && graph.kernels[kernel].name == last[ended]) partitions.emplace_back();
  }
  if (partitions.size() != last.size() + 1 || partitions.back().empty()) return {};
  return partitions;
}

std::vector<std::size_t> streamed_kernels(const DataflowGraph& graph,
                                          const std::vector<std::size_t>& partition,
                                          double streamed_bytes) {
  std::vector<std::size_t> by_weight = partition;
  std::stable_sort(by_weight.begin(), by_weight.end(), [&](std::size_t left, std::size_t right) {
    return graph.kernels[left].weight_bytes > graph.kernels[right].weight_bytes;
  });
  std::size_t count = 0;
  for (double left = streamed_bytes; left > 0 && count < by_weight.size(); ++count) {
    left -= graph.kernels[by_weight[count]].weight_bytes;
  }
  by_weight.resize(count);
  std::sort(by_weight.begin(), by_weight.end());
  return by_weight;
}

std::string partitions_text(const DataflowGraph& graph, const Partitions& partitions) {
  std::string text;
  for (const std::vector<std::size_t>& partition : partitions) {
    text += text.empty() ? "{" : " {";
    for (const std::size_t kernel : partition) {
      if (kernel != partition.front()) text += ", ";
      text += graph.kernels[kernel].name;
    }
    text += "}";
  }
  return text;
}

std::string why_beyond_sram(const MappingProblem& problem) {
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) {
    const PartitionCost cost = partition_cost(problem, KernelSet(problem.kernels(), {kernel}));
    if (cost.fits_sram) continue;
    return "kernel " + problem.graph.kernels[kernel].name + " alone takes " +
           whole_bytes_text(cost.sram_bytes) + " bytes of SRAM, of " +
           whole_bytes_text(problem.rates.sram_bytes) + "; spread it over more chips";
  }
  return {};
}

}  // namespace waferloom::planner
