#include "placer/gigaplacer/rows/row_judgement.h"

#include <utility>

#include "placer/gigaplacer/rows/dp_judgement.h"
#include "placer/gigaplacer/rows/strips_plus_one_row.h"

namespace waferloom::placer {
namespace {

Strips strips_of(const GigaPlacerParts& parts) {
  return parts.strips_above ? Strips::both_sides : Strips::below;
}

}  // namespace

std::vector<RowJudgement> row_judgements(const GigaPlacerParts& parts) {
  std::vector<RowJudgement> all{{RowJudgement::Kind::any_rows, 0}};
  if (parts.strips_plus_row) all.push_back({RowJudgement::Kind::strips_and_one_row, 0});
  for (std::size_t rows = 1; parts.row_limit && rows <= kMostLimitedRows; ++rows) {
    all.push_back({RowJudgement::Kind::limited_rows, rows});
  }
  return all;
}

bool is_achievable(const RowJudgement& judgement, const RowTable& table,
                   const GigaPlacerParts& parts) {
  const auto height = judgement.kind == RowJudgement::Kind::strips_and_one_row
                          ? least_strips_height(table, strips_of(parts))
                          : least_total_height(table, judgement.rows);
  return height && *height <= table.room().height;
}

RowPlan row_plan(const RowJudgement& judgement, const RowTable& table, const CostModel& costs,
                 const GigaPlacerParts& parts) {
  RowPlan plan;
  switch (judgement.kind) {
    case RowJudgement::Kind::any_rows:
      plan = least_height_rows(table, costs);
      break;
    case RowJudgement::Kind::limited_rows:
      plan = least_height_rows(table, costs, judgement.rows);
      break;
    case RowJudgement::Kind::strips_and_one_row:
      plan = strips_plus_one_row(table, strips_of(parts));
      break;
  }
  if (total_height(plan) > table.room().height) return {};
  return plan;
}

}  // namespace waferloom::placer
