#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/int128.h"
#include "model/errors.h"

// Text, read and written, for all libraries: exact decimals, numbers as people and files read them
// (one function for each way), lines of text, JSON.

namespace waferloom {

/// A non-negative decimal of at most six places, kept as an integer number of millionths.
struct Decimal6 {
  static constexpr std::int64_t kOne = 1'000'000;
  std::int64_t millionths = 0;
  auto operator<=>(const Decimal6&) const = default;
};

/// Whole number as a Decimal6; whole in [0, 9'000'000'000].
constexpr Decimal6 decimal6(std::int64_t whole) { return Decimal6{whole * Decimal6::kOne}; }

/// Parses "12", "0.5", without an exponent; nothing if malformed, negative, finer than a
/// millionth or above 9,000,000,000.
std::optional<Decimal6> parse_decimal6(std::string_view text);

/// The same, also with an exponent: "2.5e3", "1E-2", whatever the number of digits in front of it.
std::optional<Decimal6> parse_number6(std::string_view text);

/// A whole number, "12", "-3", or with an exponent one that is whole: "200e9", "1.5e3", "20e-1",
/// but not "1.0". Exact: digits and exponent are read as integers. Nothing if malformed, not whole
/// or of more than 36 digits.
std::optional<Int128> parse_whole_text(std::string_view text);

/// Shortest exact text: "1", "0.5".
std::string to_string(Decimal6 value);

/// numerator/denominator (denominator ≥ 1, numerator ≥ 0) as the shortest exact decimal where one
/// exists, otherwise rounded half up to 12 places.
std::string decimal_text(Int128 numerator, Int128 denominator);

/// Whether numerator/denominator ends as a decimal.
bool is_exact_decimal(Int128 numerator, Int128 denominator);

std::string to_string(Int128 value);

/// The shortest text that reads back as the same double: "0.1", "1e+20".
std::string shortest_text(double value);
/// At most so many significant digits (1 to 17), no zeros behind the last one, and no exponent from
/// 1e-9 to below 1e9: "3.25", "0.00003072". Whole numbers are not rounded: "566912".
std::string significant_text(double value, int digits = 4);
/// So many places behind the point: "3.20".
std::string fixed_text(double value, int places);
/// A share with so many places: "31.2 %" of 0.312.
std::string percent_text(double share, int places);
/// A fraction of whole numbers.
struct ExactShare {
  std::int64_t part = 0;   ///< ≥ 0
  std::int64_t whole = 1;  ///< ≥ 1
};
/// A fraction as a share, exact before it is rounded half up, without zeros at the end: "31.2 %".
std::string percent_text(const ExactShare& share, int places);
/// Bytes in the unit that suits, 1000 in a step: "12.5 GB".
std::string bytes_text(double bytes, int digits = 4);
enum class Rounding : std::uint8_t { down, up };
/// The same with one place, rounded one way: what is needed is rounded up, what there is down.
std::string bytes_text(std::int64_t bytes, Rounding rounding);
/// Bytes as messages say them, in full: "14,084,104,192", "1,700.5", "unlimited" where they are
/// infinite. Two numbers never read the same.
std::string whole_bytes_text(double bytes);
/// Seconds in s, ms, us or ns: "3.25 ms".
std::string seconds_text(double seconds, int digits = 4);
/// "1 stage", "3 stages": so many of a thing.
std::string counted_text(std::int64_t count, const std::string& thing);
/// A number of `unit` with a prefix: "7.5 PFLOP/s"; without a unit "7.5 P".
std::string prefixed_text(double value, const std::string& unit = "", int digits = 4);

/// The number that so many significant digits of a value make, as reports have it.
double rounded(double value, int digits = 6);

/// What the line-based readers of model/ share: comments taken out, one cursor a line, messages
/// that name what was really found and are printable whatever the input holds.

/// Most problems that one InputError lists.
inline constexpr std::size_t kMaxProblems = 20;

/// A comment `(* … *)`: its inside, and where that begins.
struct Comment {
  std::string_view inside;
  TextPosition position;
};

/// One line without its line end.
struct CodeLine {
  std::string_view text;
  int number = 0;  ///< 1-based
  int first_column = 1;
};

/// A text cut into comments and code. Views point into the given text.
struct ScannedText {
  std::string code;  ///< the text with blanks for comments, lines and columns unchanged
  std::vector<Comment> comments;
};

/// Blanks out `(* … *)` and, if `line_comments`, `// …`; drops a byte order mark. Throws
/// InputError for an unterminated comment and for control characters, the sign of a file that is
/// no text. `text` must outlive the result. O(|text|).
ScannedText scan_text(std::string_view text, const std::string& source, bool line_comments);

/// The lines of a text that begins at `start`; LF, CRLF and CR end them.
std::vector<CodeLine> split_lines(std::string_view text, TextPosition start);

/// `text` in quotes for a message: at most so many bytes, what is not printable ASCII as \xNN.
std::string in_quotes(std::string_view text, std::size_t most = 32);

/// Valid UTF-8 that may stand in XML: malformed bytes, control characters and the noncharacters
/// U+FFFE and U+FFFF become U+FFFD. O(n).
std::string clean_text(std::string_view text);

/// Clean text with & < > " ' as entities, for element content and attribute values alike.
std::string escape_xml(std::string_view text);

/// "a, b or c", of at least one.
std::string alternatives(std::span<const std::string_view> names);

/// ", did you mean 'conv'?" if one of the candidates is close to `word`, else nothing.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);

/// Takes a byte order mark off the beginning.
void drop_byte_order_mark(std::string_view& text);

/// Inclusive bounds of a whole number.
struct NumberRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// Inclusive bounds of a real number.
struct RealRange {
  double least = 0;
  double most = 0;

  /// 1 of a range whose least is the next double above 1: a whole number that is just outside.
  /// Nothing for other ranges.
  std::optional<double> excluded() const;
};

/// Reads one line from left to right. Blanks and tabs between tokens are free. Every function
/// that meets something else than it expects throws InputProblem with its position.
class LineCursor {
 public:
  explicit LineCursor(const CodeLine& line) : line_(line) { skip(0); }

  bool at_end() const { return next_ == line_.text.size(); }
  /// Where the next token begins.
  TextPosition position() const;
  /// The next character, 0 at the end of the line.
  char peek() const { return at_end() ? '\0' : line_.text[next_]; }

  /// Everything from the next character on.
  std::string_view rest() const { return line_.text.substr(next_); }

  /// Passes `count` characters and the blanks behind them.
  void skip(std::size_t count);
  /// Takes `token` if it comes next.
  bool take(std::string_view token);
  /// Takes `token` or fails.
  void expect(std::string_view token);
  /// Takes letters, digits and underscores, possibly none.
  std::string_view take_word();
  /// Takes a whole number in a range, also "2e3"; `what` names it in messages ("H").
  std::int64_t expect_number(std::string_view what, NumberRange range);
  /// Takes the digits that come next as a whole number in a range, whatever follows them.
  std::int64_t expect_digits(std::string_view what, NumberRange range);
  /// Takes a decimal of at most six places from 0 to `most`, also "2.5e3".
  Decimal6 expect_decimal(std::string_view what, Decimal6 most);
  /// Takes a node's name (is_name of model/text/node_name.h).
  std::string_view expect_name();
  /// Fails unless the line is at its end.
  void expect_end();

  /// Throws "expected …, found …" and what `hint` adds at this place.
  [[noreturn]] void fail(std::string_view expected, std::string_view hint = {}) const;

 private:
  std::string_view upcoming() const;

  CodeLine line_;
  std::size_t next_ = 0;
};

/// A JSON value with the place where it begins. Numbers keep their text, so that decimals stay
/// exact. For readers of JSON files.
struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::string text;  ///< a number as written, a string decoded, "true" or "false"
  TextPosition position;
  std::vector<JsonValue> items;   ///< elements of an array, values of an object
  std::vector<std::string> keys;  ///< of an object, each once
  std::vector<TextPosition> at;   ///< where the keys stand
};

/// Parses one JSON value (RFC 8259; a byte order mark is dropped, keys must differ, nesting is at
/// most 16 deep). Throws InputError with source:line:column. O(|text|).
JsonValue parse_json(std::string_view text, const std::string& source);
/// The same of a text that need not be JSON: nothing then.
std::optional<JsonValue> json_if_any(std::string_view text);

/// Takes a parsed file apart. Every function throws InputError with the value's place for what it
/// does not expect; `what` names the value in messages.
class JsonReader {
 public:
  /// `schema` names the schema that lists all keys of the file, where there is one: "plan" of
  /// `waferloom schema plan`.
  explicit JsonReader(std::string source, std::string_view schema = {})
      : source_(std::move(source)), schema_(schema) {}

  [[noreturn]] void fail(const JsonValue& value, const std::string& expected) const;
  [[noreturn]] void fail(TextPosition position, const std::string& message) const;

  /// Demands an object without other keys than these. The message lists them, of more than eight
  /// the nearest three and the schema that has all.
  void expect_keys(const JsonValue& value, const std::string& what,
                   const std::vector<std::string_view>& keys) const;
  /// Demands an object, whatever its keys.
  void expect_object(const JsonValue& value, const std::string& what) const;
  /// The value of a key; null if it is not there.
  static const JsonValue* find(const JsonValue& object, std::string_view key);
  /// The value of a key; null if it is not there, or if it is JSON's null.
  static const JsonValue* find_unless_null(const JsonValue& object, std::string_view key);
  /// The text of a key; empty if it is not there, or no text.
  static std::string_view text_or_none(const JsonValue& object, std::string_view key);
  /// The value of a key that has to be there.
  const JsonValue& at(const JsonValue& object, std::string_view key) const;
  /// The elements of an array.
  const std::vector<JsonValue>& array(const JsonValue& value, const std::string& what) const;
  /// The elements of an array of two, "mesh as [columns, rows]".
  const std::vector<JsonValue>& pair(const JsonValue& value, const std::string& what) const;
  /// Whole numbers and decimals may have an exponent, and are exact: "200e9", "1.5e3".
  std::int64_t whole(const JsonValue& value, const std::string& what, NumberRange range) const;
  /// The same where it is one, in a range; else nothing.
  static std::optional<Int128> whole_if(const JsonValue& value, Int128 least, Int128 most);
  /// From `least` to the largest of 64 bits.
  std::uint64_t count(const JsonValue& value, const std::string& what, std::uint64_t least) const;
  /// [height, width] as two whole numbers, or a number for both.
  std::pair<std::int64_t, std::int64_t> sides(const JsonValue& value, const std::string& what,
                                              NumberRange range) const;
  Decimal6 decimal(const JsonValue& value, const std::string& what, Decimal6 most) const;
  double real(const JsonValue& value, const std::string& what, RealRange range) const;
  const std::string& string(const JsonValue& value, const std::string& what) const;
  bool boolean(const JsonValue& value, const std::string& what) const;

 private:
  std::string where_all_are() const;

  std::string source_;
  std::string_view schema_;
};

}  // namespace waferloom
