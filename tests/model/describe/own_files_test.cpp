#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "model/describe.h"
#include "model/errors.h"
#include "tests/support/complaint.h"

// What files that the program writes and reads back have: texts of known characters, exact numbers,
// names with their places, an end that says that they are whole.

namespace waferloom {
namespace {

struct Parcel {
  std::string id{"00"};
  std::string label{};
  ExactDecimal weight{"0"};
  std::uint64_t number = 0;
  double scale = 2;
  std::vector<NamedAt<std::string>> stamps{};
};

}  // namespace

template <>
const TypeRows& rows_of<Parcel>() {
  static const TypeRows rows = rows_for<Parcel>(
      "a parcel",
      {needed(format_row("waferloom/parcel/1")),
       needed("id", &Parcel::id, {.items = {2, 2}, .characters = kHexadecimalDigits}),
       row("label", &Parcel::label, {.items = {0, 5}, .characters = kPrintableCharacters}),
       row("weight", &Parcel::weight), row("number", &Parcel::number, {.range = kPositiveCount}),
       row("scale", &Parcel::scale, {.range = RealRange{kAboveOne.least, 10}}),
       row("stamps", &Parcel::stamps, {.items = kPositiveCount, .item = "a stamp"}), whole_row()});
  return rows;
}

namespace {

/// A parcel's file with these keys behind those that it has to have.
std::string file_of(const std::string& keys) {
  return R"({"schema": "waferloom/parcel/1", "id": "0f", "whole": true)" + keys + "}";
}

Parcel parcel_of(const std::string& text) {
  return read_described<Parcel>(JsonReader("p.json"), parse_json(text, "p.json"));
}

std::string fault(const std::string& text) {
  return test::complaint_of<InputError>([&] { parcel_of(text); });
}

std::string fault_of(const std::string& keys) { return fault(file_of(keys)); }

TEST_CASE("a file has to name its format, and to be whole, where its rows say so") {
  CHECK(parcel_of(file_of("")).id == "0f");
  CHECK(fault(R"({"id": "0f", "whole": true})") ==
        "p.json:1:1: expected the key 'schema', found an object without it");
  CHECK(fault(R"({"schema": "waferloom/parcel/1", "id": "0f"})") ==
        "p.json:1:1: expected the key 'whole', found an object without it");
  CHECK(fault(R"({"schema": "waferloom/parcel/1", "id": "0f", "whole": false})") ==
        "p.json:1:55: expected whole as true, found 'false'");
}

TEST_CASE("who puts a file into its place writes that it is whole") {
  CHECK(!described_report(Parcel{}).json().contains("whole"));
  const auto schema = nlohmann::json::parse(schema_text(rows_of<Parcel>(), "a parcel"));
  CHECK(schema["properties"]["whole"]["const"] == true);
  CHECK(schema["required"] == nlohmann::json{"schema", "id", "whole"});
}

TEST_CASE("a text has the characters and the length of its row") {
  CHECK(parcel_of(file_of(R"(, "label": "a ~")")).label == "a ~");
  CHECK(fault_of(R"(, "label": "a\tb")") ==
        "p.json:1:70: expected label of printable characters, found 'a\\x09b'");
  CHECK(fault_of(R"(, "label": "abcdef")").find("label of printable characters") !=
        std::string::npos);
  CHECK(fault(R"({"schema": "waferloom/parcel/1", "id": "0F", "whole": true})") ==
        "p.json:1:40: expected id of 2 hexadecimal digits, found '0F'");
  CHECK(fault(R"({"schema": "waferloom/parcel/1", "id": "abc", "whole": true})")
            .find("id of 2 hexadecimal digits") != std::string::npos);
  const auto keys = nlohmann::json::parse(schema_text(rows_of<Parcel>(), "a parcel"))["properties"];
  CHECK(keys["id"] == nlohmann::json{{"type", "string"}, {"pattern", "^[0-9a-f]{2}$"}});
  CHECK(keys["label"]["pattern"] == "^[ -~]{0,5}$");
}

TEST_CASE("an exact decimal is read as it is written, number or text") {
  const auto weight = [](const std::string& json) {
    return parcel_of(file_of(R"(, "weight": )" + json)).weight.text;
  };
  CHECK(weight("12") == "12");
  CHECK(weight("0.5") == "0.5");
  CHECK(weight("5e-04") == "0.0005");
  CHECK(weight(R"("12345678901234567890.25")") == "12345678901234567890.25");
  CHECK(fault_of(R"(, "weight": "1e3")") ==
        "p.json:1:71: expected weight as a number from 0, or its digits, found the string '1e3'");
  CHECK(fault_of(R"(, "weight": "-1")").find("or its digits") != std::string::npos);
  CHECK(fault_of(R"(, "weight": -1)").find("weight as a number from 0") != std::string::npos);
  CHECK(fault_of(R"(, "weight": true)").find("or its digits") != std::string::npos);
}

TEST_CASE("a count is read up to the largest of 64 bits") {
  CHECK(parcel_of(file_of(R"(, "number": 18446744073709551615)")).number ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(fault_of(R"(, "number": 18446744073709551616)") ==
        "p.json:1:71: expected number as a whole number from 1 to 18446744073709551615, found "
        "'18446744073709551616'");
  CHECK(fault_of(R"(, "number": 0)").find("from 1 to") != std::string::npos);
}

TEST_CASE("a range may exclude a whole number below it") {
  CHECK(parcel_of(file_of(R"(, "scale": 1.5)")).scale == 1.5);
  CHECK(fault_of(R"(, "scale": 1)") ==
        "p.json:1:70: expected scale as a number above 1, at most 10, found '1'");
  CHECK(kAboveZero.excluded() == 0.0);
  CHECK(kAboveOne.excluded() == 1.0);
  CHECK_FALSE(kAmount.excluded());
  CHECK_FALSE(RealRange{0.5, 1}.excluded());
  CHECK_FALSE(RealRange{1, 2}.excluded());
  const auto keys = nlohmann::json::parse(schema_text(rows_of<Parcel>(), "a parcel"))["properties"];
  CHECK(keys["scale"]["exclusiveMinimum"] == 1);
  CHECK(keys["scale"]["maximum"] == 10);
}

TEST_CASE("names keep their place and their order") {
  const Parcel parcel = parcel_of(file_of(R"(, "stamps": {"b": "x", "a": "y"})"));
  REQUIRE(parcel.stamps.size() == 2);
  CHECK(parcel.stamps[0].name == "b");
  CHECK(parcel.stamps[0].value == "x");
  CHECK(parcel.stamps[1].name == "a");
  CHECK(parcel.stamps[1].at.column == 82);
  CHECK(described_report(parcel).json()["stamps"].dump() == R"({"b":"x","a":"y"})");
  CHECK(fault_of(R"(, "stamps": {})") ==
        "p.json:1:71: expected at least 1 key in stamps, found an object");
  CHECK(fault_of(R"(, "stamps": {"a": 1})").find("a stamp") != std::string::npos);
  const auto keys = nlohmann::json::parse(schema_text(rows_of<Parcel>(), "a parcel"))["properties"];
  CHECK(keys["stamps"]["minProperties"] == 1);
}

TEST_CASE("a schema lists numbers as it lists words") {
  constexpr std::array<std::int64_t, 2> kNumbers{0, 90};
  const std::string schema = line_text([&](ValueSink& sink) {
    sink.open_object();
    describe_numbers(kNumbers, sink);
    sink.close();
  });
  CHECK(schema == R"({"enum":[0,90]})");
}

TEST_CASE("a line has no blanks and no line ends, whatever its texts hold") {
  CHECK(line_text([](ValueSink& sink) {
          sink.open_object();
          sink.pair("a b", "c\nd \xff");
          sink.key("e");
          sink.open_list();
          sink.real(1.5);
          sink.nothing();
          sink.close();
          sink.close();
        }) == "{\"a b\":\"c\\nd \xEF\xBF\xBD\",\"e\":[1.5,null]}");
}

TEST_CASE("JSON that was read is written as files are hashed") {
  const std::string text = R"({"whole": [1, -2, 18446744073709551615], "real": [1e9, 0.5, 2e-7],
      "others": [true, null, "\u00e4"], "none": {}})";
  CHECK(hashed_text(parse_json(text, "t.json")) == R"({
  "whole": [
    1,
    -2,
    18446744073709551615
  ],
  "real": [
    1000000000.0,
    0.5,
    2e-07
  ],
  "others": [
    true,
    null,
    "ä"
  ],
  "none": {}
}
)");
  CHECK_THROWS_AS(hashed_text(parse_json("1e999", "t.json")), RequestError);
}

}  // namespace
}  // namespace waferloom
