#include "benchmarks_ispd2020/published.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "benchmarks_ispd2020/cases.h"
#include "tests/support/shared_data.h"

namespace waferloom::ispd2020 {
namespace {

using nlohmann::json;

json read_published(const std::string& file) {
  std::ifstream stream(test::shared_folder() / "published" / file);
  REQUIRE(stream.good());
  return json::parse(stream);
}

/// The case's weighted sum of a result's parts, in half units.
std::int64_t half_cost(const Weights& weights, const PublishedResult& result) {
  const std::int64_t millionths = 2 * weights.time.millionths * result.time +
                                  weights.distance.millionths * result.half_distance +
                                  2 * weights.adapter.millionths * result.adapter;
  REQUIRE(millionths % Decimal6::kOne == 0);
  return millionths / Decimal6::kOne;
}

void check_result(const PublishedResult& result, const json& printed) {
  CHECK(result.time == printed.at("time").get<std::int64_t>());
  CHECK(static_cast<double>(result.half_distance) == 2 * printed.at("distance").get<double>());
  CHECK(result.adapter == printed.at("adapter").get<std::int64_t>());
  CHECK(static_cast<double>(result.half_cost) == 2 * printed.at("cost").get<double>());
  CHECK(result.runtime_s == printed.at("runtime_s").get<std::int64_t>());
}

TEST_CASE("the published table is the reference file's [shared]") {
  if (!test::have_shared("the published table", "published/ispd2020_table1.json")) return;
  const json cases = read_published("ispd2020_table1.json").at("cases");
  REQUIRE(cases.size() == published_cases().size());
  for (const json& row : cases) {
    const auto name = row.at("case").get<std::string>();
    CAPTURE(name);
    CHECK(published_case(name).kernels == row.at("kernels").get<std::int64_t>());
    check_result(published_case(name).contest_winner, row.at("ispd2020_winner"));
    check_result(published_case(name).gigaplacer, row.at("gigaplacer"));
    CHECK(static_cast<double>(best_published(name).half_cost) ==
          2 * row.at("best_published").get<double>());
    const Weights weights = make_case(name).weights();
    CHECK(weights.time == decimal6(row.at("weights").at("time").get<std::int64_t>()));
    CHECK(weights.distance == decimal6(row.at("weights").at("distance").get<std::int64_t>()));
    CHECK(weights.adapter == decimal6(row.at("weights").at("adapter").get<std::int64_t>()));
  }
}

TEST_CASE("every case has its rows, in order") {
  REQUIRE(published_cases().size() == case_names().size());
  for (std::size_t i = 0; i < case_names().size(); ++i) {
    CHECK(published_cases()[i].name == case_names()[i]);
  }
}

TEST_CASE("a published cost is the weighted sum of its published parts") {
  for (const PublishedCase& row : published_cases()) {
    CAPTURE(row.name);
    const Weights weights = make_case(row.name).weights();
    CHECK(row.contest_winner.half_cost == half_cost(weights, row.contest_winner));
    CHECK(row.gigaplacer.half_cost == half_cost(weights, row.gigaplacer));
  }
}

TEST_CASE("the better published result is the cheaper one") {
  CHECK(best_published("A") == published_case("A").gigaplacer);
  CHECK(best_published("B") == published_case("B").contest_winner);
  CHECK(best_published("O").half_cost == 2 * 82036);
}

TEST_CASE("an unknown case has no rows") {
  CHECK_THROWS_AS(published_case("U"), std::logic_error);
  CHECK_THROWS_AS(best_published(""), std::logic_error);
}

}  // namespace
}  // namespace waferloom::ispd2020
