#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/report.h"
#include "model/system.h"
#include "model/text_table.h"
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
  std::vector<std::string> streamed{};
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

/// A report of schema waferloom/dfmodel/1.
Json dfmodel_json(const DfmodelJob& job, const DfmodelResult& result);
/// A mapping of schema waferloom/mapping/1, which `model dfmodel --mapping` reads.
Json mapping_json(const DfmodelJob& job, const Partitions& partitions);
/// A row for each partition, with its kernels: for CSV.
TextTable partitions_table(const DfmodelJob& job, const NamedMapping& mapping);

}  // namespace waferloom::planner
