#pragma once

#include <optional>

#include "model/placement.h"
#include "placer/gigaplacer/rows/dp_judgement.h"
#include "placer/gigaplacer/rows/row_layout.h"
#include "placer/gigaplacer/rows/row_slack.h"
#include "tests/placer/gigaplacer/rows/row_cases.h"

namespace waferloom::test {

/// Rows of a random graph, laid with some height and width to spare; nothing if they do not fit.
inline std::optional<placer::RowLayout> random_layout(Draw& draw, RowCase& row) {
  const placer::RowTable table = row.table(draw.between(20, 300) * row.problem.time_denominator());
  const placer::RowPlan plan =
      least_height_rows(table, row.costs, static_cast<std::size_t>(draw.between(1, 3)));
  if (plan.empty() || placer::total_height(plan) > table.room().height) return std::nullopt;
  return placer::lay_rows(table,
                          draw.between(0, 1) == 0 ? plan : placer::spread_slack(table, plan));
}

inline bool is_legal(const Problem& problem, const Placement& placement) {
  return verify(problem, to_solution(problem, placement)).empty();
}

/// All kernels in one row of this height, side by side from x = 0 in the given order.
inline placer::RowLayout one_row(RowCase& row, std::int64_t time, std::int64_t height,
                                 const std::vector<KernelIndex>& kernels) {
  const placer::RowTable table = row.table(time);
  placer::RowLayout layout = lay_rows(table, {{placer::RowSpan{0, row.order.size()}, height}});
  layout.rows[0].kernels = kernels;
  std::int64_t x = 0;
  for (const KernelIndex kernel : kernels) {
    layout.kernels[kernel].tiles.x = x;
    x += layout.kernels[kernel].tiles.width;
  }
  return layout;
}

}  // namespace waferloom::test
