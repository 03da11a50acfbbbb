#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "planner/mapping_search.h"
#include "planner/roofs.h"
#include "planner/sharding.h"

namespace waferloom::cli {

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
  double flop = 0;  ///< of a layer's pass, on all chips together, each kernel once
  std::vector<planner::Sharding> sharding{};  ///< of each kernel; empty where nothing was sharded
  double shared_bytes = 0;                    ///< that a pass of a layer communicates
  std::vector<std::string> streamed{};
  planner::MappingProblem problem{DataflowGraph{}, planner::ChipRates{}};
  std::optional<planner::CycleChip> cycles{};
  planner::Roofs roofs{};
  double passes() const { return layers * batch / pass_samples; }
  /// Of the peak of all chips that share the layer.
  double utilisation(double pass_s) const;
  planner::MappingCost priced(const planner::Partitions& partitions) const;
};

/// A mapping and what it costs.
struct NamedMapping {
  std::string name;  ///< "kernel-by-kernel", "vendor", "optimal", or a file's
  planner::Partitions partitions;
  planner::MappingCost cost;
};

struct DfmodelResult {
  NamedMapping chosen;
  /// Of the search; nothing where none was made (another mapping, and too many ideals).
  std::optional<planner::FoundMapping> search{};
  std::vector<NamedMapping> compared;  ///< kernel by kernel first, the chosen one among them
};

/// Reads WORKLOAD|NETWORK, --system, …; throws Failure and InputError.
DfmodelJob dfmodel_job(const Arguments& arguments);
/// The files that they are read from.
std::vector<std::string> dfmodel_files(const Arguments& arguments);
/// Maps as --mapping, --partitions and --method say. Failure::infeasible, with the memory and its
/// bytes, where that does not fit.
DfmodelResult run_dfmodel(const Arguments& arguments, DfmodelJob& job);

}  // namespace waferloom::cli
