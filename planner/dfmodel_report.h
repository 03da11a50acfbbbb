#pragma once

#include "model/report.h"
#include "model/text_table.h"
#include "planner/dfmodel_job.h"

namespace waferloom::planner {

/// A report of schema waferloom/dfmodel/1.
Json dfmodel_json(const DfmodelJob& job, const DfmodelResult& result);
/// A mapping of schema waferloom/mapping/1, which `model dfmodel --mapping` reads.
Json mapping_json(const DfmodelJob& job, const Partitions& partitions);
/// Names of the kernels whose weights are streamed, in whole or in part, in the mapping's order.
std::vector<std::string> streamed_names(const DfmodelJob& job, const NamedMapping& mapping);
/// A row for each partition, with its kernels: for CSV.
TextTable partitions_table(const DfmodelJob& job, const NamedMapping& mapping);

}  // namespace waferloom::planner
