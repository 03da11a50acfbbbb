#include <fmt/format.h>

// The run of a DfmodelJob: which mapping is chosen, and what it is compared with.

#include "model/errors.h"
#include "model/text.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/cycle_model.h"
#include "planner/dfmodel/mapping/mapping_search.h"

namespace waferloom::planner {
namespace {

/// Throws the mapping's first fault, if there is one.
void demand_fit(const DfmodelJob& job, const NamedMapping& mapping) {
  for (std::size_t p = 0; p < mapping.partitions.size(); ++p) {
    const PartitionCost& cost = mapping.cost.partitions[p];
    const std::string place = fmt::format("{}, partition {} takes ", mapping.name, p + 1);
    if (!cost.fits_sram) {
      throw InfeasibleError(place + whole_bytes_text(cost.sram_bytes) + " bytes of SRAM, of " +
                            whole_bytes_text(job.problem.rates.sram_bytes));
    }
    if (!cost.fits_dram) {
      throw InfeasibleError(place + whole_bytes_text(cost.live_dram_bytes) + " bytes of " +
                            job.system.memories.front().name + " for tensors, of " +
                            whole_bytes_text(job.problem.rates.dram_bytes));
    }
    if (job.cycles && static_cast<std::int64_t>(mapping.partitions[p].size()) > job.cycles->cores) {
      throw InfeasibleError(
          fmt::format("{}{} cores, of {}", place, mapping.partitions[p].size(), job.cycles->cores));
    }
  }
}

FoundMapping best_or_none(const DfmodelJob& job, const MappingRequest& request,
                          const MappingSearchOptions& options) {
  FoundMapping found = best_mapping(job.problem, options);
  if (found.partitions.empty()) {
    throw InfeasibleError(request.network + " on " + job.system.name + ": " + found.why_infeasible);
  }
  return found;
}

/// The best mapping for comparison, where all ideals can be gone through.
std::optional<FoundMapping> optimum_beside(const DfmodelJob& job, MappingSearchOptions options) {
  options.method = MappingMethod::ideals;
  try {
    FoundMapping found = best_mapping(job.problem, options);
    if (!found.partitions.empty()) return found;
  } catch (const RequestError&) {  // too many ideals: nothing to compare with
  }
  return std::nullopt;
}

/// Nothing for the best, which is still to be found.
Partitions asked_for(const DfmodelJob& job, const MappingRequest& request) {
  if (request.name == kOptimalMapping) return {};
  if (request.name == kKernelByKernel) return kernel_by_kernel(job.problem.graph);
  if (request.name != kVendorMapping) return request.given;
  Partitions vendor = vendor_mapping(job.problem.graph);
  if (vendor.empty()) {
    throw RequestError("vendor cuts transformer layers, and " + job.network + " is none");
  }
  return vendor;
}

/// The micro-batch that DRAM has room for with these partitions.
void fill_micro_batch(DfmodelJob& job, const Partitions& partitions) {
  if (job.system.memories.empty()) {
    throw RequestError("system " + job.system.name + " has no memory besides its SRAM");
  }
  const MappingCost cost = mapping_cost(job.problem, partitions);
  MicroBatchMemory memory{job.system.memories.front().bytes, job.layers, 0, cost.dram_bytes};
  for (const PartitionCost& part : cost.partitions) memory.cut_bytes -= part.streamed_bytes;
  for (const DataflowKernel& kernel : job.problem.graph.kernels) {
    memory.weight_bytes += kernel.weight_bytes;
  }
  const std::int64_t samples = largest_micro_batch(memory);
  if (samples < 1) {
    throw InfeasibleError(job.system.memories.front().name +
                          ": no sample's tensors have room beside " +
                          whole_bytes_text(memory.weight_bytes * job.layers) + " bytes of weights");
  }
  job.micro_batch = static_cast<double>(samples);
  job.problem.rates.seconds_per_weight_byte =
      1 / (job.problem.rates.dram_bytes_per_s * job.micro_batch);
}

/// What is told beside the chosen mapping: kernel by kernel first, the best last.
void compare(const DfmodelJob& job, DfmodelResult& result) {
  const std::string& name = result.chosen.name;
  const Partitions each = kernel_by_kernel(job.problem.graph);
  result.compared.push_back({std::string(kKernelByKernel), each, job.priced(each)});
  const Partitions vendor = vendor_mapping(job.problem.graph);
  if (!vendor.empty()) {
    result.compared.push_back({std::string(kVendorMapping), vendor, job.priced(vendor)});
  }
  if (name != kKernelByKernel && name != kVendorMapping) result.compared.push_back(result.chosen);
  if (name != kOptimalMapping && result.search) {
    result.compared.push_back(
        {std::string(kOptimalMapping), result.search->partitions, result.search->cost});
  }
}

}  // namespace

DfmodelResult run_dfmodel_job(DfmodelJob& job, const MappingRequest& request) {
  const Partitions given = asked_for(job, request);
  if (request.fills_micro_batch) {
    fill_micro_batch(job, given.empty() ? kernel_by_kernel(job.problem.graph) : given);
    if (request.fills_batch) job.batch = job.micro_batch;
  }
  MappingSearchOptions options = request.search;
  options.cycles = job.cycles;
  DfmodelResult result;
  if (request.name == kOptimalMapping) {
    result.search = best_or_none(job, request, options);
    result.chosen = {request.name, result.search->partitions, result.search->cost};
  } else {
    result.chosen = {request.name, given, job.priced(given)};
    demand_fit(job, result.chosen);
    result.search = optimum_beside(job, options);
  }
  compare(job, result);
  return result;
}

}  // namespace waferloom::planner
