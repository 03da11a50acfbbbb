#include "planner/dfmodel/mapping/chip_mapping.h"

#include <algorithm>
#include <cmath>

#include "model/errors.h"

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
  constexpr const char* kNames[] = {"compute", "memory", "network"};
  return kNames[static_cast<std::size_t>(bound)];
}

double PartitionCost::total_s() const {
  return std::max({compute_s, memory_s, network_s}) + weight_load_s;
}

PartitionBound PartitionCost::bound() const {
  if (compute_s >= memory_s && compute_s >= network_s) return PartitionBound::compute;
  return memory_s >= network_s ? PartitionBound::memory : PartitionBound::network;
}

PartitionCost partition_cost(const MappingProblem& problem, const KernelSet& partition) {
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
  const auto pieces = static_cast<double>(graph.pieces);
  const double scaled = weights * pieces + buffers;
  cost.sram_bytes = scaled / pieces;
  cost.fits_sram = scaled <= problem.rates.sram_bytes * pieces;
  cost.memory_s = cost.dram_bytes / problem.rates.dram_bytes_per_s;
  cost.weight_load_s = weights * problem.rates.seconds_per_weight_byte;
  return cost;
}

namespace {

/// The partition of each kernel.
std::vector<std::size_t> places(const DataflowGraph& graph, const Partitions& partitions) {
  const std::size_t nowhere = partitions.size();
  std::vector<std::size_t> place(graph.kernels.size(), nowhere);
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    if (partitions[p].empty()) {
      throw RequestError("partition " + std::to_string(p + 1) + " has no kernel");
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
    throw RequestError("kernel " + graph.kernels[tensor.to].name + " in partition " +
                       std::to_string(place[tensor.to] + 1) + " takes a tensor of " +
                       graph.kernels[tensor.from].name + " in partition " +
                       std::to_string(place[tensor.from] + 1));
  }
  return place;
}

}  // namespace

MappingCost mapping_cost(const MappingProblem& problem, const Partitions& partitions) {
  const std::vector<std::size_t> place = places(problem.graph, partitions);
  MappingCost cost;
  for (const std::vector<std::size_t>& partition : partitions) {
    cost.partitions.push_back(partition_cost(problem, KernelSet(problem.kernels(), partition)));
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

std::vector<std::string> stream_large_weights(MappingProblem& problem) {
  std::vector<std::string> streamed;
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) {
    DataflowKernel& dataflow_kernel = problem.graph.kernels[kernel];
    const KernelSet alone(problem.kernels(), {kernel});
    if (dataflow_kernel.weight_bytes == 0 || partition_cost(problem, alone).fits_sram) continue;
    dataflow_kernel.dram_bytes += dataflow_kernel.weight_bytes;
    dataflow_kernel.weight_bytes = 0;
    streamed.push_back(dataflow_kernel.name);
  }
  return streamed;
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
