#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/files/report_target.h"
#include "cli/jobs/dfmodel_job.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text_table.h"
#include "viz/roofline.h"

namespace waferloom::cli {

/// model/schemas/dfmodel.schema.json.
Json dfmodel_report(const DfmodelJob& job, const DfmodelResult& result);
/// model/schemas/mapping.schema.json: what --mapping reads.
Json mapping_json(const DfmodelJob& job, const planner::Partitions& partitions);
/// A row for each partition, with its kernels: for CSV.
TextTable partitions_table(const DfmodelJob& job, const NamedMapping& mapping);
std::string dfmodel_summary(const DfmodelJob& job, const DfmodelResult& result);
/// The compared mappings below the chip's roofs; those without FLOP are named beside it instead.
viz::RooflinePlot roofline_plot(const DfmodelJob& job, const DfmodelResult& result);

}  // namespace waferloom::cli
