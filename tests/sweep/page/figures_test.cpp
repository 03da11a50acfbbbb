#include <doctest/doctest.h>

#include "sweep/page.h"

using namespace waferloom::sweep;

namespace {

/// Two axes, two figures; the third point failed.
CollectedTable table() {
  return {{"id", "a", "b", "status", "reason", "x", "y"},
          {{"i0", "1", "p", "done", "", "5", "1"},
           {"i1", "1", "q", "done", "", "2", "4"},
           {"i2", "2", "p", "failed", "exit code 2", "", ""},
           {"i3", "10", "q", "done", "", "3", "3"},
           {"i4", "10", "q", "done", "", "3", "5"},
           {"i5", "10", "p", "infeasible", "", "", ""}},
          2};
}

using Rows = std::vector<std::size_t>;

}  // namespace

TEST_CASE("the best rows are those with the least or the most") {
  CHECK(best_rows(table(), {"x", false}, 2) == Rows{1, 3});
  CHECK(best_rows(table(), {"x", true}, 9) == Rows{0, 3, 4, 1});
  CHECK(best_rows(table(), {"b", false}, 9).empty());
}

TEST_CASE("a front has what nothing beats in both, from left to right") {
  CHECK(pareto_rows(table(), {"x", false}, {"y", false}) == Rows{1, 3, 0});
  CHECK(pareto_rows(table(), {"x", true}, {"y", true}) == Rows{4, 0});
  CHECK(pareto_rows(table(), {"x", true}, {"y", false}) == Rows{0});
  CHECK(pareto_rows(table(), {"x", false}, {"y", true}) == Rows{1, 4});
}

TEST_CASE("a map has the best of each pair, values by size") {
  const AxisMap map = axis_map(table(), {"y", true}, {1, 2});
  CHECK(map.rows == std::vector<std::string>{"1", "2", "10"});
  CHECK(map.columns == std::vector<std::string>{"p", "q"});
  const std::vector<std::optional<double>> expected{1, 4, std::nullopt, std::nullopt, std::nullopt,
                                                    5};
  CHECK(map.cells == expected);
  CHECK(axis_map(table(), {"y", false}, {1, 2}).cells[5] == 3);
}

TEST_CASE("reasons are counted, with the first point of each") {
  const std::vector<ReasonCount> reasons = reasons_of(table());
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0].reason == "failed: exit code 2");
  CHECK(reasons[0].first_id == "i2");
  CHECK(reasons[1].reason == "infeasible");
}
