#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/islands.h"

namespace waferloom::cluster {

// What the own files of a folder of islands say. Texts are read as they were written; the readers
// throw InputError with source:line:column for anything else.

std::string islands_run_text(const IslandsRun& run);
IslandsRun read_islands_run(std::string_view text, const std::string& source);
/// Keys of run.json that differ, in their order.
std::vector<std::string> keys_of_another_run(const IslandsRun& mine, const IslandsRun& other);

/// The islands of an epoch whose results count, schema waferloom/islands_closed/1.
struct ClosedEpoch {
  std::vector<std::size_t> islands;  ///< at least one, counted from 1
};
std::string closed_epoch_text(const ClosedEpoch& epoch);
ClosedEpoch read_closed_epoch(std::string_view text, const std::string& source);

}  // namespace waferloom::cluster
