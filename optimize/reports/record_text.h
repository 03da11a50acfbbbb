#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/describe.h"
#include "model/placement.h"
#include "model/problem.h"
#include "optimize/islands.h"

namespace waferloom::optimize {

// What the records of islands have in common. Whoever puts a record into its folder ends it with
// the key that says that it is whole.

/// Which task left a record. Both counted from 1.
struct RecordTurn {
  std::int64_t epoch = 1;
  std::int64_t island = 1;
};
RecordTurn record_turn(const IslandTurn& turn);

template <typename Record>
std::vector<Row> record_turn_rows(RecordTurn Record::*turn) {
  return inside(turn, {needed("epoch", &RecordTurn::epoch,
                              {.meaning = "the epoch, from 1", .range = kPositiveCount}),
                       needed("island", &RecordTurn::island,
                              {.meaning = "the island, from 1", .range = kPositiveCount})});
}

/// Throws InputError: `source` is no record of islands, for what was found in it.
[[noreturn]] void refuse_record(const std::string& source, const std::string& found);

/// The placement of a record's solution. Throws InputError if it is not legal.
VerifiedPlacement recorded_placement(const std::string& text, const std::string& source,
                                     const Problem& problem);

}  // namespace waferloom::optimize
