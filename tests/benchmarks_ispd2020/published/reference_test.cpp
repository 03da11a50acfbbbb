#include "benchmarks_ispd2020/reference.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/published.h"
#include "tests/support/shared_data.h"

namespace waferloom::ispd2020 {

TEST_CASE("the reference totals are the reference file's [shared]") {
  if (!test::have_shared("the reference totals", "published/ispd2020_reference_best.json")) return;
  std::ifstream stream(test::shared_folder() / "published" / "ispd2020_reference_best.json");
  const nlohmann::json cases = nlohmann::json::parse(stream).at("cases");
  REQUIRE(cases.size() == case_names().size());
  for (const std::string& name : case_names()) {
    CAPTURE(name);
    CHECK(static_cast<double>(half_reference_total(name)) ==
          2 * cases.at(name).at("cost").get<double>());
  }
}

TEST_CASE("every case has a reference, at most what was published") {
  for (const std::string& name : case_names()) {
    CAPTURE(name);
    CHECK(half_reference_total(name) <= best_published(name).half_cost);
  }
  CHECK_THROWS_AS(half_reference_total("a"), std::logic_error);
}

}  // namespace waferloom::ispd2020
