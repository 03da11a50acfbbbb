// Longer than most files: one table of published figures, each with what it is compared with.

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "model/hardware.h"
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

const char* const kLog = "log of the public repository";
const char* const kFromRepository = "from repository";
const char* const kOtherSolvers = "a DP in Python and GLPK, from the set-up files";

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
  const std::string name = tensor == 8 ? "sn10_8x1" : "sn10_4x2";
  return read_system(*system_preset(name), name);
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

class MappingRows {
 public:
  MappingRows() : ring_(sn10_layer(8)), torus_(sn10_layer(4)) {}

  std::vector<ValidationRow> run() {
    table_six();
    better_optima();
    order_ideals_of_a_layer();
    speedups();
    utilisations();
    cycles();
    not_judged();
    return std::move(rows_);
  }

 private:
  ValidationRow& add(const std::string& name, const std::string& unit, double ours) {
    ValidationRow row;
    row.model = "DFModel";
    row.name = name;
    row.unit = unit;
    row.ours = ours;
    rows_.push_back(row);
    return rows_.back();
  }

  ValidationRow& add_log(const std::string& name, const std::string& unit,
                         const RowFigures& figures) {
    ValidationRow& row = add(name, unit, figures.ours);
    row.published = figures.expected;
    row.source = kLog;
    row.certainty = kFromRepository;
    return row;
  }

  /// A figure of the paper with so many places: half of the last one is its tolerance.
  ValidationRow& add_printed(const std::string& name, const RowFigures& figures, double place) {
    ValidationRow& row = add(name, "", figures.ours);
    row.published = figures.expected;
    row.tolerance = place / 2 / figures.expected;
    row.source = "Table VI";
    row.certainty = "in paper";
    return row;
  }

  /// What other programs of ours found from the same files.
  ValidationRow& add_derived(const std::string& name, const RowFigures& figures) {
    ValidationRow& row = add(name, "ns/layer", figures.ours);
    row.derived = figures.expected;
    row.kind = RowKind::closed_form;
    row.source = kOtherSolvers;
    row.certainty = "derived";
    return row;
  }

  static std::string told(const MappingProblem& problem, const FoundMapping& found) {
    return std::string(found.is_optimal ? "proved optimal: " : "not proved: ") +
           partitions_text(problem.graph, found.partitions);
  }

  double ns(const MappingProblem& problem, const Partitions& partitions) const {
    return mapping_cost(problem, partitions).total_s * kNanoseconds;
  }

  void table_six() {
    kernel_by_kernel_ = ns(ring_, kernel_by_kernel(ring_.graph));
    add_log("kernel by kernel, ring 8x1", "ns/layer", {22194858.696296174, kernel_by_kernel_})
        .note = "18 partitions of a kernel each";
    const Partitions vendor = vendor_mapping(ring_.graph);
    vendor_ = ns(ring_, vendor);
    add_log("vendor's mapping, ring 8x1", "ns/layer", {5480739.322967787, vendor_}).note =
        partitions_text(ring_.graph, vendor);
    const Partitions published = cut_after(ring_.graph, {"V", "MHA2", "GeLU"});
    add_log("DFModel's published mapping, ring 8x1", "ns/layer",
            {4613916.466671489, ns(ring_, published)})
        .note = partitions_text(ring_.graph, published);
    four_ring_ = best_mapping(ring_, {.partitions = 4}).cost.total_s * kNanoseconds;
    const FoundMapping four_torus = best_mapping(torus_, {.partitions = 4});
    four_torus_ = four_torus.cost.total_s * kNanoseconds;
    add_log("best of exactly four partitions, torus 4x2", "ns/layer",
            {7242620.136308353, four_torus_})
        .note = told(torus_, four_torus);
  }

  /// Better than what DFModel published: the authors fixed the number of partitions at four.
  void better_optima() {
    const FoundMapping ring = best_mapping(ring_);
    const FoundMapping torus = best_mapping(torus_);
    add_derived("best of any number of partitions, ring 8x1",
                {3998797.37, ring.cost.total_s * kNanoseconds})
        .note = told(ring_, ring);
    add_derived("best of any number of partitions, torus 4x2",
                {6898756.27, torus.cost.total_s * kNanoseconds})
        .note = told(torus_, torus);
    const std::pair<std::size_t, double> known[] = {
        {3, 4362258.2}, {5, 5117232.92}, {6, 5976883.2}};
    for (const auto& [count, derived] : known) {
      const FoundMapping found = best_mapping(ring_, {.partitions = count});
      add_derived(fmt::format("best of exactly {} partitions, ring 8x1", count),
                  {derived, found.cost.total_s * kNanoseconds})
          .note = told(ring_, found);
    }
  }

  void order_ideals_of_a_layer() {
    const auto ideals = order_ideals(ring_.graph, {}, 1000);
    ValidationRow& row =
        add("order ideals of a GPT layer", "", ideals ? static_cast<double>(ideals->count()) : 0.0);
    row.derived = 26;
    row.kind = RowKind::closed_form;
    row.source = "by hand";
    row.certainty = "by hand";
    row.note =
        "3 up to LN1, 7 with some of Q, K, V, 3 x 2 with MHA1 to Drop1 and without or with V, 10 "
        "from MHA2 on";
  }

  void speedups() {
    const double torus_share = four_torus_ / 2;  // each of two replicas has half the samples
    add_printed("Table VI, vendor", {4.05, kernel_by_kernel_ / vendor_}, 0.01).note =
        text_settings();
    add_printed("Table VI, DFModel on 8x1", {1.19, vendor_ / four_ring_}, 0.01);
    add_printed("Table VI, DFModel on 8x1, accumulated", {4.8, kernel_by_kernel_ / four_ring_},
                0.1);
    ValidationRow& torus =
        add_printed("Table VI, DFModel on 4x2", {1.28, four_ring_ / torus_share}, 0.01);
    torus.kind = RowKind::not_judged;
    torus.note = "the logs give 1.2741; 1.28 is 6.13 / 4.8, of rounded figures";
    add_printed("Table VI, DFModel on 4x2, accumulated", {6.13, kernel_by_kernel_ / torus_share},
                0.01);
    ValidationRow& vendor = add_printed("DFModel on 4x2 over the vendor's mapping",
                                        {1.52, vendor_ / torus_share}, 0.01);
    vendor.source = "section VII-D";
    vendor.kind = RowKind::not_judged;
    vendor.note = "the logs give 1.5135; 1.52 is 1.19 x 1.28, of rounded figures";
  }

  void utilisations() {
    const double peak = 8 * sn10(8).chip.flop_per_s / kNanoseconds;
    const double flop = total_flop(gpt3_layer()) / kLayers;
    const auto reached = [&](double ns_per_layer) { return flop / (ns_per_layer * peak); };
    add_log("utilisation, kernel by kernel", "", {0.13986235832706723, reached(kernel_by_kernel_)});
    add_log("utilisation, vendor", "", {0.5663880540698807, reached(vendor_)});
    add_log("utilisation, DFModel on 8x1", "", {0.6727961597101495, reached(four_ring_)});
    add_log("utilisation, DFModel on 4x2", "", {0.8572105734050713, reached(four_torus_ / 2)});
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
    add_log("cycle model, micro-batch", "samples", {42, samples}).note =
        "floor((1649267441664 / 96 - weights) / bytes between partitions)";
    problem.rates.seconds_per_weight_byte = 1 / (problem.rates.dram_bytes_per_s * samples);
    const MappingCost cost = cycle_mapping_cost(problem, cycle_chip(sn10(8)), vendor);
    add_log("cycle model, vendor's mapping", "ns/layer",
            {6147651.291429, cost.total_s * kNanoseconds})
        .note = partitions_text(problem.graph, vendor);
    for (std::size_t p = 0; p < cost.partitions.size(); ++p) cycle_partition(p, cost.partitions[p]);
  }

  void cycle_partition(std::size_t p, const PartitionCost& cost) {
    constexpr double kCompute[] = {1258291.2, 1730150.4, 1258291.2, 1258291.2};
    constexpr double kDram[] = {692060.16, 1698693.12, 754974.72, 754974.72};
    constexpr double kNetwork[] = {0, 1761607.68, 0, 1761607.68};
    constexpr double kSetUp[] = {26963.383, 8987.794, 35951.177, 35951.177};
    const std::string place = fmt::format("cycle model, partition {}, ", p + 1);
    ValidationRow& compute =
        add_log(place + "compute", "ns", {kCompute[p], cost.compute_s * kNanoseconds});
    if (p == 1) {
      compute.kind = RowKind::not_judged;
      compute.note =
          "the network rules this partition, so the log's solver left its compute anywhere below; "
          "ours is the least";
    }
    add_log(place + "DRAM", "ns", {kDram[p], cost.memory_s * kNanoseconds});
    if (kNetwork[p] > 0) {  // the others reduce nothing
      add_log(place + "network", "ns", {kNetwork[p], cost.network_s * kNanoseconds});
    }
    add_log(place + "weights", "ns", {kSetUp[p], cost.weight_load_s * kNanoseconds});
  }

  void not_judged() {
    const MappingCost vendor = mapping_cost(ring_, vendor_mapping(ring_.graph));
    const auto left = [&](const std::string& name, const RowFigures& figures,
                          const std::string& why) {
      ValidationRow& row = add_log(name, "ns", figures);
      row.kind = RowKind::not_judged;
      row.note = why;
    };
    const std::string same =
        "6,291,456 B more than its own tensors between partitions; the partition's total and the "
        "log of the earlier form (754,974.72 and 1,698,693.12) agree with ours";
    left("vendor's mapping, memory of partition 2",
         {1761607.68, vendor.partitions[1].memory_s * kNanoseconds}, same);
    left("vendor's mapping, memory of partition 3",
         {817889.28, vendor.partitions[2].memory_s * kNanoseconds}, same);
    const std::string slack =
        "another part is longer, so the log's solver left the compute anywhere below it; ours is "
        "the sum over kernels";
    left("vendor's mapping, compute of partition 2",
         {373475.565, vendor.partitions[1].compute_s * kNanoseconds}, slack);
    const MappingCost published =
        mapping_cost(ring_, cut_after(ring_.graph, {"V", "MHA2", "GeLU"}));
    left("DFModel's published mapping, compute of partition 2",
         {251585.429, published.partitions[1].compute_s * kNanoseconds}, slack);
    left("earlier form's mapping on 4x2, TP4 PP2", {7323254.784, four_torus_},
         "its solver was interrupted with a gap of 7.01 %; ours is the best of four partitions of "
         "the later form, beside it");
  }

  /// What the rates that the paper's text names give for Table VI, vendor.
  std::string text_settings() const {
    System system = sn10(8);
    system.memories.front().bytes_per_s = 200e9;
    system.dimensions.front().link_bytes_per_s = 25e9;
    const MappingProblem problem{ring_.graph, chip_rates(system, 8)};
    const double ratio =
        ns(problem, kernel_by_kernel(problem.graph)) / ns(problem, vendor_mapping(ring_.graph));
    const long long hundredths = std::llround(100 * ratio);
    return fmt::format(
        "100 GB/s of DRAM and 50 GB/s of links, as the set-up files say; the text's 200 and 25 "
        "give {}.{}",
        hundredths / 100, hundredths % 100);
  }

  MappingProblem ring_;
  MappingProblem torus_;
  double kernel_by_kernel_ = 0;
  double vendor_ = 0;
  double four_ring_ = 0;
  double four_torus_ = 0;
  std::vector<ValidationRow> rows_;
};

}  // namespace

std::vector<ValidationRow> dfmodel_mapping_rows() { return MappingRows().run(); }

}  // namespace waferloom::planner
