#include "placer/gigaplacer/rows/short_wire_rows.h"

#include <doctest/doctest.h>

#include "placer/gigaplacer/rows/dp_judgement.h"
#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("short-wire rows: one row where the wafer is high enough, though two would be flatter") {
  // In time 4 a row of one is 3 high (5 wide), a row of both 12 high (2 wide each): 6 or 12 tiles
  // of height, but the centres 3 or 2 tiles apart.
  RowCase row(problem_data({dense(4, 4), dense(4, 4)}, chain(2), Wafer{5, 40}));
  CHECK(least_height_rows(row.table(4), row.costs).size() == 2);
  const auto plans = short_wire_rows(row.table(4), 0);
  REQUIRE_FALSE(plans.empty());
  CHECK(plans.front() == RowPlan{{RowSpan{0, 2}, 12}});
  const auto two = short_wire_rows(row.table(4), 2);
  REQUIRE_FALSE(two.empty());
  CHECK(two.front() == RowPlan{{RowSpan{0, 1}, 3}, {RowSpan{1, 2}, 3}});
  CHECK(short_wire_rows(row.table(4), 3).empty());
  CHECK(short_wire_rows(row.table(3), 1).empty());
}

TEST_CASE("short-wire rows: different plans that fit and cover the order") {
  Draw draw(60);
  int found = 0;
  for (int round = 0; round < 80; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(1, 8));
    RowCase row(random_case(draw, count, Wafer{draw.between(9, 40), draw.between(9, 60)}));
    const RowTable table = row.table(draw.between(2, 120) * row.problem.time_denominator());
    for (std::size_t rows = 0; rows <= 3; ++rows) {
      const auto plans = short_wire_rows(table, rows);
      CHECK(plans.size() <= kMostShortWirePlans);
      for (const RowPlan& plan : plans) {
        ++found;
        CHECK(total_height(plan) <= table.room().height);
        if (rows > 0) CHECK(plan.size() == rows);
        std::size_t next = 0;
        for (const PlannedRow& each : plan) {
          CHECK(each.span.first == next);
          CHECK(table.fits(each.span, each.height));
          next = each.span.last;
        }
        CHECK(next == count);
      }
    }
  }
  CHECK(found > 100);
}
