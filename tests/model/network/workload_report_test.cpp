#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/workload.h"
#include "tests/support/option_tables.h"

namespace waferloom {
namespace {

/// A product of 64 × 30 by 30 × 50 without bias, and the sum of its output with something else.
Workload product_and_sum() {
  Workload workload;
  workload.name = "two";
  workload.tokens = 64;
  workload.operators.push_back({"product", LinearOperator{64, 30, 50, false}, {}});
  workload.operators.push_back({"sum", AddOperator{3'200}, {0}});
  return workload;
}

TEST_CASE("the report of operators has counts and all-reduces by hand") {
  const Json report = operators_report(product_and_sum(), {8, 2, 5}).json();
  CHECK(report["schema"] == "waferloom/operators/1");
  CHECK(report["name"] == "two");
  CHECK(report["tokens"] == 64);
  CHECK(report["samples"] == 8);
  CHECK(report["data"] == 2);
  CHECK(report["tensor"] == 5);
  const Json& product = report["operators"][0];
  CHECK(product["name"] == "product");
  CHECK(product["kind"] == "linear");
  CHECK(product["after"] == Json::array());
  CHECK(product["matrix_flop"] == 2 * 64 * 30 * 50);
  CHECK(product["element_flop"] == 0);
  CHECK(product["backward_flop"] == 4 * 64 * 30 * 50);
  CHECK(product["parameters"] == 30 * 50);
  CHECK(product["input_elements"] == 64 * 30);
  CHECK(product["output_elements"] == 64 * 50);
  CHECK(product["saved_elements"] == 64 * 30);
  CHECK(product["saved_attention_elements"] == 0);
  // Cut by output, gradients of inputs are summed over 5; cut by samples, those of weights over 2.
  const Json backward{{"phase", "backward"}, {"elements", 8 * 64 * 30 / 2}, {"members", 5}};
  const Json update{{"phase", "update"}, {"elements", 30 * 50 / 5}, {"members", 2}};
  CHECK(product["all_reduces"] == Json::array({backward, update}));
  const Json& sum = report["operators"][1];
  CHECK(sum["kind"] == "add");
  CHECK(sum["after"] == Json::array({"product"}));
  CHECK(sum["all_reduces"] == Json::array());
  CHECK(report["total"]["matrix_flop"] == 2 * 64 * 30 * 50);
  CHECK(report["total"]["parameters"] == 30 * 50);
}

TEST_CASE("nothing is summed where nothing is cut") {
  const Report report = operators_report(product_and_sum(), {});
  for (const Json& entry : report.json()["operators"]) {
    CHECK(entry["all_reduces"].empty());
  }
}

TEST_CASE("a sum of more than 2^60 elements is an overflow") {
  Workload workload = product_and_sum();
  const std::int64_t side = std::int64_t{1} << 20;
  workload.operators[0].kind = LinearOperator{side, side, 1, false};
  CHECK_NOTHROW(operators_report(workload, {1 << 19, 1, 2}));
  CHECK_THROWS_AS(operators_report(workload, {1 << 21, 1, 2}), std::overflow_error);
}

TEST_CASE("workload's options in the order of help, with their values and ranges") {
  const std::vector<OptionSpec> table = specs_of(operator_cut_options());
  check_table(table);
  CHECK(table_text(table) ==
        "samples N: 1 to 1000000; default 1\n"
        "data N: 1 to 1000000; default 1\n"
        "tensor N: 1 to 1000000; default 1\n");
}

}  // namespace
}  // namespace waferloom
