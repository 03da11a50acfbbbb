#pragma once

#include "planner/dfmodel.h"

namespace waferloom::planner {

/// The mapping of least total time that fits SRAM and DRAM. The search tries only one order of
/// interchangeable kernels (twin_kernels.h). The same cost function prices every answer; an answer
/// of CBC that does not fit by it is dropped. Deterministic unless a time limit cuts CBC.
/// Throws RequestError in these cases: there are no kernels or more than kMostMappedKernels; the
/// number of partitions is 0 or more than the kernels; `ideals` is asked and there are more than
/// allowed; `cbc` is asked with cycles, or with more than kMostMappingVariables variables.
FoundMapping best_mapping(const MappingProblem& problem, const MappingSearchOptions& options = {});

/// A lower bound on the total of any mapping: max(all compute, all network, all bytes that kernels
/// themselves read and write in DRAM) + all loads of weights, of which as many are streamed as
/// pays.
double least_total_s(const MappingProblem& problem);

}  // namespace waferloom::planner
