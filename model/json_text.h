#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/decimal.h"
#include "model/errors.h"
#include "model/text_scan.h"

namespace waferloom {

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

/// Takes a parsed file apart. Every function throws InputError with the value's place for what it
/// does not expect; `what` names the value in messages.
class JsonReader {
 public:
  /// `schema` names the schema that lists all keys of the file, where there is one: "plan" of
  /// plan.schema.json.
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
  /// The value of a key that has to be there.
  const JsonValue& at(const JsonValue& object, std::string_view key) const;
  /// The elements of an array.
  const std::vector<JsonValue>& array(const JsonValue& value, const std::string& what) const;
  /// Whole numbers and decimals may have an exponent, and are exact: "200e9", "1.5e3".
  std::int64_t whole(const JsonValue& value, const std::string& what, NumberRange range) const;
  /// [height, width] as two whole numbers, or a number for both.
  std::pair<std::int64_t, std::int64_t> sides(const JsonValue& value, const std::string& what,
                                              NumberRange range) const;
  Decimal6 decimal(const JsonValue& value, const std::string& what, Decimal6 most) const;
  double real(const JsonValue& value, const std::string& what, RealRange range) const;
  const std::string& string(const JsonValue& value, const std::string& what) const;
  bool boolean(const JsonValue& value, const std::string& what) const;
  /// Demands that the key "schema", where it is there, has this value.
  void check_schema(const JsonValue& object, const std::string& schema) const;

 private:
  std::string where_all_are() const;

  std::string source_;
  std::string_view schema_;
};

}  // namespace waferloom
