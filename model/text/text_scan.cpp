#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

#include "model/text.h"
#include "model/text/nearest_words.h"
#include "model/text/node_name.h"

// Problem: read line-based files, and say exactly where something is wrong.
// Idea: first blank the comments, so that lines and columns stay as they are in the file. Then a
// cursor reads a line from left to right. Numbers are whole or decimal fractions, read exactly and
// never through a double. What does not fit is an error with line, column, what was expected and
// what was found, made printable. A misspelt word gets the candidate with the least edit distance.
// Cost: O(length of the text).
namespace waferloom {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7F || (byte < 0x20 && (byte < '\t' || byte > '\r'));
}

/// Walks over a text and blanks its comments.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source, bool line_comments)
      : text_(text), source_(source), line_comments_(line_comments) {
    result_.code.assign(text);
  }

  ScannedText scan() {
    while (next_ < text_.size()) {
      if (comes("(*")) {
        block_comment();
      } else if (line_comments_ && comes("//")) {
        while (next_ < text_.size() && text_[next_] != '\n' && text_[next_] != '\r') blank();
      } else {
        step();
      }
    }
    return std::move(result_);
  }

 private:
  bool comes(std::string_view token) const { return text_.substr(next_, token.size()) == token; }

  TextPosition position() const {
    return TextPosition{line_, static_cast<int>(next_ - line_start_) + 1};
  }

  /// Passes one character of code.
  void step() {
    const char c = text_[next_];
    if (is_control(c)) {
      throw InputError(source_, position(),
                       "expected text, found the byte " + in_quotes(text_.substr(next_, 1)));
    }
    ++next_;
    if (c == '\n' || (c == '\r' && !comes("\n"))) {
      ++line_;
      line_start_ = next_;
    }
  }

  /// Passes one character of a comment.
  void blank() {
    char& c = result_.code[next_];
    if (c != '\n' && c != '\r') c = ' ';
    step();
  }

  void block_comment() {
    const TextPosition opening = position();
    blank();
    blank();
    const TextPosition inside = position();
    const std::size_t first = next_;
    while (next_ < text_.size() && !comes("*)")) blank();
    if (next_ == text_.size()) {
      throw InputError(source_, opening,
                       "expected *) to close this comment, found the end of the file");
    }
    result_.comments.push_back(Comment{text_.substr(first, next_ - first), inside});
    blank();
    blank();
  }

  std::string_view text_;
  const std::string& source_;
  bool line_comments_;
  std::size_t next_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  ScannedText result_;
};

/// Number of insertions, deletions, replacements and swaps of neighbours that turn a into b,
/// whatever their case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    return lower(x) == lower(y);
  };
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, replaced});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row.back();
}

/// The digits at the front of a text, with a point and an exponent where they have one.
std::string_view leading_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const auto end_of = [&](std::string_view characters, std::size_t from) {
    return std::min(text.find_first_not_of(characters, from), text.size());
  };
  const std::size_t end = end_of("0123456789.", 0);
  if (end == 0 || end == text.size() || (text[end] != 'e' && text[end] != 'E')) {
    return text.substr(0, end);
  }
  const std::size_t sign = text.substr(end + 1, 1) == "-" || text.substr(end + 1, 1) == "+" ? 1 : 0;
  const std::size_t exponent = end_of(kDigits, end + 1 + sign);
  return text.substr(0, exponent > end + 1 + sign ? exponent : end);
}

}  // namespace

ScannedText scan_text(std::string_view text, const std::string& source, bool line_comments) {
  drop_byte_order_mark(text);
  return Scanner(text, source, line_comments).scan();
}

std::vector<CodeLine> split_lines(std::string_view text, TextPosition start) {
  std::vector<CodeLine> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back(CodeLine{text.substr(0, end), start.line, start.column});
    const std::size_t ending = text.substr(end, 2) == "\r\n" ? 2 : 1;
    text.remove_prefix(std::min(end + ending, text.size()));
    start = TextPosition{start.line + 1, 1};
  }
  return lines;
}

std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  }
  return text;
}

std::string in_quotes(std::string_view text, std::size_t most) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result = "'";
  for (const char c : text.substr(0, most)) {
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  if (text.size() > most) result += "...";
  return result + '\'';
}

std::vector<std::string_view> nearest_words(std::string_view word,
                                            const std::vector<std::string_view>& candidates,
                                            std::size_t count) {
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string_view candidate : candidates) {
    found.emplace_back(edit_distance(word, candidate), candidate);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> nearest;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) {
    nearest.push_back(found[i].second);
  }
  return nearest;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    if (word.size() > 2 * candidate.size()) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (3 * distance > candidate.size() + 1) continue;
    if (best && distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best ? ", did you mean '" + std::string(*best) + "'?" : "";
}

TextPosition LineCursor::position() const {
  return TextPosition{line_.number, static_cast<int>(next_) + line_.first_column};
}

void LineCursor::skip(std::size_t count) {
  next_ += count;
  while (next_ < line_.text.size() && is_blank(line_.text[next_])) ++next_;
}

/// What a message shows as found: a word with its number, or one character.
std::string_view LineCursor::upcoming() const {
  std::size_t end = next_;
  const auto part_of_word = [](char c) {
    return is_word_character(c) || c == '-' || c == '+' || c == '.' || (c & 0x80) != 0;
  };
  while (end < line_.text.size() && part_of_word(line_.text[end])) ++end;
  return line_.text.substr(next_, std::max<std::size_t>(end - next_, 1));
}

bool LineCursor::take(std::string_view token) {
  if (line_.text.substr(next_, token.size()) != token) return false;
  skip(token.size());
  return true;
}

void LineCursor::expect(std::string_view token) {
  if (!take(token)) fail(token == "'" ? "a single quote" : in_quotes(token));
}

std::string_view LineCursor::take_word() {
  std::size_t end = next_;
  while (end < line_.text.size() && is_word_character(line_.text[end])) ++end;
  const std::string_view word = line_.text.substr(next_, end - next_);
  skip(word.size());
  return word;
}

std::int64_t LineCursor::expect_number(std::string_view what, NumberRange range) {
  const std::string_view token = at_end() ? std::string_view() : upcoming();
  const std::optional<Int128> value = parse_whole_text(token);
  if (!value || *value < range.least || *value > range.most) {
    fail(fmt::format("{} as a whole number from {} to {}", what, range.least, range.most));
  }
  skip(token.size());
  return static_cast<std::int64_t>(*value);
}

std::int64_t LineCursor::expect_digits(std::string_view what, NumberRange range) {
  const std::string_view digits = rest().substr(0, rest().find_first_not_of("0123456789"));
  std::int64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec != std::errc() || value < range.least || value > range.most) {
    fail(fmt::format("{} as a whole number from {} to {}", what, range.least, range.most));
  }
  skip(digits.size());
  return value;
}

Decimal6 LineCursor::expect_decimal(std::string_view what, Decimal6 most) {
  const std::string_view token = leading_number(rest());
  const std::optional<Decimal6> value = parse_number6(token);
  if (!value || *value > most) {
    fail(std::string(what) + " as a decimal from 0 to " + to_string(most) +
         " of at most six places");
  }
  skip(token.size());
  return *value;
}

std::string_view LineCursor::expect_name() {
  std::size_t end = next_;
  while (end < line_.text.size() && is_name(line_.text.substr(end, 1))) ++end;
  const std::string_view name = line_.text.substr(next_, end - next_);
  if (!is_name(name)) fail(kNameRule);
  skip(name.size());
  return name;
}

void LineCursor::expect_end() {
  if (!at_end()) fail("the end of the line");
}

void LineCursor::fail(std::string_view expected, std::string_view hint) const {
  throw InputProblem{position(), "expected " + std::string(expected) + ", found " +
                                     (at_end() ? "the end of the line" : in_quotes(upcoming())) +
                                     std::string(hint)};
}

void drop_byte_order_mark(std::string_view& text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
}

}  // namespace waferloom
