#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/text.h"
#include "model/text/nearest_words.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

std::string scan_error(std::string_view text) {
  return test::complaint_of([&] { scan_text(text, "f", true); });
}

}  // namespace

TEST_CASE("comments become blanks and keep lines and columns") {
  const ScannedText scanned = scan_text("ab(* c\nd *)e // f\ng", "f", true);
  CHECK(scanned.code == "ab    \n    e     \ng");
  REQUIRE(scanned.comments.size() == 1);
  CHECK(scanned.comments[0].inside == " c\nd ");
  CHECK(scanned.comments[0].position == TextPosition{1, 5});
  CHECK(scan_text("a // b", "f", false).code == "a // b");
}

TEST_CASE("a byte order mark is dropped") {
  CHECK(scan_text("\xEF\xBB\xBFx", "f", false).code == "x");
}

TEST_CASE("all line ends are line ends") {
  const auto lines = split_lines("a\r\nb\rc\n\nd", TextPosition{1, 5});
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].text == "a");
  CHECK(lines[0].first_column == 5);
  CHECK(lines[1].text == "b");
  CHECK(lines[1].first_column == 1);
  CHECK(lines[2].text == "c");
  CHECK(lines[3].text.empty());
  CHECK(lines[4].text == "d");
  CHECK(lines[4].number == 5);
  CHECK(split_lines("", TextPosition{1, 1}).empty());
}

TEST_CASE("unterminated comments and control characters are told with their place") {
  CHECK(scan_error("a\n  (* b\n") ==
        "f:2:3: expected *) to close this comment, found the end of the file");
  CHECK(scan_error("(*") == "f:1:1: expected *) to close this comment, found the end of the file");
  CHECK(scan_error("(*)") == "f:1:1: expected *) to close this comment, found the end of the file");
  CHECK(scan_error(std::string_view("a\r\nb\0", 5)) ==
        "f:2:2: expected text, found the byte '\\x00'");
  CHECK(scan_error("(* \x1B[31m *)") == "f:1:4: expected text, found the byte '\\x1B'");
  CHECK(scan_error("\t\f\v\r\n").empty());
}

TEST_CASE("quotes are short and printable") {
  CHECK(in_quotes("abc") == "'abc'");
  CHECK(in_quotes("a\x01\xFF") == "'a\\x01\\xFF'");
  CHECK(in_quotes(std::string(40, 'x')) == "'" + std::string(32, 'x') + "...'");
}

TEST_CASE("close words are suggested") {
  CHECK(suggestion("convv", {"conv", "dblock"}) == ", did you mean 'conv'?");
  CHECK(suggestion("CONV", {"conv", "dblock"}) == ", did you mean 'conv'?");
  CHECK(suggestion("covn", {"conv", "dblock"}) == ", did you mean 'conv'?");
  CHECK(suggestion("eblock", {"cblock", "dblock"}) == ", did you mean 'cblock'?");
  CHECK(suggestion("pooling", {"conv", "dblock"}).empty());
  CHECK(suggestion("", {"conv"}).empty());
}

TEST_CASE("the nearest words take the fewest steps, of equals the first comes first") {
  using Words = std::vector<std::string_view>;
  // abd: 0 steps; bad: a swap of neighbours; abx: a replacement; xyz: three replacements.
  CHECK(nearest_words("abd", {"xyz", "abx", "bad", "abd"}, 3) == Words{"abd", "abx", "bad"});
  CHECK(nearest_words("ABD", {"xyz", "abd"}, 1) == Words{"abd"});
  CHECK(nearest_words("a", {"b", "c"}, 3) == Words{"b", "c"});
}

TEST_CASE("a cursor reads tokens and tells what it met instead") {
  LineCursor line(CodeLine{"  ab [ 12]x", 3, 1});
  CHECK(line.position() == TextPosition{3, 3});
  CHECK(line.take_word() == "ab");
  CHECK_FALSE(line.take("("));
  line.expect("[");
  CHECK(line.expect_number("n", NumberRange{0, 12}) == 12);
  line.expect("]");
  CHECK(line.rest() == "x");
  try {
    line.expect_end();
    FAIL("expected a problem");
  } catch (const InputProblem& problem) {
    CHECK(problem.position == TextPosition{3, 11});
    CHECK(problem.message == "expected the end of the line, found 'x'");
  }
}

TEST_CASE("numbers must be whole and in range") {
  const auto message = [](std::string_view text) -> std::string {
    LineCursor line(CodeLine{text, 1, 1});
    try {
      return std::to_string(line.expect_number("h", NumberRange{-3, 50}));
    } catch (const InputProblem& problem) {
      return problem.message;
    }
  };
  CHECK(message("-3") == "-3");
  CHECK(message("50 1") == "50");
  const std::string expected = "expected h as a whole number from -3 to 50, found ";
  CHECK(message("51") == expected + "'51'");
  CHECK(message("-4") == expected + "'-4'");
  CHECK(message("1.5") == expected + "'1.5'");
  CHECK(message("1e2") == expected + "'1e2'");
  CHECK(message("99999999999999999999") == expected + "'99999999999999999999'");
  CHECK(message("") == expected + "the end of the line");
  CHECK(message(")") == expected + "')'");
}

}  // namespace waferloom
