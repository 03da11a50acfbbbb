#pragma once

#include <cstddef>
#include <optional>

#include "model/report.h"
#include "model/text_table.h"
#include "planner/centimani.h"

namespace waferloom::planner {

/// The batch of most samples per second of those that fit every memory, as an index into
/// `found.times`; of equals (to 1e-9) the last, as
/// of equals the rule takes the larger batch. None where none fits. The rule that chooses `best`
/// looks at memory alone, so that the two may differ.
std::optional<std::size_t> fastest_batch(const CentimaniResult& found);

/// A report of schema waferloom/centimani/1, of a result with a best batch.
Json centimani_json(const Workload& workload, const System& system, const CentimaniOptions& options,
                    const CentimaniResult& found);
/// A row a batch. The verdict is `chosen` of the batch that the rule chooses, `fastest` of the one
/// of most samples per second, `chosen, fastest` if they are one.
TextTable batches_table(const System& system, const CentimaniResult& found);

}  // namespace waferloom::planner
