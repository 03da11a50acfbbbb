#pragma once

#include <string>

#include "planner/dfmodel.h"
#include "viz/roofline.h"

namespace waferloom::cli {

std::string dfmodel_summary(const planner::DfmodelJob& job, const planner::DfmodelResult& result);
/// The compared mappings below the chip's roofs; those without FLOP are named beside it instead.
viz::RooflinePlot roofline_plot(const planner::DfmodelJob& job,
                                const planner::DfmodelResult& result);

}  // namespace waferloom::cli
