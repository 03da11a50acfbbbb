#include "placer/gigaplacer/rows/row_slack.h"

#include <doctest/doctest.h>

#include "placer/gigaplacer/rows/dp_judgement.h"
#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

namespace {

std::int64_t wire(const RowTable& table, const RowPlan& plan) {
  std::int64_t sum = 0;
  for (const PlannedRow& row : plan) sum += row_wire(table, row);
  return sum;
}

/// Least wire over all ways to make rows r … higher within `free` tiles.
std::int64_t least_by_trial(const RowTable& table, RowPlan plan, std::size_t r, std::int64_t free) {
  if (r == plan.size()) return wire(table, plan);
  std::int64_t least = least_by_trial(table, plan, r + 1, free);
  for (std::int64_t more = 1; more <= free; ++more) {
    ++plan[r].height;
    least = std::min(least, least_by_trial(table, plan, r + 1, free - more));
  }
  return least;
}

}  // namespace

TEST_CASE("row slack: a row grows to where its kernels get narrower, and no further") {
  RowCase row(problem_data({dense(4, 4), dense(4, 4)}, chain(2), Wafer{12, 9}));
  const RowPlan low{{RowSpan{0, 2}, 3}};
  // 3 high they are 5 wide and 5 tiles apart, 5 high 3 wide and 3 apart.
  CHECK(row_wire(row.table(4), low[0]) == 10);
  CHECK(spread_slack(row.table(4), low) == RowPlan{{RowSpan{0, 2}, 5}});
}

TEST_CASE("row slack: the best of all distributions") {
  Draw draw(50);
  int grown = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(2, 6));
    RowCase row(random_case(draw, count, Wafer{draw.between(12, 30), draw.between(12, 30)}));
    const RowTable table = row.table(draw.between(10, 150) * row.problem.time_denominator());
    const auto rows = static_cast<std::size_t>(draw.between(1, 3));
    const RowPlan plan = least_height_rows(table, row.costs, rows);
    if (plan.empty() || total_height(plan) > table.room().height) continue;
    const RowPlan spread = spread_slack(table, plan);
    CHECK(total_height(spread) <= table.room().height);
    for (std::size_t r = 0; r < plan.size(); ++r) {
      CHECK(spread[r].span == plan[r].span);
      CHECK(spread[r].height >= plan[r].height);
    }
    const std::int64_t free = table.room().height - total_height(plan);
    CHECK(wire(table, spread) == least_by_trial(table, plan, 0, free));
    if (spread != plan) ++grown;
  }
  CHECK(grown > 5);
}
