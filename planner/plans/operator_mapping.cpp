#include "planner/plans/operator_mapping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "model/workload.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/dfmodel/systems/sharding.h"
#include "planner/plan_models.h"

// Problem: run an operator of a network on the tiles of a tensor group in the least time.
// Idea: two searches, one after the other. First the kernels of a transformer layer are sharded
// over the tiles with the least cost. Then the kernels of a tile are cut into the best partitions.
// Weights that do not stay in SRAM are added to the memory traffic. An operator that is no
// transformer layer is a single kernel.
// Source: DFModel, sections IV and V; streams of weights by PALM (arXiv:2406.03868), Algorithm 1.
// Cost: that of best_sharding and best_mapping. If nothing fits, the pieces are doubled, at most 20
// times.
namespace waferloom::planner {
namespace {

/// What joins the tiles of a view whose innermost dimension is the tensor group.
std::vector<NetworkDimension> innermost(const System& view) {
  if (view.dimensions.empty()) return {};
  return {view.dimensions.front()};
}

std::vector<NetworkDimension> group_of(const System& view, const OperatorPass& pass) {
  return pass.group ? *pass.group : innermost(view);
}

ChipRates rates_of(const System& view, const OperatorPass& pass) {
  return group_rates(view, group_of(view, pass), pass.samples);
}

/// How much longer an operation takes that is no product.
double element_price(const System& view, std::int64_t samples) {
  const Chip& chip = view.chip;
  const bool is_priced = flop_per_byte(view, static_cast<double>(samples)) == 0;
  return is_priced && chip.element_flop_per_s > 0 ? chip.flop_per_s / chip.element_flop_per_s : 1;
}

ShardingModel sharding_model(const System& view, const OperatorPass& pass) {
  ShardingModel model;
  model.chips = pass.tensor;
  model.cost_per_flop =
      1 / (view.chip.flop_per_s * view.chip.reached().at(static_cast<double>(pass.samples)));
  if (pass.tensor > 1) {
    const std::vector<NetworkDimension> group = group_of(view, pass);
    model.communication = [group](CollectiveKind kind, double bytes) {
      return collective_rate(kind, group).seconds(bytes);
    };
  }
  return model;
}

/// Elements that all-reduces of a phase add up among the tiles of a tensor group.
double reduced(const std::vector<AllReduce>& sums, AllReduce::Phase phase) {
  double elements = 0;
  for (const AllReduce& sum : sums) {
    const bool among_replicas = sum.among == Dimension::batch || sum.among == Dimension::rows;
    if (sum.phase == phase && !among_replicas) elements += static_cast<double>(sum.elements);
  }
  return elements;
}

/// Adds the memory traffic of weights that do not stay in SRAM. They come from memory for every
/// micro-batch. If activations stay, or if the weights fit half of the SRAM, they come once; the
/// other half takes the next weights. Otherwise the kernel works in parts: either the input comes
/// again for each part of the weights, or the weights come again for each part of the output (PALM,
/// Algorithm 1), or the output builds up in blocks. The smaller traffic counts.
void stream_weights(DataflowKernel& kernel, double input_bytes, const OperatorPass& pass,
                    double sram_bytes) {
  const double room = sram_bytes / 2;
  const double weights = kernel.weight_bytes;
  if (weights <= room || pass.activations_stay) {
    kernel.dram_bytes += weights;
    kernel.weight_bytes = std::min(weights, room);
    return;
  }
  const double stationary = weights + (std::ceil(weights / room) - 1) * input_bytes;
  const double passing = std::max(1.0, std::ceil(kernel.output_bytes / room)) * weights;
  double least = std::min(stationary, passing);
  if (pass.reuse == Reuse::blocks) {
    // The input comes a first time in any case: as a tensor.
    const BlockedProduct product{static_cast<Int128>(weights), static_cast<Int128>(input_bytes),
                                 static_cast<Int128>(kernel.output_bytes)};
    const Int128 blocked = blocked_reads(product, static_cast<Int128>(room));
    least = std::min(least, static_cast<double>(blocked) - input_bytes);
  }
  kernel.dram_bytes += std::max(weights, least);
  kernel.weight_bytes = room;
}

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Bytes of the parameters that `samples` samples read. An embedding reads the rows of their
/// tokens, at most all of its table. A tied head reads the matrix of the embedding.
double used_bytes(const OperatorKind& kind, const OperatorPass& pass) {
  const OperatorCount counted = count(kind);
  const double all = mean_weight_bytes(counted, {.weights = pass.weights}, pass.element_bytes);
  if (std::holds_alternative<EmbeddingOperator>(kind)) {
    // Of tables all rows are read that samples name, as often as they do.
    const double most = pass.role == OperatorRole::table ? kUnlimited : all;
    return std::min(most, static_cast<double>(counted.output) * static_cast<double>(pass.samples) *
                              pass.element_bytes);
  }
  const auto* head = std::get_if<HeadOperator>(&kind);
  if (head == nullptr || !head->tied) return all;
  return all + static_cast<double>(head->vocabulary) * static_cast<double>(head->hidden) *
                   pass.element_bytes;
}

/// The largest share of an operator's work that a tile has.
double share_of(const OperatorKind& kind, const OperatorPass& pass) {
  if (pass.role == OperatorRole::table) return 1 / static_cast<double>(pass.tensor);
  return largest_share(kind, pass.samples, group_cut(kind, pass), pass.tensor);
}

/// Bytes of an all-reduce that take as long as what the tiles hand each other.
double handed_bytes(const OperatorKind& kind, const System& view, const OperatorPass& pass,
                    bool backward) {
  if (pass.tensor == 1 || pass.role != OperatorRole::plain) return 0;
  const Degrees cut = group_cut(kind, pass);
  if (const std::int64_t handed = handed_elements(kind, pass.samples, cut); handed > 0) {
    const std::vector<NetworkDimension> group = group_of(view, pass);
    const double each = collective_rate(CollectiveKind::all_to_all, group).seconds_per_byte;
    const double sum = collective_rate(CollectiveKind::all_reduce, group).seconds_per_byte;
    return sum > 0 ? static_cast<double>(handed) * pass.element_bytes * each / sum : 0;
  }
  const auto sums = all_reduces(kind, pass.samples, cut);
  const auto phase = backward ? AllReduce::Phase::backward : AllReduce::Phase::forward;
  double bytes = reduced(sums, phase) * pass.element_bytes;
  // An all-gather moves half as much as an all-reduce.
  if (!backward) {
    const auto gathered = static_cast<double>(gathered_elements(kind, pass.samples, cut));
    bytes += gathered * pass.element_bytes / 2;
  }
  return bytes;
}

/// What is paid for a sample's work, in products that take as long.
double paid_flop(const OperatorKind& kind, const System& view, const OperatorPass& pass,
                 bool backward) {
  if (pass.role == OperatorRole::table) return 0;  // its rows stream
  const OperatorCount counted = count(kind);
  ElementCost cost = pass.element_cost;
  if (pass.role == OperatorRole::pooling) cost.flop_per_byte = 0;
  const PaidWork paid = paid_work(counted, group_cut(kind, pass).out, cost);
  const double work = backward ? paid.backward : paid.forward;
  const double products = (backward ? 2 : 1) * static_cast<double>(counted.matrix_flop);
  return work + (element_price(view, pass.samples) - 1) * (work - products);
}

/// An operator that is no transformer layer, on a tile of the tensor group. Its FLOP are products
/// that take as long.
DataflowKernel plain_kernel(const OperatorKind& kind, const System& view, const OperatorPass& pass,
                            bool backward) {
  const OperatorCount counted = count(kind);
  const auto samples = static_cast<double>(pass.samples);
  const double share = share_of(kind, pass);
  DataflowKernel kernel;
  kernel.name = kind_name(kind);
  kernel.type = KernelType::gemm;
  kernel.flop = paid_flop(kind, view, pass, backward) * samples * share;
  kernel.output_bytes = static_cast<double>(counted.output) * samples * pass.element_bytes * share;
  kernel.all_reduce_bytes = handed_bytes(kind, view, pass, backward);
  kernel.weight_bytes = used_bytes(kind, pass) * (group_cut(kind, pass).batch > 1 ? 1 : share);
  if (pass.role == OperatorRole::table) {
    // Backward reads the rows again, and writes them.
    kernel.dram_bytes = (backward ? 2 : 1) * used_bytes(kind, pass) * share;
  } else if (!pass.resident) {
    const double input = static_cast<double>(counted.input) * samples * pass.element_bytes;
    stream_weights(kernel, input, pass, view.chip.sram_bytes);
    if (backward) kernel.dram_bytes *= 2;
  }
  kernel.weight_bytes = 0;
  return kernel;
}

OperatorMapping map_plain(const OperatorKind& kind, const System& view, const OperatorPass& pass) {
  OperatorMapping mapping;
  mapping.forward.name = mapping.backward.name = kind_name(kind);
  mapping.forward.kernels = {plain_kernel(kind, view, pass, false)};
  mapping.backward.kernels = {plain_kernel(kind, view, pass, true)};
  mapping.partitions = {{0}};
  mapping.is_optimal = true;
  return mapping;
}

/// Gives what is no product the work that the machine pays for it, `work` of all of it together.
void pay_elements(DataflowGraph& graph, double work) {
  double counted = 0;
  for (const DataflowKernel& kernel : graph.kernels)
    counted += is_product(kernel) ? 0 : kernel.flop;
  if (counted == 0) return;
  for (DataflowKernel& kernel : graph.kernels) {
    if (!is_product(kernel)) kernel.flop *= work / counted;
  }
}

DataflowGraph backward_of(const DataflowGraph& forward) {
  DataflowGraph backward = forward;
  for (DataflowKernel& kernel : backward.kernels) {
    if (is_product(kernel)) kernel.flop *= 2;
    kernel.dram_bytes *= 2;
    kernel.output_bytes *= 2;
  }
  for (DataflowTensor& tensor : backward.tensors) tensor.bytes *= 2;
  return backward;
}

OperatorMapping map_layer(const TransformerOperator& layer, const System& view,
                          const OperatorPass& pass) {
  OperatorMapping mapping;
  TransformerPass through;
  through.samples = pass.samples;
  through.element_bytes = pass.element_bytes;
  through.weights = pass.weights;
  mapping.whole = transformer_graph(layer, through);
  mapping.sharding = best_sharding(mapping.whole, sharding_model(view, pass)).kernels;
  mapping.forward = shard(mapping.whole, mapping.sharding, pass.tensor);
  if (!pass.resident) {
    std::vector<double> input_bytes(mapping.forward.kernels.size(), 0);
    for (const DataflowTensor& tensor : mapping.forward.tensors) {
      input_bytes[tensor.to] += tensor.bytes;
    }
    for (std::size_t i = 0; i < input_bytes.size(); ++i) {
      stream_weights(mapping.forward.kernels[i], input_bytes[i], pass, view.chip.sram_bytes);
    }
  }
  const OperatorCount counted = count(OperatorKind(layer));
  const PaidWork paid = paid_work(counted, pass.tensor, pass.element_cost);
  const auto pay = [&](DataflowGraph& graph, double elements) {
    const double of_a_tile = static_cast<double>(pass.samples) / static_cast<double>(pass.tensor);
    if (pass.element_cost.flop_per_byte > 0) pay_elements(graph, elements * of_a_tile);
  };
  pay(mapping.forward, paid.elements);
  FoundMapping found = best_mapping(MappingProblem(mapping.forward, rates_of(view, pass)));
  // If even a single token is too large for the SRAM, parts of a token go through the tile.
  constexpr std::int64_t kMostParts = 1 << 20;
  for (std::int64_t parts = 2; found.partitions.empty() && parts <= kMostParts; parts *= 2) {
    mapping.forward.pieces *= 2;
    found = best_mapping(MappingProblem(mapping.forward, rates_of(view, pass)));
  }
  mapping.backward = backward_of(mapping.forward);
  pay(mapping.backward, paid.backward - 2 * static_cast<double>(counted.matrix_flop));
  mapping.partitions = found.partitions;
  mapping.is_optimal = found.is_optimal;
  mapping.why_infeasible = found.why_infeasible;
  return mapping;
}

}  // namespace

Degrees group_cut(const OperatorKind& kind, const OperatorPass& pass) {
  if (pass.by_samples && !is_graph_kernel(kind) && pass.role == OperatorRole::plain) {
    return {.batch = pass.tensor};
  }
  if (pass.role == OperatorRole::table) return {};
  return degrees_of(kind, {.tensor = pass.tensor});
}

OperatorMapping map_operator(const OperatorKind& kind, const System& view,
                             const OperatorPass& pass) {
  const auto* layer = std::get_if<TransformerOperator>(&kind);
  return layer != nullptr ? map_layer(*layer, view, pass) : map_plain(kind, view, pass);
}

ExposedTimes& ExposedTimes::operator+=(const ExposedTimes& other) {
  compute_s += other.compute_s;
  memory_s += other.memory_s;
  network_s += other.network_s;
  return *this;
}

ChipRates group_rates(const System& view, const std::vector<NetworkDimension>& group,
                      std::int64_t samples) {
  ChipRates rates;
  const double efficiency = view.chip.reached().at(static_cast<double>(samples));
  rates.flop_per_s = view.chip.flop_per_s * efficiency;
  rates.element_flop_per_s = rates.flop_per_s / element_price(view, samples);
  rates.sram_bytes = view.chip.sram_bytes;
  if (!view.memories.empty()) rates.dram_bytes_per_s = view.memories.front().bytes_per_s;
  if (view.memories.empty()) rates.dram_bytes_per_s = std::numeric_limits<double>::infinity();
  const CollectiveRate rate = collective_rate(CollectiveKind::all_reduce, group);
  rates.seconds_per_reduced_byte = rate.seconds_per_byte;
  rates.seconds_per_reduction = rate.latency_s;
  return rates;
}

ExposedTimes exposed_times(const DataflowGraph& graph, const Partitions& partitions,
                           const ChipRates& rates) {
  const MappingProblem problem(graph, rates);
  ExposedTimes times;
  for (const auto& kernels : partitions.empty() ? kernel_by_kernel(graph) : partitions) {
    const PartitionCost cost = partition_cost(problem, KernelSet(problem.kernels(), kernels));
    const double longest = cost.total_s() - cost.weight_load_s;
    times.compute_s += cost.compute_s;
    const double beyond = longest - cost.compute_s;
    (cost.memory_s >= cost.network_s ? times.memory_s : times.network_s) += beyond;
    times.memory_s += cost.weight_load_s;
  }
  return times;
}

}  // namespace waferloom::planner
