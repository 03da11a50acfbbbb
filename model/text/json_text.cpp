#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "model/text.h"
#include "model/text/json_items.h"
#include "model/text/nearest_words.h"

// Problem: read JSON so that every error has its line and column, and decimals stay exact.
// Idea: a recursive descent over the grammar. Each value keeps the place where it begins, and a
// number keeps its text. Objects refuse equal keys; nesting is limited. The functions that take a
// value apart throw InputError with the value's place.
// Source: RFC 8259.
// Cost: O(length of the text).
namespace waferloom {
namespace {

constexpr int kDeepest = 16;
constexpr const char* kEscapeWanted = "an escape such as \\n or \\u00e4";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Appends a code point below 0x10000 in UTF-8.
void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class JsonParser {
 public:
  JsonParser(std::string_view text, const std::string& source, int line = 1)
      : text_(text), source_(source), line_(line) {
    drop_byte_order_mark(text_);
  }

  void give_items(JsonItems items) { items_ = std::move(items); }

  JsonValue parse() {
    JsonValue value = read_value(0);
    skip_space();
    if (!at_end()) fail("the end of the file");
    return value;
  }

 private:
  bool at_end() const { return next_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[next_]; }

  TextPosition position() const {
    return TextPosition{line_, static_cast<int>(next_ - line_start_) + 1};
  }

  /// What stands here, for a message: a word or a character.
  std::string found() const {
    if (at_end()) return "the end of the file";
    if (peek() == '\n' || peek() == '\r') return "the end of the line";
    std::size_t end = next_;
    const auto in_word = [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
             c == '-' || c == '+' || c == '_';
    };
    while (end < text_.size() && in_word(text_[end])) ++end;
    return in_quotes(text_.substr(next_, std::max<std::size_t>(1, end - next_)));
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(source_, position(), "expected " + expected + ", found " + found());
  }

  void skip_space() {
    for (; !at_end() && is_space(peek()); ++next_) {
      const bool ends_line =
          peek() == '\n' || (peek() == '\r' && text_.substr(next_ + 1, 1) != "\n");
      if (!ends_line) continue;
      ++line_;
      line_start_ = next_ + 1;
    }
  }

  void expect(char c) {
    skip_space();
    if (peek() != c || at_end()) fail(in_quotes(std::string(1, c)));
    ++next_;
  }

  JsonValue read_value(int depth) {
    skip_space();
    if (depth > kDeepest) fail("a value nested at most 16 deep");
    JsonValue value;
    value.position = position();
    if (peek() == '{') {
      read_object(value, depth);
    } else if (peek() == '[') {
      read_array(value, depth);
    } else if (peek() == '"') {
      value.kind = JsonValue::Kind::string;
      value.text = read_string();
    } else if (is_digit(peek()) || peek() == '-') {
      read_number(value);
    } else {
      read_word(value);
    }
    return value;
  }

  void read_object(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::object;
    std::unordered_set<std::string> seen;  // of an object of more than a few keys
    const auto is_new = [&](const std::string& key) {
      constexpr std::size_t kFew = 12;
      const std::vector<std::string>& keys = value.keys;
      if (keys.size() < kFew) return std::find(keys.begin(), keys.end(), key) == keys.end();
      if (seen.empty()) seen.insert(keys.begin(), keys.end());
      return seen.insert(key).second;
    };
    ++next_;
    skip_space();
    if (peek() == '}') {
      ++next_;
      return;
    }
    while (true) {
      skip_space();
      if (peek() != '"') fail("a key in double quotes");
      value.at.push_back(position());
      std::string key = read_string();
      if (!is_new(key)) {
        throw InputError(source_, value.at.back(),
                         "expected each key once, found " + in_quotes(key) + " again");
      }
      expect(':');
      skip_space();
      const bool gives = depth == 0 && peek() == '[' && items_.take && key == items_.key;
      gives_ = gives;
      JsonValue read = read_value(depth + 1);
      value.keys.push_back(std::move(key));
      value.items.push_back(std::move(read));
      if (!more('}')) return;
    }
  }

  void read_array(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::array;
    const bool gives = std::exchange(gives_, false);
    ++next_;
    skip_space();
    if (peek() == ']') {
      ++next_;
      return;
    }
    do {
      JsonValue item = read_value(depth + 1);
      if (gives) {
        items_.take(item);
      } else {
        value.items.push_back(std::move(item));
      }
    } while (more(']'));
  }

  /// Takes a comma or the closing bracket; false for the latter.
  bool more(char closing) {
    skip_space();
    const char c = peek();
    if (c != ',' && c != closing) fail("',' or " + in_quotes(std::string(1, closing)));
    ++next_;
    return c == ',';
  }

  std::string read_string() {
    std::string text;
    for (++next_; peek() != '"'; ++next_) {
      const auto byte = static_cast<unsigned char>(peek());
      if (at_end() || byte < 0x20) fail("a string that ends with a double quote");
      if (peek() == '\\') {
        read_escape(text);
      } else {
        text += peek();
      }
    }
    ++next_;
    return text;
  }

  /// At the backslash; ends on the last character of the escape.
  void read_escape(std::string& text) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++next_;
    const std::size_t name = at_end() ? std::string_view::npos : kNames.find(peek());
    if (name != std::string_view::npos) {
      text += kMeanings[name];
      return;
    }
    const std::optional<unsigned> code = escaped_unit(next_);
    if (!code || (*code >= 0xDC00 && *code < 0xE000)) fail(kEscapeWanted);
    constexpr std::size_t kUnitLength = 5;  // uXXXX
    if (*code < 0xD800 || *code >= 0xE000) {
      append_utf8(text, *code);
      next_ += kUnitLength - 1;
      return;
    }
    // A character beyond the first plane is two units of UTF-16, high and low (RFC 8259, 7).
    const std::size_t second = next_ + kUnitLength + 1;
    const bool follows = text_.substr(next_ + kUnitLength, 1) == "\\";
    const std::optional<unsigned> low = follows ? escaped_unit(second) : std::nullopt;
    if (!low || *low < 0xDC00 || *low >= 0xE000) fail(kEscapeWanted);
    append_utf8(text, 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00));
    next_ = second + kUnitLength - 1;
  }

  /// The number of "uXXXX" at a place of the text.
  std::optional<unsigned> escaped_unit(std::size_t at) const {
    const std::string_view unit = text_.substr(std::min(at, text_.size()), 5);
    if (unit.size() != 5 || unit.front() != 'u') return std::nullopt;
    unsigned code = 0;
    const char* const end = unit.data() + unit.size();
    if (std::from_chars(unit.data() + 1, end, code, 16).ptr != end) return std::nullopt;
    return code;
  }

  void read_digits(const char* what) {
    if (!is_digit(peek())) fail(what);
    while (is_digit(peek())) ++next_;
  }

  void read_number(JsonValue& value) {
    const std::size_t begin = next_;
    if (peek() == '-') ++next_;
    if (peek() == '0') {
      ++next_;
      if (is_digit(peek())) fail("a number without leading zeros");
    } else {
      read_digits("a number");
    }
    if (peek() == '.') {
      ++next_;
      read_digits("digits behind the point");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++next_;
      if (peek() == '+' || peek() == '-') ++next_;
      read_digits("digits of an exponent");
    }
    value.kind = JsonValue::Kind::number;
    value.text = text_.substr(begin, next_ - begin);
  }

  void read_word(JsonValue& value) {
    for (const std::string_view word : {"null", "true", "false"}) {
      if (text_.substr(next_, word.size()) != word) continue;
      next_ += word.size();
      value.kind = word == "null" ? JsonValue::Kind::null : JsonValue::Kind::boolean;
      value.text = word;
      return;
    }
    fail("a JSON value");
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t next_ = 0;
  std::size_t line_start_ = 0;
  int line_;
  JsonItems items_;
  bool gives_ = false;  // whether the array that is read next gives its elements away
};

/// What a value is, for a message. A number in quotes, "8", would look like the number that was
/// expected.
std::string described(const JsonValue& value) {
  const bool is_figure = value.text.find_first_of("0123456789") != std::string::npos &&
                         value.text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  switch (value.kind) {
    case JsonValue::Kind::string:
      return (is_figure ? "the string " : "") + in_quotes(value.text);
    case JsonValue::Kind::number:
    case JsonValue::Kind::boolean:
      return in_quotes(value.text);
    case JsonValue::Kind::array:
      return "an array";
    case JsonValue::Kind::object:
      return "an object";
    case JsonValue::Kind::null:
      break;
  }
  return "null";
}

constexpr std::size_t kListedKeys = 8;
constexpr std::size_t kNearestKeys = 3;

std::string list_of(const std::vector<std::string_view>& keys) {
  std::string list;
  for (const std::string_view key : keys) list += (list.empty() ? "" : ", ") + std::string(key);
  return list;
}

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& source) {
  return JsonParser(text, source).parse();
}

JsonValue parse_json_items(std::string_view text, const std::string& source, JsonItems items) {
  JsonParser parser(text, source);
  parser.give_items(std::move(items));
  return parser.parse();
}

JsonValue parse_json_line(std::string_view text, const std::string& source, int line) {
  return JsonParser(text, source, line).parse();
}

std::optional<JsonValue> json_if_any(std::string_view text) {
  try {
    return parse_json(text, "");
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void JsonReader::fail(const JsonValue& value, const std::string& expected) const {
  fail(value.position, "expected " + expected + ", found " + described(value));
}

void JsonReader::fail(TextPosition position, const std::string& message) const {
  throw InputError(source_, position, message);
}

void JsonReader::expect_keys(const JsonValue& value, const std::string& what,
                             const std::vector<std::string_view>& keys) const {
  expect_object(value, what);
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& key = value.keys[i];
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const bool is_listed = keys.size() <= kListedKeys;
    fail(value.at[i],
         "expected one of " +
             (is_listed ? "the keys " + list_of(keys) : fmt::format("{} keys", keys.size())) +
             ", found " + in_quotes(key) + suggestion(key, keys) +
             (is_listed ? ""
                        : " (nearest: " + list_of(nearest_words(key, keys, kNearestKeys)) +
                              where_all_are() + ")"));
  }
}

std::string JsonReader::where_all_are() const {
  if (schema_.empty()) return "";
  return "; all: `waferloom schema " + std::string(schema_) + "`";
}

void JsonReader::expect_object(const JsonValue& value, const std::string& what) const {
  if (value.kind != JsonValue::Kind::object) fail(value, what);
}

const JsonValue* JsonReader::find(const JsonValue& object, std::string_view key) {
  for (std::size_t i = 0; i < object.keys.size(); ++i) {
    if (object.keys[i] == key) return &object.items[i];
  }
  return nullptr;
}

const JsonValue* JsonReader::find_unless_null(const JsonValue& object, std::string_view key) {
  const JsonValue* value = find(object, key);
  return value != nullptr && value->kind == JsonValue::Kind::null ? nullptr : value;
}

std::string_view JsonReader::text_or_none(const JsonValue& object, std::string_view key) {
  const JsonValue* value = find(object, key);
  const bool is_text = value != nullptr && value->kind == JsonValue::Kind::string;
  return is_text ? std::string_view(value->text) : std::string_view();
}

const JsonValue& JsonReader::at(const JsonValue& object, std::string_view key) const {
  const JsonValue* value = find(object, key);
  if (value == nullptr) {
    fail(object.position, "expected the key " + in_quotes(key) + ", found an object without it");
  }
  return *value;
}

const std::vector<JsonValue>& JsonReader::array(const JsonValue& value,
                                                const std::string& what) const {
  if (value.kind != JsonValue::Kind::array) fail(value, what);
  return value.items;
}

std::optional<Int128> JsonReader::whole_if(const JsonValue& value, Int128 least, Int128 most) {
  if (value.kind != JsonValue::Kind::number) return std::nullopt;
  const std::optional<Int128> number = parse_whole_text(value.text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

std::int64_t JsonReader::whole(const JsonValue& value, const std::string& what,
                               NumberRange range) const {
  const std::optional<Int128> number = whole_if(value, range.least, range.most);
  if (!number) {
    fail(value, fmt::format("{} as a whole number from {} to {}", what, range.least, range.most));
  }
  return static_cast<std::int64_t>(*number);
}

std::uint64_t JsonReader::count(const JsonValue& value, const std::string& what,
                                std::uint64_t least) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::optional<Int128> number = whole_if(value, least, kMost);
  if (!number) {
    fail(value, fmt::format("{} as a whole number from {} to {}", what, least, kMost));
  }
  return static_cast<std::uint64_t>(*number);
}

const std::vector<JsonValue>& JsonReader::pair(const JsonValue& value,
                                               const std::string& what) const {
  const std::vector<JsonValue>& items = array(value, what);
  if (items.size() != 2) fail(value, what);
  return items;
}

std::pair<std::int64_t, std::int64_t> JsonReader::sides(const JsonValue& value,
                                                        const std::string& what,
                                                        NumberRange range) const {
  const bool is_pair = value.kind == JsonValue::Kind::array && value.items.size() == 2;
  if (!is_pair && value.kind != JsonValue::Kind::number) {
    fail(value, what + " as [height, width] or a number for both");
  }
  return {whole(is_pair ? value.items[0] : value, what, range),
          whole(is_pair ? value.items[1] : value, what, range)};
}

Decimal6 JsonReader::decimal(const JsonValue& value, const std::string& what, Decimal6 most) const {
  const auto number =
      value.kind == JsonValue::Kind::number ? parse_number6(value.text) : std::optional<Decimal6>();
  if (!number || *number > most) {
    fail(value, what + " as a decimal from 0 to " + to_string(most) + " of at most six places");
  }
  return *number;
}

std::optional<double> RealRange::excluded() const {
  const double below = std::nextafter(least, -std::numeric_limits<double>::infinity());
  const bool is_just_above = below == std::floor(below) && least != std::floor(least);
  return is_just_above ? std::optional(below) : std::nullopt;
}

double JsonReader::real(const JsonValue& value, const std::string& what, RealRange range) const {
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const bool is_number = value.kind == JsonValue::Kind::number;
  const auto parsed = std::from_chars(value.text.data(), end, number);
  if (!is_number || parsed.ec != std::errc() || parsed.ptr != end || !(number >= range.least) ||
      !(number <= range.most)) {
    const std::optional<double> excluded = range.excluded();
    fail(value, what +
                    (excluded ? " as a number above " + shortest_text(*excluded) + ", at most "
                              : " as a number from " + shortest_text(range.least) + " to ") +
                    shortest_text(range.most));
  }
  return number;
}

bool JsonReader::boolean(const JsonValue& value, const std::string& what) const {
  if (value.kind != JsonValue::Kind::boolean) fail(value, what + " as true or false");
  return value.text == "true";
}

const std::string& JsonReader::string(const JsonValue& value, const std::string& what) const {
  if (value.kind != JsonValue::Kind::string) fail(value, what);
  return value.text;
}

}  // namespace waferloom
