#include "placer/gigaplacer/rows/strips_plus_one_row.h"

#include <doctest/doctest.h>

#include "placer/gigaplacer/rows/row_height.h"
#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

namespace {

/// Least height over all numbers of strips below, and above where they may be; 0 if there is none.
std::int64_t least_by_trial(const RowTable& table, Strips strips) {
  std::int64_t least = 0;
  const std::size_t count = table.order().size();
  for (std::size_t below = 0; below < count; ++below) {
    for (std::size_t above = 0; below + above < count; ++above) {
      if (strips == Strips::below && above > 0) break;
      std::int64_t height = least_row_height(table, RowSpan{below, count - above});
      bool possible = height > 0;
      for (std::size_t p = 0; p < count; ++p) {
        if (p >= below && p < count - above) continue;
        const std::int64_t strip = least_row_height(table, RowSpan{p, p + 1});
        possible = possible && strip > 0;
        height += strip;
      }
      if (possible && (least == 0 || height < least)) least = height;
    }
  }
  return least;
}

}  // namespace

TEST_CASE("strips plus one row: a strip of the kernel that would make the row too wide") {
  // In time 4, dense(4, 4) is 5 × 3 (high × wide); 12 wide it is 2 high.
  RowCase row(problem_data({dense(4, 4), dense(4, 4), dense(4, 4)}, chain(3), Wafer{12, 7}));
  const RowTable table = row.table(4);
  CHECK(least_strips_height(table, Strips::both_sides) ==
        5);  // 3·3 ≤ 12: one row of all needs no strip
  RowCase narrow(problem_data(std::vector<KernelFormal>(5, dense(4, 4)), chain(5), Wafer{12, 7}));
  const RowTable tight = narrow.table(4);
  CHECK(least_strips_height(tight, Strips::both_sides) == 7);
  const RowPlan plan = strips_plus_one_row(tight, Strips::both_sides);
  REQUIRE(plan.size() == 2);
  CHECK(plan[0] == PlannedRow{RowSpan{0, 4}, 5});  // the strip lies above: both are as short
  CHECK(plan[1] == PlannedRow{RowSpan{4, 5}, 2});
  const RowPlan published = strips_plus_one_row(tight, Strips::below);
  REQUIRE(published.size() == 2);
  CHECK(published[0] == PlannedRow{RowSpan{0, 1}, 2});
  CHECK(published[1] == PlannedRow{RowSpan{1, 5}, 5});
}

TEST_CASE("strips plus one row: least height of all splits; the plan fits and covers the order") {
  Draw draw(40);
  int found = 0;
  for (int round = 0; round < 80; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(1, 6));
    const Wafer wafer{draw.between(9, 40), draw.between(9, 60)};
    RowCase row(random_case(draw, count, wafer));
    const RowTable table = row.table(draw.between(2, 120) * row.problem.time_denominator());
    const Strips strips = round % 2 == 0 ? Strips::below : Strips::both_sides;
    const std::int64_t expected = least_by_trial(table, strips);
    const auto least = least_strips_height(table, strips);
    const bool fits = expected != 0 && expected <= wafer.height;
    CHECK((least && *least <= wafer.height) == fits);
    if (fits) CHECK(*least == expected);
    const RowPlan plan = strips_plus_one_row(table, strips);
    REQUIRE(plan.empty() == !fits);
    if (!fits) continue;
    ++found;
    CHECK(total_height(plan) <= wafer.height);
    std::size_t next = 0;
    std::size_t rows_of_many = 0;
    for (const PlannedRow& each : plan) {
      CHECK(each.span.first == next);
      CHECK(table.fits(each.span, each.height));
      next = each.span.last;
      if (each.span.size() > 1) ++rows_of_many;
    }
    CHECK(next == count);
    CHECK(rows_of_many <= 1);
    if (strips == Strips::below && rows_of_many == 1) CHECK(plan.back().span.size() > 1);
  }
  CHECK(found > 20);
}
