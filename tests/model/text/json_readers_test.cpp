#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "model/constraints_reader.h"
#include "model/text/json_text.h"
#include "model/wafer_reader.h"
#include "tests/support/complaint.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

using test::complaint_of;

std::string json_complaint(const std::string& text) {
  return complaint_of([&] { parse_json(text, "j"); });
}

/// Two pixels k1 → k2 and a list of two shapes k3.
Problem three_kernels() {
  const ShapesFormal shapes{std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{{3, 4, 1'000'000}, {4, 3, 1'000'000}})};
  return Problem(test::chain({test::kPixel, test::kPixel, shapes}));
}

constexpr std::string_view kConstraints = R"json({
  "fixed": [{"kernel": "k1", "x": 3, "y": 4, "orientation": "R90", "execution": [1, 1, 2, 5]},
            "k3 : place(9 9 R0)", "k3 = shapes( 2 )",
            {"kernel": "k2", "x": 0, "y": 0}],
  "regions": [{"kernels": ["k3", "k1"], "rule": "inside",
               "rectangle": {"x": -5, "y": 0, "width": 18, "height": 8}},
              {"kernels": "*", "rule": "prefer", "weight": 0.1,
               "rectangle": {"x": 0, "y": 0, "width": 1, "height": 1}}]
})json";

}  // namespace

TEST_CASE("JSON is read with places, and decimals as written") {
  const JsonValue value =
      parse_json("\xEF\xBB\xBF{\r\n \"a\": [1.50, \"\\u00e9\\n\"],\n\"b\":null}", "j");
  REQUIRE(value.keys == std::vector<std::string>{"a", "b"});
  CHECK(value.at[1] == TextPosition{3, 1});
  REQUIRE(value.items[0].items.size() == 2);
  CHECK(value.items[0].items[0].text == "1.50");
  CHECK(value.items[0].items[0].position == TextPosition{2, 8});
  CHECK(value.items[0].items[1].text == "\xC3\xA9\n");
}

TEST_CASE("what is no JSON is told where it begins") {
  CHECK(json_complaint("{}").empty());
  CHECK(json_complaint("[[], {}, -0.5e+3, true, false, null]").empty());
  CHECK(json_complaint("") == "j:1:1: expected a JSON value, found the end of the file");
  CHECK(json_complaint("[1,]") == "j:1:4: expected a JSON value, found ']'");
  CHECK(json_complaint("[1\n2]") == "j:2:1: expected ',' or ']', found '2'");
  CHECK(json_complaint("{1:2}") == "j:1:2: expected a key in double quotes, found '1'");
  CHECK(json_complaint("{\"a\" 2}") == "j:1:6: expected ':', found '2'");
  CHECK(json_complaint("{\"a\":1,\"a\":2}") == "j:1:8: expected each key once, found 'a' again");
  CHECK(json_complaint("1 x") == "j:1:3: expected the end of the file, found 'x'");
  CHECK(json_complaint("01") == "j:1:2: expected a number without leading zeros, found '1'");
  CHECK(json_complaint("1.") ==
        "j:1:3: expected digits behind the point, found the end of the file");
  CHECK(json_complaint("-") == "j:1:2: expected a number, found the end of the file");
  CHECK(json_complaint("\"a\nb\"").find("j:1:3: expected a string that ends") == 0);
  CHECK(json_complaint("\"\\ud800\"").find("expected an escape") != std::string::npos);
  CHECK(json_complaint(std::string(17, '[') + std::string(17, ']')).empty());
  CHECK(json_complaint(std::string(100'000, '[')).find("at most 16 deep") != std::string::npos);
}

TEST_CASE("every cut of a constraints file is told in one printable line") {
  const Problem problem = three_kernels();
  for (std::size_t length = 0; length < kConstraints.size(); ++length) {
    INFO("length ", length);
    const std::string message =
        complaint_of([&] { read_constraints(kConstraints.substr(0, length), "c", problem); });
    CHECK_FALSE(message.empty());
    CHECK(std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

TEST_CASE("constraints are read for the kernels of a problem") {
  const Problem problem = three_kernels();
  const Constraints read = read_constraints(kConstraints, "c", problem);
  const std::vector<FixedKernel> fixed{{0, 3, 4, true, Execution{1, 1, {2}, {5}}},
                                       {1, 0, 0, false, {}},
                                       {2, 9, 9, false, option_execution(2)}};
  CHECK(read.fixed == fixed);
  const std::vector<Region> regions{
      {{0, 2}, {-5, 0, 18, 8}, RegionRule::inside, decimal6(1)},
      {{0, 1, 2}, {0, 0, 1, 1}, RegionRule::prefer, Decimal6{100'000}}};
  CHECK(read.regions == regions);
  CHECK(with_constraints(problem, read, "c").constraints() == read);
  CHECK(read_constraints("{}", "c", problem).empty());
}

TEST_CASE("a wafer file replaces wafer and memory limit") {
  const Problem problem = three_kernels();
  const WaferFile file = read_wafer(R"({"width": 20, "height": 10, "dead": [
      {"x": -5, "y": 8, "width": 9, "height": 9}]})",
                                    "w");
  CHECK(file.wafer == Wafer{20, 10, {{0, 8, 4, 2}}});
  CHECK(with_wafer(problem, file, "w").memory_limit() == problem.memory_limit());
  const auto error_of = [](const std::string& dead) {
    return complaint_of(
        [&] { read_wafer(R"({"width": 20, "height": 10, "dead": [)" + dead + "]}", "w"); });
  };
  CHECK(error_of(R"({"x": 19, "y": 9, "width": 1, "height": 1})").empty());
  CHECK(error_of(R"({"x": 20, "y": 0, "width": 3, "height": 1})") ==
        "w:1:44: expected dead tiles on the mesh of 20x10, found x from 20 to 22");
  CHECK(error_of(R"({"x": 0, "y": -4, "width": 1, "height": 4})") ==
        "w:1:52: expected dead tiles on the mesh of 20x10, found y from -4 to -1");
  const WaferFile other = read_wafer(R"({"width": 20, "height": 10, "memory_limit": 7})", "w");
  CHECK(with_wafer(problem, other, "w").memory_limit() == 7);
}

}  // namespace waferloom
