#include "model/option_spec.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace waferloom;

namespace {

OptionSpec effort() {
  return {.name = "effort",
          .value = "N",
          .help = "Work, {range} {default}.",
          .range = WholeRange{1, 9},
          .fallback = "5"};
}

}  // namespace

TEST_CASE("braces in help stand for the row's range, default and choices") {
  CHECK(help_text(effort()) == "Work, 1 to 9 (default 5).");
  OptionSpec rule{.name = "rule", .value = "R", .help = "{choices}; {fallback} first."};
  rule.choices = {{"xy", "or as planned"}, {"yx"}, {"cuts", "no proof"}};
  rule.fallback = "xy";
  CHECK(help_text(rule) == "xy (default, or as planned), yx or cuts (no proof); xy first.");
}

TEST_CASE("whole numbers are held against both ends of their range") {
  CHECK(value_fault(effort(), "1").empty());
  CHECK(value_fault(effort(), "9").empty());
  CHECK(value_fault(effort(), "0.9e1").empty());
  for (const char* text :
       {"0", "10", "-1", "1.0", "", " 1", "1e1", "15e-1", "-1e0", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(value_fault(effort(), text) ==
          "expected a whole number from 1 to 9, found '" + std::string(text) + "'");
  }
}

TEST_CASE("numbers are held against both ends of their range") {
  const OptionSpec share{.name = "share", .value = "A", .range = RealRange{0, 1}};
  for (const char* text : {"0", "1", "0.8", "5e-1"}) CHECK(value_fault(share, text).empty());
  for (const char* text : {"-0.1", "1.0001", "nan", "inf", "", "1x"}) {
    CHECK(value_fault(share, text) ==
          "expected a number from 0 to 1, found '" + std::string(text) + "'");
  }
}

TEST_CASE("another word than the choices is told with the closest of them") {
  OptionSpec network{.name = "network", .value = "M"};
  network.choices = choices_of(std::array<std::string_view, 2>{"fair", "packet"});
  CHECK(value_fault(network, "fair").empty());
  CHECK(value_fault(network, "pakcet") ==
        "expected fair or packet, found 'pakcet', did you mean 'packet'?");
  network.range = WholeRange{1, 3};
  CHECK(value_fault(network, "3").empty());
  CHECK(value_fault(network, "7") ==
        "expected fair, packet or a whole number from 1 to 3, found '7'");
}

TEST_CASE("of many choices all are told as known") {
  OptionSpec option{.name = "kind", .value = "K"};
  std::string list;
  for (int i = 0; i < 11; ++i) {
    option.choices.push_back({"k" + std::to_string(i)});
    list += (i > 0 ? ", k" : "k") + std::to_string(i);
  }
  CHECK(value_fault(option, "strange") == "unknown kind 'strange' (known: " + list + ")");
}

TEST_CASE("an option without range and choices takes anything") {
  CHECK(value_fault({.name = "output", .value = "FILE"}, "10 apples").empty());
}

TEST_CASE("fallbacks of numbers are short") {
  CHECK(fallback_text(0.8) == "0.8");
  CHECK(fallback_text(1) == "1");
  CHECK(fallback_text(1e18) == "1e18");
}

namespace {

enum class Colour : std::uint8_t { red, green };
constexpr std::array<std::string_view, 2> kColours{"red", "green"};
constexpr std::span<const std::string_view> words_of(Colour /*of*/) { return kColours; }

struct Brush {
  double width = 0.5;
  bool round = true;
};
struct Painting {
  std::int64_t layers = 3;
  std::optional<std::uint64_t> seed;
  Colour colour = Colour::green;
  std::string name = "untitled";
  std::vector<std::string> pictures;
  std::size_t letters = 0;
  bool dry = false;
  Brush brush;
};

Options<Painting> painting_options() {
  const auto count = [](const std::string& text, const std::string& name) {
    return text.size() + name.size();
  };
  const Options<Brush> brush{
      option(&Brush::width, {.name = "width", .value = "X", .range = RealRange{0, 1}}),
      flag(&Brush::round, {.name = "flat"}, false)};
  return joined_options<Painting>(
      {{option(&Painting::layers, {.name = "layers", .value = "N", .range = WholeRange{1, 9}}),
        option(&Painting::seed, {.name = "seed", .value = "N", .range = WholeRange{0, 99}}),
        option(&Painting::colour, {.name = "colour", .value = "NAME"}),
        option(&Painting::name, {.name = "name", .value = "TEXT"}),
        option(&Painting::pictures, {.name = "draw", .value = "FILE", .repeated = true}),
        option(&Painting::letters, {.name = "letters", .value = "TEXT"}, count),
        option(&Painting::dry, {.name = "dry"})},
       options_inside(&Painting::brush, brush)});
}

}  // namespace

TEST_CASE("an option sets the member that its row names, to what its type makes of the text") {
  Painting painting;
  const std::map<std::string, std::vector<std::string>> given{
      {"layers", {"7"}},     {"seed", {"12"}},    {"colour", {"red"}},
      {"name", {"Sea"}},     {"width", {"0.25"}}, {"draw", {"a.svg", "b.png"}},
      {"letters", {"abcd"}}, {"dry", {""}},       {"flat", {""}}};
  for (const Option<Painting>& row : painting_options()) row.set(painting, given.at(row.spec.name));
  CHECK(painting.layers == 7);
  CHECK(painting.seed == 12U);
  CHECK(painting.colour == Colour::red);
  CHECK(painting.name == "Sea");
  CHECK(painting.pictures == std::vector<std::string>{"a.svg", "b.png"});
  CHECK(painting.letters == std::string("abcd--letters").size());
  CHECK(painting.dry);
  CHECK(painting.brush.width == 0.25);
  CHECK(!painting.brush.round);
}

TEST_CASE("an option has the default of its member and the choices of its enumeration") {
  const std::vector<OptionSpec> table = specs_of(painting_options());
  CHECK(option_named(table, "layers").fallback == "3");
  CHECK(option_named(table, "width").fallback == "0.5");
  CHECK(option_named(table, "colour").fallback == "green");
  CHECK(option_named(table, "name").fallback == "untitled");
  for (const char* name : {"seed", "draw", "letters", "dry", "flat"}) {
    CHECK(option_named(table, name).fallback.empty());
  }
  CHECK(value_fault(option_named(table, "colour"), "blue") ==
        "expected red or green, found 'blue'");
  CHECK(value_fault(option_named(table, "layers"), "10") ==
        "expected a whole number from 1 to 9, found '10'");
}

TEST_CASE("options stand behind others, in modes of a command") {
  const Options<Painting> table = in_modes(
      options_behind(painting_options(), "seed", {option(&Painting::dry, {.name = "wet"})}),
      {{{"--dry"}, {"wet", "width"}}});
  CHECK(table.at(2).spec.name == "wet");
  CHECK(table.at(2).spec.modes == std::vector<std::string>{"--dry"});
  CHECK(table.at(1).spec.modes.empty());
  CHECK_THROWS_AS(in_modes(painting_options(), {{{"--dry"}, {"sead"}}}), std::out_of_range);
}

TEST_CASE("rows are found by name and tables put together") {
  const std::vector<OptionSpec> table = joined({{effort()}, {{.name = "seed"}}});
  CHECK(option_named(table, "seed").name == "seed");
  CHECK_THROWS_AS(option_named(table, "sead"), std::out_of_range);
  CHECK(with_help(table[1], "Else.").help == "Else.");
}
