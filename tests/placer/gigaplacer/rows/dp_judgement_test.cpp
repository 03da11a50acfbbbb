#include "placer/gigaplacer/rows/dp_judgement.h"

#include <doctest/doctest.h>

#include <optional>

#include "placer/gigaplacer/rows/row_height.h"
#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

namespace {

struct Best {
  std::int64_t height = 0;
  Int128 cost = 0;
};

/// Least height, then least cost, over all partitions into `rows` rows (0: any number).
std::optional<Best> best_by_trial(const RowTable& table, const CostModel& costs, std::size_t rows) {
  std::optional<Best> best;
  for_each_partition(table.order().size(), [&](const std::vector<RowSpan>& spans) {
    if (rows != 0 && spans.size() != rows) return;
    Best here;
    for (const RowSpan& span : spans) {
      const std::int64_t height = least_row_height(table, span);
      if (height == 0) return;
      here.height += height;
      here.cost += row_cost(table, costs, PlannedRow{span, height});
    }
    const bool better = !best || here.height < best->height ||
                        (here.height == best->height && here.cost < best->cost);
    if (better) best = here;
  });
  return best;
}

void check_plan(const RowPlan& plan, const RowTable& table, const CostModel& costs,
                const std::optional<Best>& expected) {
  REQUIRE(plan.empty() == !expected.has_value());
  if (plan.empty()) return;
  CHECK(total_height(plan) == expected->height);
  Int128 cost = 0;
  std::size_t next = 0;
  for (const PlannedRow& row : plan) {
    CHECK(row.span.first == next);
    CHECK(row.height == least_row_height(table, row.span));
    cost += row_cost(table, costs, row);
    next = row.span.last;
  }
  CHECK(next == table.order().size());
  CHECK((cost == expected->cost));
}

}  // namespace

TEST_CASE("DP judgement: two rows where one would be too wide") {
  // Each 4 × 4 layer in time 4 is 5 high and 3 wide or 3 high and 6 wide.
  RowCase row(
      problem_data({dense(4, 4), dense(4, 4), dense(4, 4), dense(4, 4)}, chain(4), Wafer{6, 10}));
  const RowTable table = row.table(4);
  const RowPlan expected{{RowSpan{0, 2}, 5}, {RowSpan{2, 4}, 5}};
  CHECK(least_height_rows(table, row.costs) == expected);
  CHECK(least_height_rows(table, row.costs, 2) == expected);
  CHECK(least_height_rows(table, row.costs, 1).empty());
  CHECK(least_height_rows(table, row.costs, 5).empty());
  CHECK(least_total_height(table, 0) == 10);
  CHECK(least_total_height(table, 4) == 12);
  CHECK_FALSE(least_total_height(table, 1).has_value());
}

TEST_CASE("DP judgement: best over all partitions of random graphs, ties by cost") {
  Draw draw(30);
  int planned = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(1, 6));
    const Wafer wafer{draw.between(9, 40), draw.between(9, 40)};
    RowCase row(random_case(draw, count, wafer));
    const RowTable table = row.table(draw.between(2, 120) * row.problem.time_denominator());
    for (std::size_t rows = 0; rows <= count; ++rows) {
      CAPTURE(rows);
      const auto expected = best_by_trial(table, row.costs, rows);
      const RowPlan plan = rows == 0 ? least_height_rows(table, row.costs)
                                     : least_height_rows(table, row.costs, rows);
      check_plan(plan, table, row.costs, expected);
      const auto height = least_total_height(table, rows);
      CHECK(height.has_value() == expected.has_value());
      if (height) CHECK(*height == expected->height);
      if (!plan.empty()) ++planned;
    }
  }
  CHECK(planned > 60);
}
