#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "planner/published/figures.h"
#include "planner/validation.h"
#include "tests/support/json_check.h"

namespace waferloom::planner {
namespace {

using test::check_json;

ValidationRow paper_row(const std::string& paper, RowKind kind, double expected, double ours) {
  ValidationRow row{paper, "figure", "ms", "Table 1", "in paper", kind};
  (kind == RowKind::closed_form ? row.derived : row.published) = expected;
  row.ours = ours;
  return row;
}

/// Two papers, the first in two chapters: 5 figures, 4 judged, of which 3 hold.
std::vector<ValidationChapter> chapters() {
  std::vector<ValidationChapter> found{{"one", "Chapter one", {}}, {"two", "Chapter two", {}}};
  std::vector<ValidationRow>& chapter_rows = found[0].rows;
  chapter_rows.push_back(paper_row("A", RowKind::reproduced, 4, 4));
  chapter_rows.push_back(paper_row("B", RowKind::closed_form, 8, 9));
  chapter_rows.push_back(paper_row("A", RowKind::calibrated, 4, 5));
  chapter_rows[2].tolerance = 0.25;
  chapter_rows[2].constant_model = 3;
  chapter_rows[2].name = "a|b";
  chapter_rows[2].note = "fitted, once";
  found[1].rows.push_back(paper_row("A", RowKind::not_judged, 2, 0.5));
  found[1].rows[0].certainty = "from repository";
  found[1].rows.push_back(paper_row("B", RowKind::reproduced, 7, 7));
  return found;
}

TEST_CASE("validate counts figures by paper and kind, and all of them together") {
  const std::vector<ValidationCounts> counts = validation_counts(chapters());
  REQUIRE(counts.size() == 3);
  CHECK(counts[0].model == "A");
  CHECK(counts[1].model == "B");
  CHECK(counts[2].model.empty());
  const std::size_t expected[3][4] = {{3, 2, 2, 0}, {2, 2, 1, 1}, {5, 4, 3, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    INFO(i);
    CHECK(counts[i].figures() == expected[i][0]);
    CHECK(counts[i].judged() == expected[i][1]);
    CHECK(counts[i].hold() == expected[i][2]);
    CHECK(counts[i].failing() == expected[i][3]);
  }
  using Cells = std::vector<std::vector<std::string>>;
  CHECK(counts_cells(counts) == Cells{{"paper", "figures", "judged", "hold", "reproduced",
                                       "closed form", "calibrated", "not reproduced", "not judged"},
                                      {"A", "3", "2", "2", "1", "0", "1", "0", "1"},
                                      {"B", "2", "2", "1", "1", "1", "0", "0", "0"},
                                      {"all", "5", "4", "3", "2", "1", "1", "0", "1"}});
}

TEST_CASE("validate without rows counts nothing") {
  const std::vector<ValidationCounts> none = validation_counts({});
  REQUIRE(none.size() == 1);
  CHECK(none[0].figures() == 0);
  CHECK(none[0].hold() == 0);
  CHECK(none[0].failing() == 0);
}

TEST_CASE("validate's numbers have eight digits, and two places where they are large") {
  CHECK(validation_number({}).empty());
  CHECK(validation_number(1.0 / 3) == "0.33333333");
  CHECK(validation_number(0) == "0");
  CHECK(validation_number(99999.123456) == "99999.123");
  CHECK(validation_number(1e5) == "100000.00");
  CHECK(validation_number(-123456.789) == "-123456.79");
  CHECK(validation_number(999999999999.5) == "999999999999.50");
  CHECK(validation_number(1e12) == "1e+12");
}

TEST_CASE("validate's shares are in per cent with two digits, whole numbers from 100 on") {
  CHECK(validation_percent({}).empty());
  CHECK(validation_percent(0) == "0");
  CHECK(validation_percent(0.01234) == "1.2");
  CHECK(validation_percent(0.5) == "50");
  CHECK(validation_percent(0.99) == "99");
  CHECK(validation_percent(1) == "100");
  CHECK(validation_percent(1.836) == "184");
  CHECK(validation_percent(1e-9) == "0.0000001");
}

TEST_CASE("validate tells kinds, failures and unusual tolerances in words") {
  const auto rows = chapters()[0].rows;
  CHECK(validation_verdict(rows[0]) == "reproduced");
  CHECK(validation_verdict(rows[1]) == "closed form: FAILS");
  CHECK(validation_verdict(chapters()[1].rows[0]) == "not judged");
  CHECK(validation_tolerance(rows[0]).empty());
  CHECK(validation_tolerance(rows[2]) == "25");
  ValidationRow shown = chapters()[1].rows[0];
  shown.tolerance = 0.25;
  CHECK(validation_tolerance(shown).empty());
}

TEST_CASE("validate's CSV has every row with all that is known of it") {
  CHECK(validation_csv(chapters()) ==
        "chapter,model,figure,unit,published,derived,ours,error,tolerance,kind,holds,"
        "constant_model,source,certainty,note\n"
        "one,A,figure,ms,4,,4,0,0.000001,reproduced,yes,,Table 1,in paper,\n"
        "one,B,figure,ms,,8,9,0.125,0.000001,closed form,no,,Table 1,in paper,\n"
        "one,A,a|b,ms,4,,5,0.25,0.25,calibrated,yes,3,Table 1,in paper,\"fitted, once\"\n"
        "two,A,figure,ms,2,,0.5,0.75,,not judged,,,Table 1,from repository,\n"
        "two,B,figure,ms,7,,7,0,0.000001,reproduced,yes,,Table 1,in paper,\n");
}

TEST_CASE("validate's report has rows, counts by paper, the total and what has no row") {
  Json report = validation_report(chapters()).json();
  REQUIRE(report["rows"].size() == 5);
  check_json(report["rows"][2], R"({"chapter": "one", "model": "A", "name": "a|b", "unit": "ms",
    "published": 4, "derived": null, "ours": 5, "error": 0.25, "tolerance": 0.25,
    "kind": "calibrated", "holds": true, "constant_model": 3, "source": "Table 1",
    "certainty": "in paper", "note": "fitted, once"})");
  check_json(report["rows"][3], R"({"chapter": "two", "model": "A", "name": "figure",
    "unit": "ms", "published": 2, "derived": null, "ours": 0.5, "error": 0.75, "tolerance": null,
    "kind": "not judged", "holds": null, "constant_model": null, "source": "Table 1",
    "certainty": "from repository", "note": ""})");
  CHECK(report["rows"][1]["derived"] == 8);
  CHECK(report["rows"][1]["published"].is_null());
  CHECK(report["rows"][1]["holds"] == false);
  const std::size_t without_row = published_figures().without_row.size();
  REQUIRE(report["without_row"].size() == without_row);
  check_json(report["without_row"][0], R"({"paper": "PALM", "figure": "Tables I, VI",
    "reason": "parameters of machines, which go in"})");
  report.erase("rows");
  report.erase("without_row");
  check_json(report, R"({"schema": "waferloom/validate/1",
    "papers": [
      {"model": "A", "figures": 3, "judged": 2, "hold": 2, "kinds": {
        "reproduced": {"figures": 1, "hold": 1}, "closed form": {"figures": 0, "hold": 0},
        "calibrated": {"figures": 1, "hold": 1}, "not reproduced": {"figures": 0, "hold": 0},
        "not judged": {"figures": 1, "hold": null}}},
      {"model": "B", "figures": 2, "judged": 2, "hold": 1, "kinds": {
        "reproduced": {"figures": 1, "hold": 1}, "closed form": {"figures": 1, "hold": 0},
        "calibrated": {"figures": 0, "hold": 0}, "not reproduced": {"figures": 0, "hold": 0},
        "not judged": {"figures": 0, "hold": null}}}],
    "total": {"figures": 5, "judged": 4, "hold": 3, "kinds": {
      "reproduced": {"figures": 2, "hold": 2}, "closed form": {"figures": 1, "hold": 0},
      "calibrated": {"figures": 1, "hold": 1}, "not reproduced": {"figures": 0, "hold": 0},
        "not judged": {"figures": 1, "hold": null}}},
    "failing": 1})");
}

/// From the first line that begins so.
std::string from_line(const std::string& page, const std::string& begin) {
  const std::size_t at = page.find("\n" + begin);
  REQUIRE_MESSAGE(at != std::string::npos, begin);
  return page.substr(at + 1);
}

TEST_CASE("validate's page has the counts, a table a chapter, and what has no row") {
  const std::string page = validation_page(chapters());
  CHECK(page.rfind("# Validation\n\n", 0) == 0);
  const std::string tables = from_line(page, "| paper | figures");
  const std::string heading =
      "| figure | unit | published | derived | ours | error % | judged | within % | constant model "
      "| its error % | source | certainty | note |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  const std::string expected =
      "| paper | figures | judged | hold | reproduced | closed form | calibrated | not reproduced "
      "| not judged "
      "|\n"
      "|---|---|---|---|---|---|---|---|---|\n"
      "| A | 3 | 2 | 2 | 1 | 0 | 1 | 0 | 1 |\n"
      "| B | 2 | 2 | 1 | 1 | 1 | 0 | 0 | 0 |\n"
      "| all | 5 | 4 | 3 | 2 | 1 | 1 | 0 | 1 |\n"
      "\n## Chapter one\n\n" +
      heading +
      "| figure | ms | 4 |  | 4 | 0 | reproduced |  |  |  | Table 1 | in paper |  |\n"
      "| figure | ms |  | 8 | 9 | 12 | closed form: FAILS |  |  |  | Table 1 | in paper |  |\n"
      "| a\\|b | ms | 4 |  | 5 | 25 | calibrated | 25 | 3 | 25 | Table 1 | in paper | fitted, once "
      "|\n"
      "\n## Chapter two\n\n" +
      heading +
      "| figure | ms | 2 |  | 0.5 | 75 | not judged |  |  |  | Table 1 | from repository |  |\n"
      "| figure | ms | 7 |  | 7 | 0 | reproduced |  |  |  | Table 1 | in paper |  |\n"
      "\n## Tables and figures without a row\n\n"
      "| paper | table or figure | why |\n"
      "|---|---|---|\n"
      "| PALM | Tables I, VI | parameters of machines, which go in |\n";
  CHECK(tables.substr(0, expected.size()) == expected);
  const auto lines = std::count(tables.begin(), tables.end(), '\n') -
                     std::count(expected.begin(), expected.end(), '\n');
  CHECK(static_cast<std::size_t>(lines) == published_figures().without_row.size() - 1);
}

TEST_CASE("figures without a row stand together by paper, each once, with a reason") {
  std::vector<std::string> papers;
  std::set<std::pair<std::string, std::string>> seen;
  for (const FigureWithoutRow& at : published_figures().without_row) {
    const std::string paper(at.paper);
    const std::string figure(at.figure);
    INFO(paper, ", ", figure);
    CHECK(seen.emplace(paper, figure).second);
    CHECK_FALSE(figure.empty());
    CHECK_FALSE(at.reason.empty());
    if (papers.empty() || papers.back() != paper) papers.push_back(paper);
  }
  CHECK(papers == std::vector<std::string>{"PALM", "GigaPlacer", "AMPeD", "DFModel", "Centimani"});
}

}  // namespace
}  // namespace waferloom::planner
