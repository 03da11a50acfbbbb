#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/decimal.h"
#include "model/errors.h"

namespace waferloom {

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

/// `text` in quotes for a message: at most 32 bytes, what is not printable ASCII as \xNN.
std::string in_quotes(std::string_view text);

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

}  // namespace waferloom
