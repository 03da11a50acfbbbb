#include "benchmarks_ispd2020/case_report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "benchmarks_ispd2020/case_options.h"
#include "benchmarks_ispd2020/generated_cases.h"
#include "tests/support/option_tables.h"
#include "tests/support/small_problems.h"

namespace waferloom::ispd2020 {
namespace {

TEST_CASE("the report of cases has each one's sizes and weights") {
  ProblemData data = test::chain({test::kPixel, test::kPixel, test::kPixel});
  data.name = "three";
  data.wafer = {20, 30};
  data.memory_limit = 1234;
  data.weights = {decimal6(1), decimal6(100), *parse_decimal6("0.5")};
  const Problem problem(std::move(data));
  const Json report = cases_report({{"X", &problem, 81}, {"Y", &problem, {}}}).json();
  CHECK(report["schema"] == "waferloom/cases/1");
  const Json wafer{{"width", 20}, {"height", 30}};
  const Json weights{{"time", 1}, {"distance", 100}, {"adapter", 0.5}};
  const Json expected{{"case", "X"},        {"name", "three"},       {"kernels", 3},
                      {"connections", 2},   {"wafer", wafer},        {"memory_limit_words", 1234},
                      {"weights", weights}, {"best_published", 40.5}};
  CHECK(report["cases"][0] == expected);
  CHECK(report["cases"][1]["case"] == "Y");
  CHECK(report["cases"][1]["best_published"] == nullptr);
}

TEST_CASE("the options of cases have the defaults of GeneratedCase") {
  const std::vector<OptionSpec> table = specs_of(case_options());
  check_table(table);
  CHECK(fallback_of(table, "kernels") == "100");
  CHECK(help_text(option_named(table, "fabric")) ==
        "Its wafer (default 633x633); sides of at least 100.");
  CHECK(value_fault(generated_option(), "small").empty());
  CHECK(value_fault(generated_option(), "huge") == "expected small or full, found 'huge'");
}

TEST_CASE("help names every family") {
  const std::vector<OptionSpec> table = specs_of(case_options());
  const std::string help = help_text(option_named(table, "family"));
  for (const std::string& family : family_names()) {
    CHECK(help.find("\n" + family + ": ") != std::string::npos);
  }
}

}  // namespace
}  // namespace waferloom::ispd2020
