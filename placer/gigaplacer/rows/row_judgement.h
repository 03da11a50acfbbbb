#pragma once

#include <cstddef>
#include <vector>

#include "model/placement.h"
#include "placer/gigaplacer/gigaplacer.h"
#include "placer/gigaplacer/rows/row_table.h"

namespace waferloom::placer {

/// One way to choose rows, which the binary search on time can ask whether a time is achievable.
struct RowJudgement {
  enum class Kind {
    any_rows,            ///< Algorithm 1
    limited_rows,        ///< Algorithm 2 with `rows` rows
    strips_and_one_row,  ///< Fig. 5d
  };
  Kind kind = Kind::any_rows;
  std::size_t rows = 0;  ///< of limited_rows
};

/// Most rows that Algorithm 2 is tried with; the paper saw at most two win.
inline constexpr std::size_t kMostLimitedRows = 6;

/// The judgements of these parts: Algorithm 1, strips, then Algorithm 2 with ascending rows.
std::vector<RowJudgement> row_judgements(const GigaPlacerParts& parts);

/// Whether rows of this kind hold all kernels under the table's time cap. Monotone in time.
bool is_achievable(const RowJudgement& judgement, const RowTable& table,
                   const GigaPlacerParts& parts);

/// The plan of this kind, if it fits the room under the table's time cap; else an empty one.
RowPlan row_plan(const RowJudgement& judgement, const RowTable& table, const CostModel& costs,
                 const GigaPlacerParts& parts);

}  // namespace waferloom::placer
