#include "planner/published/comparer.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

FigureSet set_of(RowKind kind, std::vector<PublishedFigure> figures) {
  FigureSet set{"M", "Table 1", "in paper", kind};
  set.figures = std::move(figures);
  return set;
}

PublishedFigure figure(std::string name, std::optional<double> published) {
  PublishedFigure found{std::move(name)};
  found.published = published;
  return found;
}

PublishedFigure noted(std::string note) {
  PublishedFigure found = figure("a", 1);
  found.note = std::move(note);
  return found;
}

/// What the program says of itself; empty where it compares.
std::string fault_of(const std::vector<FigureSet>& sets, const OurFigures& ours) {
  try {
    compared_rows(sets, ours);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

const std::vector<FigureSet> kTwo{set_of(RowKind::reproduced, {figure("a", 1), figure("b", 2)})};

TEST_CASE("rows stand in the order of the data, with all that it says") {
  FigureSet set = set_of(RowKind::reproduced, {figure("a", 8), figure("b", 2)});
  set.tolerance = 0.25;
  set.constant_model = 3;
  set.figures[0].unit = "ms";
  set.figures[0].note = "why";
  PublishedFigure by_hand{"c"};
  by_hand.derived = 5;
  const auto rows = compared_rows({set, set_of(RowKind::closed_form, {by_hand})},
                                  {{"c", 5}, {"b", 4}, {"a", 10}});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "a");
  CHECK(rows[0].model == "M");
  CHECK(rows[0].unit == "ms");
  CHECK(rows[0].source == "Table 1");
  CHECK(rows[0].certainty == "in paper");
  CHECK(rows[0].kind == RowKind::reproduced);
  CHECK(rows[0].published == 8);
  CHECK_FALSE(rows[0].derived.has_value());
  CHECK(rows[0].ours == 10);
  CHECK(rows[0].tolerance == 0.25);
  CHECK(rows[0].constant_model == 3);
  CHECK(rows[0].note == "why");
  CHECK(rows[0].holds() == true);
  CHECK(rows[1].name == "b");
  CHECK(rows[1].ours == 4);
  CHECK(rows[1].fails());
  CHECK(rows[2].derived == 5);
  CHECK_FALSE(rows[2].published.has_value());
  CHECK(rows[2].tolerance == kRowTolerance);
}

TEST_CASE("a figure without a value is an error of the program") {
  CHECK(fault_of(kTwo, {{"a", 1}, {"b", 2}}).empty());
  CHECK(fault_of(kTwo, {{"a", 1}}) == "no value for the figure 'b'");
}

TEST_CASE("a value without a figure is an error of the program") {
  CHECK(fault_of(kTwo, {{"a", 1}, {"b", 2}, {"c", 3}}) ==
        "a value for the figure 'c', which is not published");
}

TEST_CASE("two values of a name are an error of the program, and so are two figures") {
  CHECK(fault_of(kTwo, {{"a", 1}, {"b", 2}, {"a", 1}}) == "two values for the figure 'a'");
  CHECK(fault_of({kTwo[0], kTwo[0]}, {{"a", 1}, {"b", 2}}) == "no value for the figure 'a'");
}

TEST_CASE("a value that the program looks for may be missing; figures that it cannot have are") {
  const auto none = compared_rows({set_of(RowKind::not_judged, {figure("a", 1)})}, {{"a"}});
  CHECK_FALSE(none[0].ours.has_value());
  FigureSet measured = set_of(RowKind::not_judged, {figure("a", 1)});
  measured.computed = false;
  const auto rows = compared_rows({measured}, {});
  CHECK_FALSE(rows[0].ours.has_value());
  CHECK(rows[0].published == 1);
  CHECK(fault_of({measured}, {{"a", 1}}) == "a value for the figure 'a', which is not published");
}

TEST_CASE("what is expected comes from the data or from the code, never from both or neither") {
  const FigureSet open = set_of(RowKind::closed_form, {figure("a", std::nullopt)});
  const auto rows = compared_rows({open}, {{"a", 3, {}, 4}});
  CHECK(rows[0].derived == 4);
  CHECK(rows[0].ours == 3);
  CHECK(
      compared_rows({set_of(RowKind::not_judged, open.figures)}, {{"a", 3, {}, 4}})[0].published ==
      4);
  CHECK(fault_of({open}, {{"a", 3}}) ==
        "neither data nor code has what is expected of the figure 'a'");
  CHECK(fault_of({set_of(RowKind::reproduced, {figure("a", 4)})}, {{"a", 3, {}, 4}}) ==
        "data and code have what is expected of the figure 'a'");
}

TEST_CASE("texts fill a note in their order, each once") {
  const auto note_of = [](const std::string& note, const std::vector<std::string>& texts) {
    return compared_rows({set_of(RowKind::reproduced, {noted(note)})}, {{"a", 1, texts}})[0].note;
  };
  CHECK(note_of("as it is", {}) == "as it is");
  CHECK(note_of("TP {} x PP {}, ours", {"8", "128"}) == "TP 8 x PP 128, ours");
  CHECK(note_of("{}", {"{Q, K} {} {V}"}) == "{Q, K} {} {V}");
  CHECK(note_of("128 tokens{}", {""}) == "128 tokens");
}

TEST_CASE("a note with more or fewer fields than texts is an error of the program") {
  const std::vector<FigureSet> sets{set_of(RowKind::reproduced, {noted("{} of {}")})};
  CHECK(fault_of(sets, {{"a", 1, {"1"}}}) ==
        "the note of the figure 'a' has more fields than texts");
  CHECK(fault_of(sets, {{"a", 1, {"1", "2", "3"}}}) ==
        "the note of the figure 'a' has fewer fields than texts");
}

TEST_CASE("half of the last printed place is the tolerance") {
  FigureSet set = set_of(RowKind::reproduced, {figure("a", 4.8)});
  set.figures[0].printed_to = 0.1;
  CHECK(compared_rows({set}, {{"a", 4.8}})[0].tolerance == close_to(0.05 / 4.8));
}

TEST_CASE("a calibrated set has the constant whose worst error is least") {
  // 2 a b / (a + b) misses the least a and the greatest b by the same share.
  const FigureSet fitted =
      set_of(RowKind::calibrated, {figure("a", 57), figure("b", 18), figure("c", 21)});
  const auto rows = compared_rows({fitted}, {{"a", 57}, {"b", 18}, {"c", 21}});
  for (const ValidationRow& row : rows) CHECK(row.constant_model == close_to(27.36));
  FigureSet elsewhere = fitted;
  elsewhere.constant_model = 30;
  CHECK(compared_rows({elsewhere}, {{"a", 57}, {"b", 18}, {"c", 21}})[0].constant_model == 30);
  CHECK_FALSE(compared_rows(kTwo, {{"a", 1}, {"b", 2}})[0].constant_model.has_value());
}

TEST_CASE("chapters are compared with figures.json") {
  CHECK_THROWS_WITH_AS(compared_rows("serving", {}),
                       "no value for the figure 'Llama3-8B decode, TP16, a layer'",
                       std::logic_error);
}

}  // namespace
}  // namespace waferloom::planner
