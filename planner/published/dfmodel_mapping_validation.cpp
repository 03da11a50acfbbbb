// Ours of DFModel's figures of one chip (its section VII).

#include <fmt/format.h>

#include <string>
#include <utility>

#include "model/hardware.h"
#include "model/text.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "planner/dfmodel/mapping/cycle_model.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "planner/dfmodel/mapping/order_ideals.h"
#include "planner/dfmodel/systems/sharding.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

// GPT-3 175B on eight SN10 (DFModel, section VII): 96 layers, micro-batches of one.
constexpr double kLayers = 96;
constexpr double kNanoseconds = 1e9;
/// DRAM of one SN10, from the log of DFModel's first form.
constexpr double kSn10DramBytes = 1649267441664;

DataflowGraph gpt3_layer() {
  TransformerOperator layer;
  layer.sequence = 2048;
  layer.hidden = 12288;
  layer.heads = 96;
  layer.key_value_heads = 96;
  layer.feed_forward = 49152;
  TransformerPass pass;
  pass.layers = kLayers;
  return transformer_graph(layer, pass);
}

System sn10(std::int64_t tensor) {
  return chips_of(*preset_machine(tensor == 8 ? "sn10_8x1" : "sn10_4x2"));
}

MappingProblem sn10_layer(std::int64_t tensor) {
  const DataflowGraph whole = gpt3_layer();
  ShardingModel model;
  model.chips = tensor;
  return {shard(whole, best_sharding(whole, model).kernels, tensor),
          chip_rates(sn10(tensor), tensor)};
}

/// Each kernel's partition by the last kernel of each: {..LN1,Q,K,V} ends with V.
Partitions cut_after(const DataflowGraph& graph, const std::vector<std::string>& last) {
  Partitions partitions(1);
  std::size_t next = 0;
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
    partitions.back().push_back(kernel);
    if (next < last.size() && graph.kernels[kernel].name == last[next]) {
      partitions.emplace_back();
      ++next;
    }
  }
  return partitions;
}

class MappingFigures {
 public:
  MappingFigures() : ring_(sn10_layer(8)), torus_(sn10_layer(4)) {}

  OurFigures run() {
    table_six();
    better_optima();
    order_ideals_of_a_layer();
    speedups();
    utilisations();
    cycles();
    not_judged();
    return std::move(ours_);
  }

 private:
  void add(std::string name, double ours) { ours_.push_back({std::move(name), ours}); }
  /// A figure whose note has a text of ours.
  void add(std::string name, double ours, std::string note) {
    ours_.push_back({std::move(name), ours, {std::move(note)}});
  }

  void add_found(std::string name, const MappingProblem& problem, const FoundMapping& found) {
    add(std::move(name), found.cost.total_s * kNanoseconds,
        std::string(found.is_optimal ? "proved optimal: " : "not proved: ") +
            partitions_text(problem.graph, found.partitions));
  }

  double ns(const MappingProblem& problem, const Partitions& partitions) const {
    return mapping_cost(problem, partitions).total_s * kNanoseconds;
  }

  void table_six() {
    kernel_by_kernel_ = ns(ring_, kernel_by_kernel(ring_.graph));
    add("kernel by kernel, ring 8x1", kernel_by_kernel_);
    const Partitions vendor = vendor_mapping(ring_.graph);
    vendor_ = ns(ring_, vendor);
    add("vendor's mapping, ring 8x1", vendor_, partitions_text(ring_.graph, vendor));
    const Partitions published = cut_after(ring_.graph, {"V", "MHA2", "GeLU"});
    add("DFModel's published mapping, ring 8x1", ns(ring_, published),
        partitions_text(ring_.graph, published));
    four_ring_ = best_mapping(ring_, {.partitions = 4}).cost.total_s * kNanoseconds;
    const FoundMapping four_torus = best_mapping(torus_, {.partitions = 4});
    four_torus_ = four_torus.cost.total_s * kNanoseconds;
    add_found("best of exactly four partitions, torus 4x2", torus_, four_torus);
  }

  /// Better than what DFModel published: the authors fixed the number of partitions at four.
  void better_optima() {
    add_found("best of any number of partitions, ring 8x1", ring_, best_mapping(ring_));
    add_found("best of any number of partitions, torus 4x2", torus_, best_mapping(torus_));
    for (const std::size_t count : {3, 5, 6}) {
      add_found(fmt::format("best of exactly {} partitions, ring 8x1", count), ring_,
                best_mapping(ring_, {.partitions = count}));
    }
  }

  void order_ideals_of_a_layer() {
    const auto ideals = order_ideals(ring_.graph, {}, 1000);
    add("order ideals of a GPT layer", ideals ? static_cast<double>(ideals->count()) : 0.0);
  }

  void speedups() {
    const double torus_share = four_torus_ / 2;  // each of two replicas has half the samples
    add("Table VI, vendor", kernel_by_kernel_ / vendor_, text_speedup());
    add("Table VI, DFModel on 8x1", vendor_ / four_ring_);
    add("Table VI, DFModel on 8x1, accumulated", kernel_by_kernel_ / four_ring_);
    add("Table VI, DFModel on 4x2", four_ring_ / torus_share);
    add("Table VI, DFModel on 4x2, accumulated", kernel_by_kernel_ / torus_share);
    add("DFModel on 4x2 over the vendor's mapping", vendor_ / torus_share);
  }

  void utilisations() {
    const double peak = 8 * sn10(8).chip.flop_per_s / kNanoseconds;
    const double flop = total_flop(gpt3_layer()) / kLayers;
    const auto reached = [&](double ns_per_layer) { return flop / (ns_per_layer * peak); };
    add("utilisation, kernel by kernel", reached(kernel_by_kernel_));
    add("utilisation, vendor", reached(vendor_));
    add("utilisation, DFModel on 8x1", reached(four_ring_));
    add("utilisation, DFModel on 4x2", reached(four_torus_ / 2));
  }

  void cycles() {
    const Partitions vendor = vendor_mapping(ring_.graph);
    MappingProblem problem = ring_;
    MicroBatchMemory memory{kSn10DramBytes, kLayers, 0, 0};
    for (const DataflowKernel& kernel : problem.graph.kernels) {
      memory.weight_bytes += kernel.weight_bytes;
    }
    memory.cut_bytes = mapping_cost(problem, vendor).dram_bytes;
    const auto samples = static_cast<double>(largest_micro_batch(memory));
    add("cycle model, micro-batch", samples);
    problem.rates.seconds_per_weight_byte = 1 / (problem.rates.dram_bytes_per_s * samples);
    const MappingCost cost = cycle_mapping_cost(problem, cycle_chip(sn10(8)), vendor);
    add("cycle model, vendor's mapping", cost.total_s * kNanoseconds,
        partitions_text(problem.graph, vendor));
    for (std::size_t p = 0; p < cost.partitions.size(); ++p) {
      const PartitionCost& partition = cost.partitions[p];
      const std::string place = fmt::format("cycle model, partition {}, ", p + 1);
      add(place + "compute", partition.compute_s * kNanoseconds);
      add(place + "DRAM", partition.memory_s * kNanoseconds);
      // Others reduce nothing.
      if (partition.network_s > 0) add(place + "network", partition.network_s * kNanoseconds);
      add(place + "weights", partition.weight_load_s * kNanoseconds);
    }
  }

  void not_judged() {
    const MappingCost vendor = mapping_cost(ring_, vendor_mapping(ring_.graph));
    add("vendor's mapping, memory of partition 2", vendor.partitions[1].memory_s * kNanoseconds);
    add("vendor's mapping, memory of partition 3", vendor.partitions[2].memory_s * kNanoseconds);
    add("vendor's mapping, compute of partition 2", vendor.partitions[1].compute_s * kNanoseconds);
    const MappingCost published =
        mapping_cost(ring_, cut_after(ring_.graph, {"V", "MHA2", "GeLU"}));
    add("DFModel's published mapping, compute of partition 2",
        published.partitions[1].compute_s * kNanoseconds);
    add("earlier form's mapping on 4x2, TP4 PP2", four_torus_);
  }

  /// What the rates that the paper's text names give for Table VI, vendor.
  std::string text_speedup() const {
    System system = sn10(8);
    system.memories.front().bytes_per_s = 200e9;
    system.dimensions.front().link_bytes_per_s = 25e9;
    const MappingProblem problem{ring_.graph, chip_rates(system, 8)};
    constexpr int kPlaces = 2;
    return fixed_text(
        ns(problem, kernel_by_kernel(problem.graph)) / ns(problem, vendor_mapping(ring_.graph)),
        kPlaces);
  }

  MappingProblem ring_;
  MappingProblem torus_;
  double kernel_by_kernel_ = 0;
  double vendor_ = 0;
  double four_ring_ = 0;
  double four_torus_ = 0;
  OurFigures ours_;
};

}  // namespace

std::vector<ValidationRow> dfmodel_mapping_rows() {
  return compared_rows("dfmodel-chip", MappingFigures().run());
}

}  // namespace waferloom::planner
