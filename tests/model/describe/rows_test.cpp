#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "model/describe.h"
#include "model/errors.h"

namespace waferloom {
namespace {

enum class Finish : std::uint8_t { matt, polished };
constexpr std::array<std::string_view, 2> kFinishes{"matt", "polished"};
constexpr std::span<const std::string_view> words_of(Finish /*of*/) { return kFinishes; }

struct Hole {
  std::int64_t at = 0;
  double wide = 1;
};

/// Has every kind of member.
struct Plank {
  std::string wood = "oak";
  std::int64_t length = 7;
  Decimal6 price{};
  bool planed = false;
  Finish finish = Finish::matt;
  std::optional<std::int64_t> knots{};
  std::vector<Hole> holes{};
  std::map<std::string, std::string> marks{};
  Hole corner{};
  std::int64_t area() const { return 3 * length; }
};

void check_holes(const JsonReader& reader, const JsonValue& value, Plank& plank) {
  for (std::size_t i = 0; i < plank.holes.size(); ++i) {
    if (plank.holes[i].at < plank.length) continue;
    reader.fail(reader.at(value, "holes").items[i], "a hole within the plank");
  }
}

}  // namespace

template <>
const TypeRows& rows_of<Hole>() {
  static const TypeRows rows =
      rows_for<Hole>("a hole", {needed("at", &Hole::at, {"from the left", NumberRange{0, 100}}),
                                row("wide", &Hole::wide, {"across", RealRange{0.5, 1e24}})});
  return rows;
}

template <>
const TypeRows& rows_of<Plank>() {
  static const TypeRows rows = rows_for<Plank>(
      "a plank",
      {format_row("waferloom/plank/1"), needed("wood", &Plank::wood, {.items = {1, 20}}),
       row("length", &Plank::length, {"along", NumberRange{1, 50}}),
       row("price", &Plank::price, {.range = NumberRange{0, 9}}), row("planed", &Plank::planed),
       row("finish", &Plank::finish), row("knots", &Plank::knots, {.range = NumberRange{1, 9}}),
       row("holes", &Plank::holes, {.items = {0, 2}}),
       row("marks", &Plank::marks, {.item = "a mark"}), row("corner", &Plank::corner),
       remark_row("comment")},
      check_holes);
  return rows;
}

namespace {

struct Size {
  std::int64_t high = 1;
  std::int64_t wide = 1;
};
struct Beam {
  std::int64_t seat = 9;  // beside which its size lies
  Size size{};
  std::int64_t bow = 0;
  std::variant<std::string, std::vector<std::int64_t>> cuts{};
};

}  // namespace

template <>
const TypeRows& rows_of<Beam>() {
  static const TypeRows rows = rows_for<Beam>(
      "a beam",
      terse(joined({inside(&Beam::size, {row("high", &Size::high),
                                         derived("wide", &Size::wide,
                                                 [](const Size& size) { return 2 * size.high; })}),
                    {row("bow", &Beam::bow, {.null_is_none = true}),
                     row("cuts", &Beam::cuts, {.item = "a cut"})}})));
  return rows;
}

namespace {

Plank plank_of(const std::string& text) {
  return read_described<Plank>(JsonReader("p.json", "plank"), parse_json(text, "p.json"));
}

std::string complaint(const std::string& text) {
  try {
    plank_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("rows read every kind of member, and leave what is not there at its default") {
  const Plank plain = plank_of(R"({"wood": "ash"})");
  CHECK(plain.wood == "ash");
  CHECK(plain.length == 7);
  CHECK(plain.holes.empty());
  CHECK(!plain.knots);
  const Plank full = plank_of(R"({"schema": "waferloom/plank/1", "wood": "elm", "length": 2e1,
      "price": 2.5, "planed": true, "finish": "polished", "knots": 3,
      "holes": [{"at": 1}, {"at": 2, "wide": 0.5}], "marks": {"a": "x"}, "corner": {"at": 4},
      "comment": "said"})");
  CHECK(full.length == 20);
  CHECK(full.price.millionths == 2'500'000);
  CHECK(full.planed);
  CHECK(full.finish == Finish::polished);
  CHECK(full.knots == 3);
  REQUIRE(full.holes.size() == 2);
  CHECK(full.holes[0].wide == 1);
  CHECK(full.holes[1].wide == 0.5);
  CHECK(full.marks.at("a") == "x");
  CHECK(full.corner.at == 4);
}

TEST_CASE("null takes a value away that a file may lack, and no other") {
  CHECK(!plank_of(R"({"wood": "ash", "knots": null})").knots);
  CHECK(complaint(R"({"wood": "ash", "length": null})") ==
        "p.json:1:27: expected length as a whole number from 1 to 50, found null");
}

TEST_CASE("what a file has wrong is told with its place") {
  CHECK(complaint("[]") == "p.json:1:1: expected a plank as an object with wood, found an array");
  CHECK(complaint("{}") == "p.json:1:1: expected the key 'wood', found an object without it");
  CHECK(complaint(R"({"wood": "ash", "lenght": 3})")
            .rfind("p.json:1:17: expected one of 11 keys", 0) == 0);
  CHECK(complaint(R"({"wood": "ash", "lenght": 3})").find("did you mean 'length'?") !=
        std::string::npos);
  CHECK(complaint(R"({"wood": "ash", "length": 51})") ==
        "p.json:1:27: expected length as a whole number from 1 to 50, found '51'");
  CHECK(complaint(R"({"wood": "ash", "knots": 0})") ==
        "p.json:1:26: expected knots as null or as a whole number from 1 to 9, found '0'");
  CHECK(complaint(R"({"wood": "ash", "price": 9.5})").rfind("p.json:1:26: expected price as", 0) ==
        0);
  CHECK(complaint(R"({"wood": "ash", "planed": 1})") ==
        "p.json:1:27: expected planed as true or false, found '1'");
  CHECK(complaint(R"({"wood": "ash", "finish": "rough"})") ==
        "p.json:1:27: expected finish as matt or polished, found 'rough'");
  CHECK(complaint(R"({"wood": "ash", "holes": [{"at": 1}, {"at": 2}, {"at": 3}]})") ==
        "p.json:1:26: expected at most 2 items in holes, found an array");
  CHECK(complaint(R"({"wood": "ash", "holes": [3]})") ==
        "p.json:1:27: expected a hole as an object with at, found '3'");
  CHECK(complaint(R"({"wood": "ash", "holes": [{"at": 1, "wide": 0.4}]})") ==
        "p.json:1:45: expected wide as a number from 0.5 to 1e+24, found '0.4'");
  CHECK(complaint(R"({"wood": "ash", "marks": {"a": 1}})") ==
        "p.json:1:32: expected a mark, found '1'");
  CHECK(complaint(R"({"wood": "ash", "corner": 1})") ==
        "p.json:1:27: expected corner as an object with at, found '1'");
  CHECK(complaint(R"({"wood": "ash", "schema": "waferloom/beam/1"})") ==
        "p.json:1:27: expected the schema 'waferloom/plank/1', found 'waferloom/beam/1'");
}

TEST_CASE("what rows demand together is looked at once all of them are read") {
  CHECK(complaint(R"({"wood": "ash", "holes": [{"at": 3}, {"at": 4}], "length": 4})") ==
        "p.json:1:38: expected a hole within the plank, found an object");
}

TEST_CASE("what rows write they read as the same, in the order of the rows") {
  Plank plank;
  plank.knots = 2;
  plank.price = Decimal6{1'500'000};
  plank.holes = {{1, 2.5}};
  plank.marks["b"] = "y";
  const std::string text =
      written_text([&](ValueSink& sink) { write_rows(rows_of<Plank>(), &plank, sink); });
  CHECK(text.find("\"wood\"") < text.find("\"length\""));
  const Plank again = plank_of(text);
  CHECK(different_keys(rows_of<Plank>(), &plank, &again).empty());
  CHECK(again.holes[0].wide == 2.5);
  CHECK(again.price == plank.price);
}

TEST_CASE("keys that differ are named, others are not") {
  Plank left;
  Plank right;
  right.length = 8;
  right.holes = {{1, 1}};
  CHECK(different_keys(rows_of<Plank>(), &left, &right) ==
        std::vector<std::string>{"length", "holes"});
}

TEST_CASE("a schema has ranges, defaults, needed keys and no others") {
  const auto schema = nlohmann::json::parse(schema_text(rows_of<Plank>(), "a plank"));
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["required"] == nlohmann::json{"wood"});
  const auto& keys = schema["properties"];
  CHECK(keys.size() == 11);
  CHECK(keys["length"] == nlohmann::json{{"description", "along"},
                                         {"type", "integer"},
                                         {"minimum", 1},
                                         {"maximum", 50},
                                         {"default", 7}});
  CHECK(keys["wood"] == nlohmann::json{{"type", "string"}, {"minLength", 1}});
  CHECK(keys["finish"] == nlohmann::json{{"enum", {"matt", "polished"}}, {"default", "matt"}});
  CHECK(keys["knots"]["anyOf"][1] == nlohmann::json{{"type", "null"}});
  CHECK(keys["holes"]["maxItems"] == 2);
  CHECK(keys["holes"]["items"]["required"] == nlohmann::json{"at"});
  CHECK(keys["holes"]["items"]["properties"]["wide"]["maximum"] == 1e24);
  CHECK(keys["marks"]["additionalProperties"] == nlohmann::json{{"type", "string"}});
  CHECK(keys["schema"] ==
        nlohmann::json{{"description", "names the format"}, {"const", "waferloom/plank/1"}});
}

/// A report of a plank.
struct Survey {
  const Plank* plank;
  double weight = 0;
};

/// A report of numbers that few others have.
struct Ledger {
  NamedList<double> debts{{"oak", 2}, {"ash", 1}};
  ExactDecimal sum{"0.5"};
  Int128 all = 3;
  double rate = 1;
  std::uint64_t seed = std::numeric_limits<std::uint64_t>::max();
};

/// A report whose items differ.
struct Delivery {
  std::vector<OneFormOf<Hole, Ledger>> parts;
};

std::optional<double> known_weight(const Survey& survey) {
  return survey.weight > 0 ? std::optional(survey.weight) : std::nullopt;
}

}  // namespace

template <>
const TypeRows& rows_of<Ledger>() {
  static const TypeRows rows = report_rows(
      {row("debts", &Ledger::debts), row("sum", &Ledger::sum, {"exact"}), row("all", &Ledger::all),
       row("rate", &Ledger::rate, {.range = kAboveZero}), row("seed", &Ledger::seed)});
  return rows;
}

template <>
const TypeRows& rows_of<Survey>() {
  const auto plank = [](const Survey& survey) -> const Plank& { return *survey.plank; };
  const auto is_planed = [](const Plank& at) { return at.planed; };
  static const TypeRows rows = report_file(
      "waferloom/survey/1",
      joined({through<Survey>(
                  plank, {row("wood", &Plank::wood), row("area", &Plank::area, {.range = kCount}),
                          where<Plank>(is_planed, row("finish", &Plank::finish)),
                          nullable<Plank>(is_planed, row("length", &Plank::length))}),
              {computed<Survey>("weight", known_weight, {"null: not known", kAmount}),
               group("twice", {computed<Survey>(
                                  "weight", [](const Survey& at) { return 2 * at.weight; })})}}));
  return rows;
}

template <>
const TypeRows& rows_of<Delivery>() {
  static const TypeRows rows =
      report_rows({fixed_row("kind", "delivery", "what it is"), null_row("bill", "not known"),
                   later_row(row("parts", &Delivery::parts))});
  return rows;
}

namespace {

TEST_CASE("a report's rows lead to other objects, compute, leave out and say null") {
  Plank plank;
  const Report rough = described_report(Survey{&plank});
  CHECK(rough.json() == nlohmann::ordered_json{{"schema", "waferloom/survey/1"},
                                               {"wood", "oak"},
                                               {"area", 21},
                                               {"length", nullptr},
                                               {"weight", nullptr},
                                               {"twice", {{"weight", 0.0}}}});
  plank.planed = true;
  const Report planed = described_report(Survey{&plank, 2.5});
  CHECK(planed.json()["finish"] == "matt");
  CHECK(planed.json()["length"] == 7);
  CHECK(planed.json()["weight"] == 2.5);
  CHECK(planed.json()["twice"]["weight"] == 5);
}

TEST_CASE("a report's schema demands all keys but those that only some have") {
  const auto schema = nlohmann::json::parse(schema_text(rows_of<Survey>(), "a survey"));
  CHECK(schema["required"] ==
        nlohmann::json{"schema", "wood", "area", "length", "weight", "twice", "made_by"});
  const auto& keys = schema["properties"];
  CHECK(keys["finish"] == nlohmann::json{{"enum", {"matt", "polished"}}});
  CHECK(keys["area"] == nlohmann::json{{"type", "integer"}, {"minimum", 0}});
  CHECK(keys["length"]["anyOf"][0] == nlohmann::json{{"type", "integer"}});
  CHECK(keys["weight"]["description"] == "null: not known");
  CHECK(keys["weight"]["anyOf"][0] == nlohmann::json{{"type", "number"}, {"minimum", 0}});
  CHECK(keys["made_by"]["required"] == nlohmann::json{"version", "arguments", "inputs"});
}

TEST_CASE("a report has exact numbers, names in their order, and numbers above 0") {
  Ledger ledger;
  CHECK(described_report(ledger).json() ==
        nlohmann::ordered_json{{"debts", {{"oak", 2.0}, {"ash", 1.0}}},
                               {"sum", 0.5},
                               {"all", 3},
                               {"rate", 1.0},
                               {"seed", std::numeric_limits<std::uint64_t>::max()}});
  ledger.sum.text = "0.12345678901234567890";
  ledger.all = (Int128(1) << 53) + 1;
  CHECK(described_report(ledger).json()["sum"] == "0.12345678901234567890");
  CHECK(described_report(ledger).json()["all"] == "9007199254740993");
  const auto schema = nlohmann::json::parse(schema_text(rows_of<Ledger>(), "a ledger"));
  const auto& keys = schema["properties"];
  CHECK(keys["debts"]["additionalProperties"] == nlohmann::json{{"type", "number"}});
  CHECK(keys["sum"]["anyOf"][1]["pattern"] == R"(^[0-9]+(\.[0-9]+)?$)");
  CHECK(keys["all"]["anyOf"][0] == nlohmann::json{{"type", "number"}, {"minimum", 0}});
  CHECK(keys["rate"] == nlohmann::json{{"type", "number"}, {"exclusiveMinimum", 0}});
}

TEST_CASE("a number above all signed ones is written whole") {
  CHECK(described_report(Ledger{}).json()["seed"].dump() == "18446744073709551615");
}

TEST_CASE("a report of several forms has one of them") {
  const auto schema = nlohmann::json::parse(schema_text(
      {{"a plank's", &rows_of<Survey>()}, {"a shop's", &rows_of<Ledger>()}}, "a report"));
  REQUIRE(schema["oneOf"].size() == 2);
  CHECK(schema["oneOf"][0]["description"] == "a plank's");
  CHECK(schema["oneOf"][1]["required"] == nlohmann::json{"debts", "sum", "all", "rate", "seed"});
}

TEST_CASE("values of a report have one of several forms, fixed texts, and keys without a value") {
  const Delivery delivery{{Hole{3, 2}, Ledger{}}};
  const nlohmann::ordered_json json = described_report(delivery).json();
  CHECK(json["kind"] == "delivery");
  CHECK(json["bill"].is_null());
  CHECK(json["parts"][0] == nlohmann::ordered_json{{"at", 3}, {"wide", 2.0}});
  CHECK(json["parts"][1].contains("debts"));
  const auto schema = nlohmann::json::parse(schema_text(rows_of<Delivery>(), "a delivery"));
  CHECK(schema["required"] == nlohmann::json{"kind", "bill"});
  const auto& keys = schema["properties"];
  CHECK(keys["kind"] == nlohmann::json{{"description", "what it is"}, {"const", "delivery"}});
  CHECK(keys["bill"] == nlohmann::json{{"description", "not known"}, {"type", "null"}});
  REQUIRE(keys["parts"]["items"]["oneOf"].size() == 2);
  CHECK(keys["parts"]["items"]["oneOf"][1]["required"] ==
        nlohmann::json{"debts", "sum", "all", "rate", "seed"});
}

std::string written_again(const std::string& text) {
  const auto beam = read_described<Beam>(JsonReader("b.json"), parse_json(text, "b.json"));
  CHECK(beam.seat == 9);
  return nlohmann::json::parse(described_report(beam).json().dump()).dump();
}

TEST_CASE("what follows from other keys, or is so by default, is not written") {
  CHECK(written_again("{}") == R"({})");
  CHECK(written_again(R"({"high": 3, "bow": null})") == R"({"high":3})");
  CHECK(written_again(R"({"wide": 6, "high": 3})") == R"({"high":3})");
  CHECK(written_again(R"({"wide": 1, "high": 1, "bow": 2})") == R"({"bow":2,"wide":1})");
}

TEST_CASE("a value of two types is read by its kind of JSON") {
  CHECK(written_again(R"({"cuts": "all"})") == R"({"cuts":"all"})");
  CHECK(written_again(R"({"cuts": [1, 2]})") == R"({"cuts":[1,2]})");
  CHECK_THROWS_WITH_AS(written_again(R"({"cuts": 1})"),
                       "b.json:1:10: expected cuts as a text or as an array, found '1'",
                       InputError);
  const auto schema = nlohmann::json::parse(schema_text(rows_of<Beam>(), "a beam"))["properties"];
  CHECK(schema["cuts"]["anyOf"].size() == 2);
  CHECK(schema["bow"]["anyOf"][1]["type"] == "null");
  CHECK(!schema["wide"].contains("default"));
}

TEST_CASE("labels mean nothing where a type may have them") {
  const TypeRows strict = rows_for<Hole>("a hole", {needed("at", &Hole::at)});
  const TypeRows lax = with_labels(strict);
  const JsonValue file = parse_json(R"({"name": "x", "at": 3})", "p.json");
  Hole hole;
  CHECK_THROWS_AS(read_rows(JsonReader("p.json"), file, "a hole", strict, &hole), InputError);
  read_rows(JsonReader("p.json"), file, "a hole", lax, &hole);
  CHECK(hole.at == 3);
  CHECK_FALSE(nlohmann::json::parse(schema_text(strict, "x"))["additionalProperties"]);
  CHECK(nlohmann::json::parse(schema_text(lax, "x"))["additionalProperties"]);
}

TEST_CASE("no file has what a report computes") {
  const TypeRows rows = rows_for<Plank>("a plank", {row("area", &Plank::area)});
  Plank plank;
  CHECK_THROWS_AS(read_rows(JsonReader("p.json"), parse_json(R"({"area": 1})", "p.json"), "a plank",
                            rows, &plank),
                  InputError);
}

}  // namespace
}  // namespace waferloom
