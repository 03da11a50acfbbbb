#pragma once

#include <optional>
#include <string>

#include "model/hardware.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom::cli {

/// A pipelined plan's report in at most 80 columns: rate, tiles, memory, and its stages, alike ones
/// that follow one another in one line.
std::string pipeline_summary(const Json& report, const Workload& workload, const Hardware& hardware,
                             const std::optional<Bottleneck>& bottleneck, const std::string& path);

}  // namespace waferloom::cli
