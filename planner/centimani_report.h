#pragma once

#include <array>
#include <string_view>

#include "model/report.h"
#include "model/text_table.h"
#include "planner/centimani.h"

namespace waferloom::planner {

/// A report of schema waferloom/centimani/1, of a result with a best batch.
Json centimani_json(const Workload& workload, const System& system, const CentimaniOptions& options,
                    const CentimaniResult& found);
/// A row a batch.
TextTable batches_table(const System& system, const CentimaniResult& found);

}  // namespace waferloom::planner
