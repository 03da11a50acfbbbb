#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/describe.h"

namespace waferloom {
namespace {

/// Whole where it is, so that nobody reads 1e24 as a row of digits.
void bound(ValueSink& schema, std::string_view key, double value) {
  constexpr double kMostWhole = 1e15;
  if (std::fabs(value) <= kMostWhole &&
      value == static_cast<double>(static_cast<std::int64_t>(value))) {
    schema.pair(key, static_cast<std::int64_t>(value));
  } else {
    schema.pair(key, value);
  }
}

NumberRange whole_range(const Row& row) {
  const auto* range = std::get_if<NumberRange>(&row.facts.range);
  if (range != nullptr) return *range;
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

RealRange real_range(const Row& row) {
  if (const auto* range = std::get_if<RealRange>(&row.facts.range)) return *range;
  if (const auto* range = std::get_if<NumberRange>(&row.facts.range)) {
    return {static_cast<double>(range->least), static_cast<double>(range->most)};
  }
  return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}

void describe_range(const Row& row, ValueSink& schema) {
  if (const auto* range = std::get_if<NumberRange>(&row.facts.range)) {
    if (range->least > std::numeric_limits<std::int64_t>::min()) {
      schema.pair("minimum", range->least);
    }
    if (range->most < std::numeric_limits<std::int64_t>::max()) schema.pair("maximum", range->most);
  } else if (const auto* real = std::get_if<RealRange>(&row.facts.range)) {
    if (const std::optional<double> excluded = real->excluded()) {
      bound(schema, "exclusiveMinimum", *excluded);
    } else if (std::isfinite(real->least)) {
      bound(schema, "minimum", real->least);
    }
    if (std::isfinite(real->most)) bound(schema, "maximum", real->most);
  }
}

template <typename Value>
const Value& as(const void* from) {
  return *static_cast<const Value*>(from);
}

class WholeType final : public ValueType {
 public:
  JsonValue::Kind kind() const override { return JsonValue::Kind::number; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const override {
    *static_cast<std::int64_t*>(into) = reader.whole(value, what, whole_range(row));
  }
  void write(const void* from, ValueSink& sink) const override {
    sink.whole(as<std::int64_t>(from));
  }
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const override {
    schema.pair("type", "integer");
    describe_range(row, schema);
    if (otherwise != nullptr) schema.pair("default", as<std::int64_t>(otherwise));
  }
};

class RealType final : public ValueType {
 public:
  JsonValue::Kind kind() const override { return JsonValue::Kind::number; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const override {
    *static_cast<double*>(into) = reader.real(value, what, real_range(row));
  }
  void write(const void* from, ValueSink& sink) const override { sink.real(as<double>(from)); }
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const override {
    schema.pair("type", "number");
    describe_range(row, schema);
    if (otherwise != nullptr) bound(schema, "default", as<double>(otherwise));
  }
};

/// Exact: a decimal of six places up to 10⁹ is a double's shortest text.
class DecimalType final : public ValueType {
 public:
  JsonValue::Kind kind() const override { return JsonValue::Kind::number; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const override {
    const NumberRange range = whole_range(row);
    const Decimal6 found = reader.decimal(value, what, decimal6(range.most));
    if (found < decimal6(range.least)) {
      reader.fail(value, fmt::format("{} of at least {}", what, range.least));
    }
    *static_cast<Decimal6*>(into) = found;
  }
  void write(const void* from, ValueSink& sink) const override {
    const std::int64_t millionths = as<Decimal6>(from).millionths;
    if (millionths % Decimal6::kOne == 0) {
      sink.whole(millionths / Decimal6::kOne);
    } else {
      sink.real(static_cast<double>(millionths) / static_cast<double>(Decimal6::kOne));
    }
  }
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const override {
    schema.pair("type", "number");
    describe_range(row, schema);
    if (otherwise == nullptr) return;
    schema.key("default");
    write(otherwise, schema);
  }
};

class FlagType final : public ValueType {
 public:
  JsonValue::Kind kind() const override { return JsonValue::Kind::boolean; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* into) const override {
    *static_cast<bool*>(into) = reader.boolean(value, what);
  }
  void write(const void* from, ValueSink& sink) const override { sink.flag(as<bool>(from)); }
  void describe(const Row& /*row*/, const void* otherwise, ValueSink& schema) const override {
    schema.pair("type", "boolean");
    if (otherwise != nullptr) schema.pair("default", as<bool>(otherwise));
  }
};

/// How many of a thing a row takes: "{8}", "{1,20}", "+" or "*" of a regular expression.
std::string repeats(NumberRange count) {
  const bool is_open = count.most == std::numeric_limits<std::int64_t>::max();
  if (is_open && count.least <= 1) return count.least == 0 ? "*" : "+";
  std::string text = fmt::format("{{{}", count.least);
  if (count.most != count.least) text += "," + (is_open ? "" : std::to_string(count.most));
  return text + "}";
}

/// Whether ranges, "0-9a-f", have a character.
bool has_character(std::string_view ranges, char character) {
  for (; ranges.size() >= 3 && ranges[1] == '-'; ranges.remove_prefix(3)) {
    if (character >= ranges[0] && character <= ranges[2]) return true;
  }
  return false;
}

/// Whether a text has the length and the characters of its row.
bool fits(const RowFacts& facts, std::string_view text) {
  const auto length = static_cast<std::int64_t>(text.size());
  return length >= facts.items.least && length <= facts.items.most &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return has_character(facts.characters.ranges, c); });
}

void describe_text(const Row& row, ValueSink& schema) {
  const RowFacts& facts = row.facts;
  schema.pair("type", "string");
  if (!facts.characters.ranges.empty()) {
    schema.pair("pattern",
                "^[" + std::string(facts.characters.ranges) + "]" + repeats(facts.items) + "$");
  } else if (facts.items.least > 0) {
    schema.pair("minLength", facts.items.least);
  }
}

class TextType final : public ValueType {
 public:
  JsonValue::Kind kind() const override { return JsonValue::Kind::string; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const override {
    const RowFacts& facts = row.facts;
    const std::string name = facts.item.empty() ? what : std::string(facts.item);
    const std::string& text = reader.string(value, name);
    if (!facts.characters.ranges.empty() && !fits(facts, text)) {
      const bool has_length = facts.items.least == facts.items.most;
      reader.fail(value, name + " of " + (has_length ? fmt::format("{} ", facts.items.least) : "") +
                             std::string(facts.characters.meaning));
    }
    *static_cast<std::string*>(into) = text;
  }
  void write(const void* from, ValueSink& sink) const override { sink.text(as<std::string>(from)); }
  void describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_text(row, schema);
  }
};

class CountType final : public ValueType {
 public:
  JsonValue::Kind kind() const override { return JsonValue::Kind::number; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const override {
    const NumberRange range = whole_range(row);
    const std::int64_t least = std::max<std::int64_t>(range.least, 0);
    *static_cast<std::size_t*>(into) =
        range.most == kCount.most
            ? reader.count(value, what, static_cast<std::uint64_t>(least))
            : static_cast<std::size_t>(reader.whole(value, what, {least, range.most}));
  }
  void write(const void* from, ValueSink& sink) const override {
    sink.count(as<std::size_t>(from));
  }
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const override {
    schema.pair("type", "integer");
    describe_range(row, schema);
    if (otherwise == nullptr) return;
    schema.key("default");
    write(otherwise, schema);
  }
};

/// Of reports, which write texts that nothing reads.
class ViewType final : public WrittenType {
 public:
  void write(const void* from, ValueSink& sink) const override {
    sink.text(as<std::string_view>(from));
  }
  void describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_text(row, schema);
  }
};

class NothingType final : public WrittenType {
 public:
  void write(const void* /*from*/, ValueSink& sink) const override { sink.nothing(); }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    schema.pair("type", "null");
  }
};

/// The last key of a file that is not cut.
class WholeFileType final : public ValueType {
 public:
  JsonValue::Kind kind() const override { return JsonValue::Kind::boolean; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* /*into*/) const override {
    if (!reader.boolean(value, what)) reader.fail(value, what + " as true");
  }
  void write(const void* /*from*/, ValueSink& sink) const override { sink.flag(true); }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    schema.pair("const", true);
  }
};

class FormatType final : public ValueType {
 public:
  explicit FormatType(std::string_view name) : name_(name) {}
  void read(const JsonReader& reader, const JsonValue& value, const std::string& /*what*/,
            const Row& /*row*/, void* /*into*/) const override {
    if (value.kind == JsonValue::Kind::string && value.text == name_) return;
    reader.fail(value, "the schema " + in_quotes(name_));
  }
  void write(const void* /*from*/, ValueSink& sink) const override { sink.text(name_); }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    schema.pair("const", name_);
  }

 private:
  std::string_view name_;
};

class RemarkType final : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* /*into*/) const override {
    reader.string(value, what);
  }
  void write(const void* /*from*/, ValueSink& sink) const override { sink.text(""); }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    schema.pair("type", "string");
  }
};

/// An object of rows of its owner.
class GroupType final : public WrittenType {
 public:
  explicit GroupType(std::vector<Row> rows) : rows_(report_rows(std::move(rows))) {}
  void write(const void* from, ValueSink& sink) const override { write_rows(rows_, from, sink); }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_rows(rows_, schema);
  }

 private:
  TypeRows rows_;
};

/// What a list's row says of its items: their numbers' range, and not how many there are.
Row row_of_items(const Row& row) {
  Row items = row;
  items.facts.items = row.facts.inner_items;
  items.facts.inner_items = RowFacts().inner_items;
  items.facts.item = row.facts.inner_item;
  items.facts.or_null = true;
  return items;
}

/// A text that is a word of a list.
class ListedType final : public ValueType {
 public:
  ListedType(std::shared_ptr<const ValueType> text, std::span<const std::string_view> words)
      : text_(std::move(text)), words_(words) {}
  JsonValue::Kind kind() const override { return JsonValue::Kind::string; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const override {
    const std::string expected = what + " as " + alternatives(words_);
    const std::string& word = reader.string(value, expected);
    if (std::find(words_.begin(), words_.end(), word) == words_.end()) reader.fail(value, expected);
    text_->read(reader, value, what, row, into);
  }
  void write(const void* from, ValueSink& sink) const override { text_->write(from, sink); }
  void describe(const Row& /*row*/, const void* otherwise, ValueSink& schema) const override {
    describe_words(words_, schema);
    if (otherwise != nullptr) schema.pair("default", as<std::string>(otherwise));
  }

 private:
  std::shared_ptr<const ValueType> text_;
  std::span<const std::string_view> words_;
};

/// An item of a list, as messages call it.
std::string item_name(const Row& row, const ValueType& inner) {
  if (!row.facts.item.empty()) return std::string(row.facts.item);
  if (const auto* object = dynamic_cast<const ObjectType*>(&inner)) return object->rows().noun;
  return std::string(row.key);
}

}  // namespace

template <>
const ValueType& type_of<std::int64_t>() {
  static const WholeType type;
  return type;
}
template <>
const ValueType& type_of<double>() {
  static const RealType type;
  return type;
}
template <>
const ValueType& type_of<Decimal6>() {
  static const DecimalType type;
  return type;
}
template <>
const ValueType& type_of<bool>() {
  static const FlagType type;
  return type;
}
template <>
const ValueType& type_of<std::string>() {
  static const TextType type;
  return type;
}

template <>
const ValueType& type_of<std::string_view>() {
  static const ViewType type;
  return type;
}
template <>
const ValueType& type_of<std::size_t>() {
  static const CountType type;
  return type;
}

Row format_row(std::string_view name) { return fixed_row("schema", name, "names the format"); }
Row fixed_row(std::string_view key, std::string_view text, std::string_view meaning) {
  return {key, {meaning}, std::make_shared<FormatType>(text), 0, false};
}
Row remark_row(std::string_view key) {
  Row remark{key, {"a remark, which nothing reads"}, std::make_shared<RemarkType>(), 0, false};
  remark.is_written = false;
  return remark;
}

Row whole_row() {
  const RowFacts facts{.meaning = "the last key: the file was not cut", .required = true};
  Row whole{"whole", facts, std::make_shared<WholeFileType>(), 0, false};
  whole.is_written = false;
  return whole;
}

Row null_row(std::string_view key, std::string_view meaning) {
  return {key, {meaning}, std::make_shared<NothingType>(), 0, false};
}

Row listed_row(Row row, std::span<const std::string_view> words) {
  row.type = std::make_shared<ListedType>(std::move(row.type), words);
  return row;
}

Row group(std::string_view key, std::vector<Row> rows, RowFacts facts) {
  return {key, facts, std::make_shared<GroupType>(std::move(rows)), 0, false};
}

void WrittenType::read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                       const Row& /*row*/, void* /*into*/) const {
  reader.fail(value, "no " + what + " in a file");
}

void describe_words(std::span<const std::string_view> words, ValueSink& schema) {
  schema.key("enum");
  schema.open_list();
  for (const std::string_view word : words) schema.text(word);
  schema.close();
}

void describe_numbers(std::span<const std::int64_t> numbers, ValueSink& schema) {
  schema.key("enum");
  schema.open_list();
  for (const std::int64_t number : numbers) schema.whole(number);
  schema.close();
}

void describe_pair(NumberRange range, ValueSink& schema) {
  const Row row{{}, {.range = range, .items = {2, 2}}, {}};
  type_of<std::vector<std::int64_t>>().describe(row, nullptr, schema);
}

void WordType::read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                    const Row& /*row*/, void* into) const {
  const std::string expected = what + " as " + alternatives(words());
  const std::string& word = reader.string(value, expected);
  const auto found = std::find(words().begin(), words().end(), word);
  if (found == words().end()) reader.fail(value, expected);
  set(into, static_cast<std::size_t>(found - words().begin()));
}
void WordType::write(const void* from, ValueSink& sink) const { sink.text(words()[at(from)]); }
void WordType::describe(const Row& /*row*/, const void* otherwise, ValueSink& schema) const {
  describe_words(words(), schema);
  if (otherwise != nullptr) schema.pair("default", words()[at(otherwise)]);
}

void ObjectType::read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                      const Row& /*row*/, void* into) const {
  read_rows(reader, value, what, rows(), into);
}
void ObjectType::write(const void* from, ValueSink& sink) const { write_rows(rows(), from, sink); }
void ObjectType::describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const {
  describe_rows(rows(), schema);
}

void describe_or_null(const Row& row, const ValueType& type, ValueSink& schema) {
  schema.key("anyOf");
  schema.open_list();
  schema.open_object();
  type.describe(row, nullptr, schema);
  schema.close();
  schema.open_object();
  schema.pair("type", "null");
  schema.close();
  schema.close();
}

void OptionalType::read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                        const Row& row, void* into) const {
  reset(into);
  if (!row.facts.or_null) {
    inner().read(reader, value, what, row, emplace(into));
  } else if (value.kind != JsonValue::Kind::null) {
    inner().read(reader, value, what + " as null or", row, emplace(into));
  }
}
void OptionalType::write(const void* from, ValueSink& sink) const {
  if (const void* value = get(from)) {
    inner().write(value, sink);
  } else {
    sink.nothing();
  }
}
void OptionalType::describe(const Row& row, const void* otherwise, ValueSink& schema) const {
  if (!row.facts.or_null) {
    inner().describe(row, nullptr, schema);
    return;
  }
  describe_or_null(row, inner(), schema);
  if (otherwise == nullptr) return;
  schema.key("default");
  write(otherwise, schema);
}

void ListType::read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                    const Row& row, void* into) const {
  const std::vector<JsonValue>& items = reader.array(value, what + " as an array");
  const auto count = static_cast<std::int64_t>(items.size());
  if (count < row.facts.items.least) {
    reader.fail(value, "at least " + counted_text(row.facts.items.least, "item") + " in " + what);
  }
  if (count > row.facts.items.most) {
    reader.fail(value, "at most " + counted_text(row.facts.items.most, "item") + " in " + what);
  }
  const std::string name = item_name(row, inner());
  const Row item_row = row_of_items(row);
  for (const JsonValue& item : items) inner().read(reader, item, name, item_row, append(into));
}
void ListType::write(const void* from, ValueSink& sink) const {
  sink.open_list();
  for (std::size_t i = 0; i < size(from); ++i) inner().write(get(from, i), sink);
  sink.close();
}
void ListType::describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const {
  schema.pair("type", "array");
  if (row.facts.items.least > 0) schema.pair("minItems", row.facts.items.least);
  if (row.facts.items.most < std::numeric_limits<std::int64_t>::max()) {
    schema.pair("maxItems", row.facts.items.most);
  }
  schema.key("items");
  schema.open_object();
  inner().describe(row_of_items(row), nullptr, schema);
  schema.close();
}

namespace {

std::string_view kind_text(JsonValue::Kind kind) {
  constexpr std::array<std::string_view, 6> kTexts{"null",   "true or false", "a number",
                                                   "a text", "an array",      "an object"};
  return kTexts.at(static_cast<std::size_t>(kind));
}

}  // namespace

void EitherType::read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                      const Row& row, void* into) const {
  const std::size_t found = value.kind == inner(0).kind() ? 0 : 1;
  // What is wrong inside of a list or an object is no matter of the other type.
  const bool is_inside =
      value.kind == inner(found).kind() &&
      (value.kind == JsonValue::Kind::array || value.kind == JsonValue::Kind::object);
  const std::string other = " as " + std::string(kind_text(inner(1 - found).kind())) + " or";
  inner(found).read(reader, value, is_inside ? what : what + other, row, emplace(into, found));
}
void EitherType::write(const void* from, ValueSink& sink) const {
  inner(at(from)).write(get(from), sink);
}
void EitherType::describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const {
  schema.key("anyOf");
  schema.open_list();
  for (const std::size_t form : {0, 1}) {
    schema.open_object();
    inner(form).describe(row, nullptr, schema);
    schema.close();
  }
  schema.close();
}

void NamedType::read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                     const Row& row, void* into) const {
  reader.expect_object(value, what + " as an object");
  if (static_cast<std::int64_t>(value.keys.size()) < row.facts.items.least) {
    reader.fail(value, "at least " + counted_text(row.facts.items.least, "key") + " in " + what);
  }
  const std::string name = item_name(row, inner());
  const Row item_row = row_of_items(row);
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    inner().read(reader, value.items[i], name, item_row, put(into, value.keys[i], value.at[i]));
  }
}
void NamedType::write(const void* from, ValueSink& sink) const {
  sink.open_object();
  each(from, [&](const std::string& name, const void* value) {
    sink.key(name);
    inner().write(value, sink);
  });
  sink.close();
}
void NamedType::describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const {
  schema.pair("type", "object");
  if (row.facts.items.least > 0) schema.pair("minProperties", row.facts.items.least);
  schema.key("additionalProperties");
  schema.open_object();
  inner().describe(row_of_items(row), nullptr, schema);
  schema.close();
}

}  // namespace waferloom
