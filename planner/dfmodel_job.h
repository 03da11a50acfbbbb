#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system.h"
#include "model/workload.h"
#include "planner/mapping_search.h"
#include "planner/roofs.h"
#include "planner/sharding.h"

namespace waferloom::planner {

/// A layer of a network on one of the chips that share it, and how it is to be mapped.
struct DfmodelJob {
  std::string network;
  System system;
  std::int64_t tensor = 1;
  bool is_transformer = false;
  double layers = 1;
  double micro_batch = 1;   ///< samples
  double pass_samples = 1;  ///< of them, in a pass: all, or one where cycles are counted
  double batch = 1;
  double flop = 0;                   ///< of a layer's pass, on all chips together, each kernel once
  std::vector<Sharding> sharding{};  ///< of each kernel; empty where nothing was sharded
  double shared_bytes = 0;           ///< that a pass of a layer communicates
  MappingProblem problem{DataflowGraph{}, ChipRates{}};
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

/// What a job is made of.
struct DfmodelRequest {
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
DfmodelJob make_dfmodel_job(DfmodelRequest request);

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

}  // namespace waferloom::planner
