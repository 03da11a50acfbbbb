#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"

namespace waferloom::planner {

// DFModel (docs/dfmodel.md): a layer as a graph of kernels, how the chips of a tensor group share
// them, how those of a chip are cut into partitions, and what that costs.

/// Along which extent chips cut a kernel that they share (dfmodel/systems/sharding.h).
enum class Sharding : std::uint8_t { none, outer, m, k, n };
inline constexpr std::array<std::string_view, 5> kShardingNames{"none", "outer", "M", "K", "N"};
constexpr std::span<const std::string_view> words_of(Sharding /*of*/) { return kShardingNames; }
std::string_view sharding_name(Sharding sharding);

/// What a chip does in a second, and what it holds: all that a partition's cost depends on.
struct ChipRates {
  double flop_per_s = 1;          ///< of matrix products, after utilisation
  double element_flop_per_s = 1;  ///< of other kernels, after utilisation
  double dram_bytes_per_s = 1;
  double sram_bytes = std::numeric_limits<double>::infinity();
  /// What the tensors between partitions may take in DRAM at once.
  double dram_bytes = std::numeric_limits<double>::infinity();
  double seconds_per_reduced_byte = 0;  ///< of an all-reduce among the chips of a kernel
  double seconds_per_reduction = 0;     ///< latency of one all-reduce
  /// Of a partition's weights, which come before it works and are not hidden: 1 / (DRAM rate ·
  /// samples that share them). 0: hidden, or there from before (DFModel's final form).
  double seconds_per_weight_byte = 0;
  /// Weights may come from DRAM while a partition works, instead of before (loaded_weight_bytes).
  bool streams_weights = false;
  bool operator==(const ChipRates&) const = default;
};

/// The graph of a chip's kernels and the rates of the chip. Partitions are priced with them.
struct MappingProblem {
  MappingProblem(DataflowGraph graph_of_chip, const ChipRates& chip_rates);
  DataflowGraph graph;
  ChipRates rates;
  std::vector<std::size_t> level;              ///< of each kernel (DFModel's levels)
  std::vector<std::vector<std::size_t>> into;  ///< tensors that each kernel takes
  std::vector<std::vector<std::size_t>> from;  ///< tensors that each kernel makes
  std::size_t kernels() const { return graph.kernels.size(); }
  double compute_s(std::size_t kernel) const;
  double network_s(std::size_t kernel) const;
  /// Pieces that an on-chip buffer holds between two kernels of the same partition.
  double buffered_pieces(const DataflowTensor& tensor) const {
    return static_cast<double>(level[tensor.to] - level[tensor.from] + 1);
  }
};

enum class PartitionBound : std::uint8_t { compute, memory, network };
inline constexpr std::array<std::string_view, 3> kPartitionBoundNames{"compute", "memory",
                                                                      "network"};
constexpr std::span<const std::string_view> words_of(PartitionBound /*of*/) {
  return kPartitionBoundNames;
}
const char* partition_bound_name(PartitionBound bound);

struct PartitionCost {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double weight_load_s = 0;   ///< before all else; nothing overlaps with it
  double streamed_bytes = 0;  ///< weights that come from DRAM while it works; in dram_bytes too
  double sram_bytes = 0;      ///< buffers, and weights that are not streamed
  bool fits_sram = true;
  double live_dram_bytes = 0;  ///< live tensors between partitions; only whole mappings have it
  bool fits_dram = true;
  // What the times stand for.
  double flop = 0;
  double dram_bytes = 0;
  double reduced_bytes = 0;
  double total_s() const;
  PartitionBound bound() const;  ///< the longest time; among equals the first of the enumeration
};

/// Lists of kernels, in the order in which they run.
using Partitions = std::vector<std::vector<std::size_t>>;

struct MappingCost {
  std::vector<PartitionCost> partitions;
  double total_s = 0;
  bool fits = true;  ///< every partition, in SRAM and DRAM
  double flop = 0;
  double dram_bytes = 0;
  double reduced_bytes = 0;
};

/// Each kernel on its own, in the graph's order.
Partitions kernel_by_kernel(const DataflowGraph& graph);

/// SambaNova's four partitions of a transformer layer (DFModel, section VII-B): up to V, up to LN2,
/// FFN0 (and its gate), the rest. Empty for graphs without these kernels in this order.
Partitions vendor_mapping(const DataflowGraph& graph);

/// A chip of systolic arrays, whose cycles are counted (dfmodel/mapping/cycle_model.h).
struct CycleChip {
  std::int64_t cores = 0;
  std::int64_t width = 0;   ///< outputs (m) that a core works on at once
  std::int64_t height = 0;  ///< tokens (n)
  double clock_hz = 0;
  /// Tokens that go through a partition at once; the published figures need 32.
  std::int64_t tile = 32;
};

/// How the best mapping is looked for.
enum class MappingMethod : std::uint8_t {
  automatic,  ///< ideals if there are not too many, else CBC from the best cut
  ideals,     ///< dynamic program over order ideals: exact
  cbc,        ///< mixed-integer program
  cuts,       ///< best cut of a few orders of the kernels: no proof
};
inline constexpr std::array<std::string_view, 4> kMappingMethodNames{"automatic", "ideals", "cbc",
                                                                     "cuts"};
constexpr std::span<const std::string_view> words_of(MappingMethod /*of*/) {
  return kMappingMethodNames;
}

struct MappingSearchOptions {
  std::optional<std::size_t> partitions{};  ///< exactly this number; nothing: any number
  MappingMethod method = MappingMethod::automatic;
  std::size_t most_ideals = 60'000;
  double time_limit_s = 60;             ///< of the whole search; CBC gets the rest of it
  std::int64_t most_nodes = 1'000'000;  ///< of CBC alone
  /// Compute by cycles instead of FLOP / rate; not with CBC.
  std::optional<CycleChip> cycles{};
  RunControl control{};  ///< ends the search early, with what it has
};

struct FoundMapping {
  Partitions partitions;    ///< empty: there is none; then `why_infeasible` says why
  MappingCost cost;         ///< by mapping_cost or cycle_mapping_cost, for every method
  double bound_s = 0;       ///< no mapping takes less
  bool is_optimal = false;  ///< proved: by all ideals, or by CBC within its tolerances
  MappingMethod method = MappingMethod::cuts;  ///< the method that found `partitions`
  std::size_t ideals = 0;                      ///< 0: not enumerated, or more than allowed
  std::uint64_t transitions = 0;
  std::int64_t nodes = 0;  ///< of CBC
  std::string why_infeasible;
  /// (total - bound) / total; 0 if optimal.
  double gap() const;
};

inline constexpr std::size_t kMostMappedKernels = 4096;

/// The three roofs of a chip (hierarchical roofline, DFModel section VII, Fig. 18).
struct Roofs {
  double flop_per_s = 0;           ///< after utilisation
  double dram_bytes_per_s = 0;     ///< infinite without DRAM
  double network_bytes_per_s = 0;  ///< of a link; infinite for one chip
};

/// A mapping below the roofs: what it reaches, and FLOP for each byte from and to DRAM and for each
/// byte over a link (infinite where there are none).
struct RoofPoint {
  double flop_per_s = 0;
  double memory_intensity = 0;
  double network_intensity = 0;
  /// min(roof, rate · intensity): no mapping reaches more, one partition reaches it.
  double attainable(const Roofs& roofs) const;
  PartitionBound bound(const Roofs& roofs) const;  ///< the roof that is lowest
};

/// Roofs of one of `tensor` chips. The link is that of the innermost dimension.
Roofs roofs_of(const System& system, std::int64_t tensor, double samples = 1);

/// Bytes over a link are those which take as long as the all-reduces do without latency.
RoofPoint roof_point(const MappingProblem& problem, const MappingCost& cost, const Roofs& roofs);

/// A layer of a network on one of the chips that share it, and how it is to be mapped.
struct DfmodelJob {
  MappingProblem problem{DataflowGraph{}, ChipRates{}};
  std::string network{};
  System system{};
  std::int64_t tensor = 1;
  bool is_transformer = false;
  double layers = 1;
  double micro_batch = 1;   ///< samples
  double pass_samples = 1;  ///< of them, in a pass: all, or one where cycles are counted
  double batch = 1;
  double flop = 0;                   ///< of a layer's pass, on all chips together, each kernel once
  std::vector<Sharding> sharding{};  ///< of each kernel; empty where nothing was sharded
  double shared_bytes = 0;           ///< that a pass of a layer communicates
  std::optional<CycleChip> cycles{};
  Roofs roofs{};
  double passes() const { return layers * batch / pass_samples; }
  /// Of the peak of all chips that share the layer.
  double utilisation(double pass_s) const;
  MappingCost priced(const Partitions& partitions) const;
};

/// A mapping and what it costs.
struct NamedMapping {
  std::string name;  ///< "kernel-by-kernel", "vendor", "optimal", or a file's
  Partitions partitions;
  MappingCost cost;
};

/// What the search and the comparison found.
struct DfmodelResult {
  NamedMapping chosen;
  /// Of the search; nothing where none was made (another mapping, and too many ideals).
  std::optional<FoundMapping> search{};
  std::vector<NamedMapping> compared;  ///< kernel by kernel first, the chosen one among them
};

/// A transformer layer of a workload as a graph of that name, for so many samples at once and as
/// often as the workload has layers. Throws RequestError, "expected transformer layers
/// …", where there are none or several kinds.
DataflowGraph repeated_layer(const Workload& workload, std::int64_t samples);
/// Whether a network has transformer layers.
bool has_layers(const Workload& workload);

/// What a job is made of.
struct LayerRequest {
  DataflowGraph
      graph{};  ///< of a layer, on all chips; with a micro-batch's samples, or one by cycles
  bool is_transformer = false;
  System system{};
  std::int64_t tensor = 1;   ///< chips that share a layer
  double micro_batch = 1;    ///< samples
  double batch = 1;          ///< samples of the whole batch
  bool by_cycles = false;    ///< of systolic arrays, in place of FLOP
  bool is_sharded = false;   ///< the graph is of one of the chips already
  bool streams = false;      ///< weights may come from DRAM while a partition works
  bool limits_dram = false;  ///< weights and tensors between partitions must fit the first memory
};

/// Shards the graph with the least communication and prices its chip. Throws RequestError
/// for what the chip or the sharding cannot do, and to limit DRAM or stream of a system without
/// one; InfeasibleError where the weights alone are more than it has.
DfmodelJob make_dfmodel_job(LayerRequest request);

// Names of mappings that are not given: MappingRequest::name.
inline constexpr std::string_view kKernelByKernel = "kernel-by-kernel";
inline constexpr std::string_view kVendorMapping = "vendor";
inline constexpr std::string_view kOptimalMapping = "optimal";

/// How a job is to be mapped.
struct MappingRequest {
  std::string name{kOptimalMapping};  ///< one of the above, or any of `given`
  Partitions given{};
  std::string network{};           ///< as messages name it: a preset, a file
  bool fills_micro_batch = false;  ///< with what DRAM has room for; of a job by cycles
  bool fills_batch = false;        ///< the batch is that micro-batch
  MappingSearchOptions search{};   ///< its cycles are the job's
};

/// Maps a job, and compares with kernel by kernel, the vendor's mapping of transformer layers, and
/// the best one where all order ideals can be gone through. Fills the job's micro-batch first, if
/// that is asked for. Throws InfeasibleError, with the memory and its bytes, where the mapping or a
/// single sample has no room; RequestError for the vendor's mapping of another network, to
/// fill the memory of a system without one, and as best_mapping does.
DfmodelResult run_dfmodel_job(DfmodelJob& job, const MappingRequest& request);

inline constexpr std::uint64_t kMostDfmodelBatch = 1'000'000'000'000;

/// What the model is asked for, besides the network.
struct DfmodelChoice {
  MachineChoice machine{"sn10_8x1"};
  std::optional<std::int64_t> tensor{};  ///< nothing: as the system and the network have it
  std::optional<std::string> batch{};    ///< a number; nothing: the micro-batch
  LayerRequest layer{};                  ///< its flags and its micro-batch
  MappingRequest mapping{};              ///< its name or file, partitions and method
};
Options<DfmodelChoice> dfmodel_options();

/// A report of schema waferloom/dfmodel/1.
Report dfmodel_report(const DfmodelJob& job, const DfmodelResult& result);
std::string dfmodel_schema();
/// A mapping of schema waferloom/mapping/1, which `model dfmodel --mapping` reads.
std::string mapping_text(const DfmodelJob& job, const Partitions& partitions);
/// Names of the kernels whose weights are streamed, in whole or in part, in the mapping's order.
std::vector<std::string> streamed_names(const DfmodelJob& job, const NamedMapping& mapping);
/// A row for each partition, with its kernels: for CSV.
TextTable partitions_table(const DfmodelJob& job, const NamedMapping& mapping);

}  // namespace waferloom::planner
