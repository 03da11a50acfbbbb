#include "planner/published/figures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/support/complaint.h"

namespace waferloom::planner {
namespace {

/// What is wrong with a file; empty if nothing is.
std::string fault_of(const std::string& text) {
  return test::complaint_of([&] { read_figures(text, "f.json"); });
}

/// A file of a chapter that has one set, of these keys and figures, in line 2.
std::string file_of(const std::string& keys, const std::string& figures) {
  return "{\"chapters\": {\"amped\": [\n{\"model\": \"AMPeD\", \"source\": \"Table 1\", "
         "\"certainty\": \"in paper\", " +
         keys + "\"figures\": [\n" + figures + "]}]}}";
}

TEST_CASE("figures have what they say, and else what their set says") {
  const PublishedFigures file = read_figures(
      R"({"chapters": {"serving": [
            {"model": "M", "source": "Table 1", "certainty": "in paper", "kind": "calibrated",
             "tolerance": 0.12, "constant_model": 7, "unit": "ms", "note": "of all", "comment": "c",
             "figures": [{"name": "a", "published": 1.5},
                         {"name": "b", "published": null, "unit": "", "note": "of b",
                          "printed_to": 0.1}]},
            {"model": "M", "source": "by hand", "certainty": "by hand", "kind": "closed form",
             "computed": false, "figures": [{"name": "c", "derived": 2}]}]},
          "without_row": [{"paper": "M", "figure": "Fig. 1", "reason": "a plot"}]})",
      "f.json");
  REQUIRE(file.chapter("serving").size() == 2);
  const FigureSet& set = file.chapter("serving")[0];
  CHECK(set.model == "M");
  CHECK(set.source == "Table 1");
  CHECK(set.certainty == "in paper");
  CHECK(set.kind == RowKind::calibrated);
  CHECK(set.tolerance == 0.12);
  CHECK(set.constant_model == 7);
  CHECK(set.computed);
  REQUIRE(set.figures.size() == 2);
  CHECK(set.figures[0].name == "a");
  CHECK(set.figures[0].published == 1.5);
  CHECK(set.figures[0].unit == "ms");
  CHECK(set.figures[0].note == "of all");
  CHECK_FALSE(set.figures[0].printed_to.has_value());
  CHECK_FALSE(set.figures[1].published.has_value());
  CHECK(set.figures[1].unit.empty());
  CHECK(set.figures[1].note == "of b");
  CHECK(set.figures[1].printed_to == 0.1);
  const FigureSet& by_hand = file.chapter("serving")[1];
  CHECK(by_hand.tolerance == kRowTolerance);
  CHECK_FALSE(by_hand.constant_model.has_value());
  CHECK_FALSE(by_hand.computed);
  CHECK(by_hand.figures[0].derived == 2);
  CHECK(by_hand.figures[0].note.empty());
  REQUIRE(file.without_row.size() == 1);
  CHECK(file.without_row[0].figure == "Fig. 1");
  CHECK(file.chapter("amped").empty());
}

TEST_CASE(
    "a figure without name or value, or of an unknown chapter or kind, is told with its place") {
  CHECK(fault_of(file_of("", R"({"name": "a", "published": 1})")).empty());
  CHECK(fault_of(file_of("", R"({"published": 1})")) ==
        "f.json:3:1: expected the key 'name', found an object without it");
  CHECK(fault_of(file_of("", R"({"name": "a"})")) ==
        "f.json:3:1: expected the key 'published', found an object without it");
  CHECK(fault_of(file_of(R"("kind": "guessed", )", R"({"name": "a", "published": 1})"))
            .rfind("f.json:2:74: expected kind as reproduced, closed form, ", 0) == 0);
  CHECK(fault_of(R"({"chapters": {"amqed": []}})").rfind("f.json:1:15: ", 0) == 0);
  CHECK(fault_of(file_of("", R"({"name": "a", "published": 1,})")).rfind("f.json:3:30: ", 0) == 0);
}

TEST_CASE("closed forms are derived, all others published") {
  CHECK(fault_of(file_of(R"("kind": "closed form", )", R"({"name": "a", "published": 1})")) ==
        "f.json:3:1: expected the key 'derived', found an object without it");
  CHECK(fault_of(file_of("", R"({"name": "a", "published": 1, "derived": null})"))
            .rfind("f.json:3:42: expected no derived figure of a set that is reproduced", 0) == 0);
}

TEST_CASE("a name that is twice in a chapter is told where it is the second time") {
  const std::string twice = file_of("",
                                    "{\"name\": \"a\", \"published\": 1},\n"
                                    "{\"name\": \"a\", \"published\": 2}");
  CHECK(fault_of(twice).rfind(
            "f.json:4:10: expected a name that no figure in front has in its chapter", 0) == 0);
  // Another chapter has names of its own.
  CHECK(fault_of(R"({"chapters": {
    "amped": [{"model": "M", "source": "S", "certainty": "C",
               "figures": [{"name": "a", "published": 1}]}],
    "serving": [{"model": "M", "source": "S", "certainty": "C",
                 "figures": [{"name": "a", "published": 1}]}]}})")
            .empty());
}

TEST_CASE("the program's figures: all chapters of validate, in their order") {
  const PublishedFigures& figures = published_figures();
  REQUIRE(figures.chapters.size() == kValidationChapters.size());
  for (std::size_t i = 0; i < kValidationChapters.size(); ++i) {
    CHECK(figures.chapters[i].first == kValidationChapters[i]);
    CHECK_FALSE(figures.chapters[i].second.empty());
  }
  const auto is_plot = [](const FigureWithoutRow& at) {
    return at.paper == "AMPeD" && at.figure == "Fig. 3" && at.reason == "a plot without numbers";
  };
  CHECK(std::count_if(figures.without_row.begin(), figures.without_row.end(), is_plot) == 1);
}

}  // namespace
}  // namespace waferloom::planner
