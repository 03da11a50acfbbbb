#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/text.h"
#include "model/workload.h"
#include "tests/support/complaint.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

using test::complaint_of;

std::string json_complaint(const std::string& text) {
  return complaint_of([&] { parse_json(text, "j"); });
}

TEST_CASE("a number in double quotes is told as a string") {
  const auto complaint = [](const std::string& tensor) {
    return complaint_of([&] { read_plan("{\"tensor\": " + tensor + "}", "p"); });
  };
  const std::string expected =
      "p:1:12: expected tensor as a whole number from 1 to 16000000, found ";
  CHECK(complaint("\"8\"") == expected + "the string '8'");
  CHECK(complaint("\"1.5e3\"") == expected + "the string '1.5e3'");
  CHECK(complaint("\"eight\"") == expected + "'eight'");
  CHECK(complaint("0") == expected + "'0'");
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
  CHECK(parse_json(R"("\u20ac \ud83d\ude00 \uDBFF\uDFFF")", "j").text ==
        "\xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF");
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
  // A low surrogate alone, a high one alone, before no escape and before no low one.
  for (const char* text : {R"("\udc00")", R"("\ud800")", R"("\ud83dx")", R"("\ud83d\n")",
                           R"("\ud83d\ud83d")", R"("\ud83d\u")", R"("\ud83d\)"}) {
    CAPTURE(text);
    CHECK(json_complaint(text).find("expected an escape") != std::string::npos);
  }
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

TEST_CASE("whole numbers and decimals of JSON may have an exponent") {
  const JsonReader reader("j");
  const auto whole = [&](const std::string& text) {
    return reader.whole(parse_json(text, "j"), "clock_hz", {-2000, 1'000'000'000'000'000'000});
  };
  CHECK(whole("200e9") == 200'000'000'000);
  CHECK(whole("1.5e3") == 1500);
  CHECK(whole("-2E3") == -2000);
  CHECK(whole("999999999999999.999e3") == 999'999'999'999'999'999);  // no double has it
  const std::string expected =
      "j:1:1: expected clock_hz as a whole number from -2000 to 1000000000000000000, found ";
  for (const char* text : {"1e-3", "1e30", "1.5", "1.0", "-2.1e3", "1.0000000000000000001e18"}) {
    CHECK(complaint_of([&] { whole(text); }) == expected + "'" + text + "'");
  }
  const auto decimal = [&](const std::string& text) {
    return reader.decimal(parse_json(text, "j"), "weight", decimal6(10));
  };
  CHECK(decimal("2.5e-1") == Decimal6{250'000});
  CHECK(complaint_of([&] { decimal("1.1e1"); }).find("weight as a decimal") != std::string::npos);
  CHECK(complaint_of([&] { decimal("1e-7"); }).find("weight as a decimal") != std::string::npos);
}

TEST_CASE("every kind of JSON file takes numbers with an exponent") {
  const WaferFile wafer =
      read_wafer(R"({"width": 2e1, "height": 1e1, "memory_limit": 2.4576e4})", "w");
  CHECK(wafer.wafer == Wafer{20, 10});
  CHECK(wafer.memory_limit == 24'576);
  const Constraints constraints =
      read_constraints(R"({"regions": [{"kernels": "*", "rule": "prefer", "weight": 25e-1,
      "rectangle": {"x": -1e1, "y": 0, "width": 0.1e1, "height": 1}}]})",
                       "c", three_kernels());
  CHECK(constraints.regions ==
        std::vector<Region>{{{0, 1, 2}, {-10, 0, 1, 1}, RegionRule::prefer, Decimal6{2'500'000}}});
  const Hardware hardware = read_hardware(
      R"({"columns": 1e1, "rows": 2, "clock_hz": 1.1e9, "link": {"bytes_per_s": 200e9},
          "achievable_percent": 4.45e1})",
      "hw.json");
  CHECK(hardware.clock_hz == 1'100'000'000);
  CHECK(hardware.link.bytes_per_s == 200'000'000'000);
  CHECK(hardware.achievable_percent == Decimal6{44'500'000});
  const Plan plan = read_plan(R"({"tensor": 0.8e1, "micro_batches": 64e0})", "plan.json");
  CHECK(plan.tensor == 8);
  CHECK(plan.micro_batches == 64);
  const MessageSet messages = read_message_set(
      R"({"mesh": [0.8e1, 8], "messages": [{"id": 1e0, "src": [0, 0], "dst": [7e0, 0],
          "flits": 1e6}]})",
      "m.json");
  CHECK(messages.columns == 8);
  CHECK(messages.messages[0].destinations[0] == TilePlace{7, 0});
  CHECK(messages.messages[0].flits == 1'000'000);
  const Workload workload = read_workload(
      R"({"tokens": 2e3, "operators": [{"name": "a", "kind": "linear", "in": 4, "out": 0.4e1}]})",
      "workload.json");
  CHECK(workload.tokens == 2000);
  CHECK(read_system(R"({"chip": {"flop_per_s": 1e12, "cores": 1.5e3}})", "s.json").chip.cores ==
        1500);
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
