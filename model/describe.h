#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/report.h"
#include "model/text.h"

// What files and reports say of a type, told once: a row for each key. Reader, writer and JSON
// Schema follow from the rows.
//
//     template <>
//     const TypeRows& rows_of<MemoryLevel>() {
//       static const TypeRows rows = rows_for<MemoryLevel>(
//           "a memory",
//           {needed("name", &MemoryLevel::name),
//            row("bytes", &MemoryLevel::bytes, {"for each chip", RealRange{0, 1e24}})});
//       return rows;
//     }
//
// Members may be whole numbers, decimals, reals, truth values, texts, words of a list (an
// enumeration with `words_of`), types that have rows of their own, and std::optional (null),
// std::vector (an array), std::map by std::string, NamedList and std::vector of NamedAt (an object
// by name) of these;
// std::variant of two of them that are different kinds of JSON; of reports OneFormOf.

namespace waferloom {

/// Values by name, in an order of their own.
template <typename Value>
using NamedList = std::vector<std::pair<std::string, Value>>;

/// A value of a file by its name, and where the name stands.
template <typename Value>
struct NamedAt {
  std::string name;
  TextPosition at{};
  Value value{};
};

/// A decimal that a report has as a number where a double prints it exactly, else as its text
/// (exact_number). An Int128 is written likewise.
struct ExactDecimal {
  std::string text;
};

/// A value of a report that has one of several forms.
template <typename... Forms>
struct OneFormOf : std::variant<Forms...> {
  using std::variant<Forms...>::variant;
};

/// A value of a file and where it stands, for what is found wrong with it later.
template <typename Value>
struct At {
  Value value{};
  TextPosition at{};
};

/// Takes in one value, from the outside to the inside: an object is open, then key and value for
/// each of its keys, then it is closed. What it makes of them is its own affair; nobody else knows
/// JSON.
class ValueSink {
 public:
  ValueSink() = default;
  ValueSink(const ValueSink&) = delete;
  ValueSink& operator=(const ValueSink&) = delete;
  virtual ~ValueSink() = default;

  virtual void open_object() = 0;
  virtual void open_list() = 0;
  /// Closes the object or list that was opened last.
  virtual void close() = 0;
  /// Of the value that comes next, inside of an object.
  virtual void key(std::string_view name) = 0;
  virtual void whole(std::int64_t value) = 0;
  /// One that may be above all signed ones, as a seed.
  virtual void count(std::uint64_t value) = 0;
  virtual void real(double value) = 0;
  virtual void flag(bool value) = 0;
  virtual void text(std::string_view value) = 0;
  virtual void nothing() = 0;

  /// A key and its value.
  template <typename Value>
  void pair(std::string_view name, const Value& value) {
    key(name);
    if constexpr (std::is_same_v<Value, bool>) {
      flag(value);
    } else if constexpr (std::is_integral_v<Value>) {
      whole(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<Value>) {
      real(value);
    } else {
      text(value);
    }
  }
};

/// The text of what `write` hands to a sink, as files and reports are written: indented by two,
/// with a line end.
std::string written_text(const std::function<void(ValueSink&)>& write);
/// The same on one line, without blanks and without a line end.
std::string line_text(const std::function<void(ValueSink&)>& write);

/// A text as JSON has it: in quotes.
std::string json_string(std::string_view text);

/// Hands a value that was read on to a sink: whole numbers of 64 bits as such, others as doubles.
void write_json(const JsonValue& value, ValueSink& sink);
/// The text of such a value, indented by two, with a line end. Never changes, since files of it are
/// hashed: doubles have a point or an exponent ("1000000000.0"), where other texts have none.
std::string hashed_text(const JsonValue& value);

struct Row;

/// How values of one C++ type are read, written and described. Rows hold them without their type.
class ValueType {
 public:
  ValueType() = default;
  ValueType(const ValueType&) = delete;
  ValueType& operator=(const ValueType&) = delete;
  virtual ~ValueType() = default;

  /// Sets `into` from a file's value, which messages call `what`. Throws InputError with its place.
  virtual void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
                    const Row& row, void* into) const = 0;
  virtual void write(const void* from, ValueSink& sink) const = 0;
  /// Keys of its schema, into an object that is open. `otherwise` is what a file means that has no
  /// such value; null: it has to be there.
  virtual void describe(const Row& row, const void* otherwise, ValueSink& schema) const = 0;
  /// Whether a value is there at all, of those that may be missing.
  virtual bool is_there(const void* /*value*/) const { return true; }
  /// The kind of JSON that it is in a file.
  virtual JsonValue::Kind kind() const { return JsonValue::Kind::object; }
};

/// What a text consists of.
struct Characters {
  std::string_view ranges;   ///< as a regular expression has them in brackets: "0-9a-f"
  std::string_view meaning;  ///< as messages call them: "hexadecimal digits"
};
inline constexpr Characters kDecimalDigits{"0-9", "digits"};
inline constexpr Characters kHexadecimalDigits{"0-9a-f", "hexadecimal digits"};
inline constexpr Characters kPrintableCharacters{" -~", "printable characters"};

/// What a row says beside its key and its member.
struct RowFacts {
  std::string_view meaning{};
  std::variant<std::monostate, NumberRange, RealRange> range{};  ///< of each number of the value
  NumberRange items{
      0, std::numeric_limits<std::int64_t>::max()};  ///< how many items of a list, bytes of a text
  Characters characters{};                           ///< that a text may have; without ranges: any
  std::string_view item{};  ///< as messages call an item that has no rows of its own
  /// Likewise of an item of such an item, and how many.
  std::string_view inner_item{};
  NumberRange inner_items{0, std::numeric_limits<std::int64_t>::max()};
  /// What may be missing is null then; false: there is no such key.
  bool or_null = true;
  bool required = false;      ///< a file has to have the key
  bool null_is_none = false;  ///< null is as if there was no such key
};

/// Of a row "bottleneck".
inline constexpr std::string_view kBottleneckMeaning =
    "what bounds the result, and what binds next; null where nothing takes time";

/// Of a row "warnings".
inline constexpr std::string_view kWarningsMeaning =
    "what was doubted in the inputs but taken, as on stderr";

/// Numbers of reports that are not negative.
inline constexpr NumberRange kCount{0, std::numeric_limits<std::int64_t>::max()};
inline constexpr NumberRange kPositiveCount{1, std::numeric_limits<std::int64_t>::max()};
inline constexpr RealRange kAmount{0, std::numeric_limits<double>::infinity()};
inline constexpr RealRange kShare{0, 1};
/// 0 excluded: schemas have an exclusiveMinimum.
inline constexpr RealRange kAboveZero{std::numeric_limits<double>::denorm_min(),
                                      std::numeric_limits<double>::infinity()};
inline constexpr RealRange kAboveOne{1 + std::numeric_limits<double>::epsilon(),
                                     std::numeric_limits<double>::infinity()};

/// One key of a type: a member, or what is computed of the whole.
struct Row {
  std::string_view key;
  RowFacts facts;
  std::shared_ptr<const ValueType> type;
  std::ptrdiff_t offset = 0;  ///< of the member, in bytes; 0 for what takes the whole
  bool is_member = true;
  bool is_written = true;    ///< false: someone else writes it
  bool says_default = true;  ///< false: not written where a file without the key means the same
  std::ptrdiff_t part = 0;   ///< of the part of the owner that it is a row of, in bytes
  /// What the row is a row of, where that is another object that the owner leads to.
  const void* (*leads_to)(const void* owner) = nullptr;
  /// Whether an owner has the key, and whether it has a value: not null. No function: each has.
  bool (*applies)(const void* owner) = nullptr;
  bool (*is_known)(const void* owner) = nullptr;
  /// Sets a member of which a file says nothing from those that it says.
  std::function<void(void* owner)> derive{};
  std::function<bool(const void* owner)> is_derived{};  ///< whether it is what `derive` sets

  /// What the rows beside it are rows of: an owner, its part, or what it leads to.
  const void* whole_of(const void* owner) const;
  /// What the type of the value takes, of an owner.
  const void* value_of(const void* owner) const;
};

/// All that files and reports say of a type, without the type.
struct TypeRows {
  std::string noun;        ///< as messages call one of them: "a memory"
  std::vector<Row> rows;   ///< in the order in which they are read and written
  const void* defaults{};  ///< what a file without keys means; null: of a report, which has all
  /// Demands what no row alone can, of an object that was read.
  std::function<void(const JsonReader&, const JsonValue&, void*)> check{};
  bool has_labels = false;  ///< keys that no row has are labels, and mean nothing
};

/// The rows of a type; specialised beside its reader.
template <typename Owner>
const TypeRows& rows_of();

template <>
const TypeRows& rows_of<Bottleneck>();
template <>
const TypeRows& rows_of<InputFacts>();

/// Reads an object by rows: first its keys are looked at, then the rows are read in their order,
/// then what they demand together. Throws InputError with source:line:column. `what` is its name in
/// messages: "chip", "a memory".
void read_rows(const JsonReader& reader, const JsonValue& value, const std::string& what,
               const TypeRows& type, void* into);
/// Writes an object with all its keys.
void write_rows(const TypeRows& type, const void* from, ValueSink& sink);
/// Keys of the schema of such an object, into an object that is open.
void describe_rows(const TypeRows& type, ValueSink& schema);
/// Keys of the schema of such a value or null.
void describe_or_null(const Row& row, const ValueType& type, ValueSink& schema);
/// Keys of the schema of a text that is one of these words.
void describe_words(std::span<const std::string_view> words, ValueSink& schema);
/// Keys of the schema of a list of two whole numbers in a range.
void describe_pair(NumberRange range, ValueSink& schema);
/// Keys of the schema of a whole number that is one of these.
void describe_numbers(std::span<const std::int64_t> numbers, ValueSink& schema);
/// The JSON Schema (draft 7) of a file whose root has these rows, with a line end. `meaning`: its
/// description, if any.
std::string schema_text(const TypeRows& type, std::string_view title,
                        std::string_view meaning = {});

/// One of several forms of a report.
struct ReportForm {
  std::string_view meaning;
  const TypeRows* rows;
};
/// The schema of a report that has one of these forms.
std::string schema_text(const std::vector<ReportForm>& forms, std::string_view title);

/// Keys whose values differ, in the order of the rows. Both of the type that the rows are of.
std::vector<std::string> different_keys(const TypeRows& type, const void* left, const void* right);

/// The words of a list, at the place of each value of an enumeration: found by the argument's type.
/// constexpr std::span<const std::string_view> words_of(Enumeration);

template <typename Value>
const ValueType& type_of();
template <>
const ValueType& type_of<bool>();
template <>
const ValueType& type_of<std::int64_t>();
template <>
const ValueType& type_of<double>();
template <>
const ValueType& type_of<Decimal6>();
template <>
const ValueType& type_of<std::string>();
template <>
const ValueType& type_of<std::size_t>();
template <>
const ValueType& type_of<std::string_view>();  // of reports alone
template <>
const ValueType& type_of<Int128>();  // likewise
template <>
const ValueType& type_of<ExactDecimal>();

// What type_of() makes of other types, each cut into what hangs on the type, here, and what does
// not (describe/value_types.cpp).

class WordType : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const final;
  void write(const void* from, ValueSink& sink) const final;
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const final;
  JsonValue::Kind kind() const final { return JsonValue::Kind::string; }

 private:
  virtual std::span<const std::string_view> words() const = 0;
  virtual std::size_t at(const void* from) const = 0;
  virtual void set(void* into, std::size_t at) const = 0;
};

class ObjectType : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const final;
  void write(const void* from, ValueSink& sink) const final;
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const final;
  virtual const TypeRows& rows() const = 0;
};

class OptionalType : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const final;
  void write(const void* from, ValueSink& sink) const final;
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const final;

 private:
  bool is_there(const void* value) const final { return get(value) != nullptr; }
  virtual const ValueType& inner() const = 0;
  virtual const void* get(const void* from) const = 0;  ///< null for nothing
  virtual void* emplace(void* into) const = 0;
  virtual void reset(void* into) const = 0;
};

class ListType : public ValueType {
 public:
  bool is_there(const void* value) const final { return size(value) > 0; }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const final;
  void write(const void* from, ValueSink& sink) const final;
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const final;
  JsonValue::Kind kind() const final { return JsonValue::Kind::array; }

 private:
  virtual const ValueType& inner() const = 0;
  virtual std::size_t size(const void* from) const = 0;
  virtual const void* get(const void* from, std::size_t at) const = 0;
  virtual void* append(void* into) const = 0;
};

/// A value of one of two types, which its kind of JSON tells apart.
class EitherType : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const final;
  void write(const void* from, ValueSink& sink) const final;
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const final;

 private:
  virtual const ValueType& inner(std::size_t at) const = 0;
  virtual std::size_t at(const void* from) const = 0;
  virtual const void* get(const void* from) const = 0;
  virtual void* emplace(void* into, std::size_t at) const = 0;
};

/// An object whose keys are names of things.
class NamedType : public ValueType {
 public:
  bool is_there(const void* value) const final { return !is_empty(value); }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const final;
  void write(const void* from, ValueSink& sink) const final;
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const final;

 protected:
  using Visit = std::function<void(const std::string&, const void*)>;

 private:
  virtual const ValueType& inner() const = 0;
  virtual bool is_empty(const void* from) const = 0;
  virtual void each(const void* from, const Visit& visit) const = 0;
  virtual void* put(void* into, const std::string& name, TextPosition at) const = 0;
};

/// Values of reports, which no file has.
class WrittenType : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const final;
};

namespace described {

template <typename Word>
class Words final : public WordType {
  std::span<const std::string_view> words() const override { return words_of(Word{}); }
  std::size_t at(const void* from) const override {
    return static_cast<std::size_t>(*static_cast<const Word*>(from));
  }
  void set(void* into, std::size_t at) const override {
    *static_cast<Word*>(into) = static_cast<Word>(at);
  }
};

template <typename Owner>
class Object final : public ObjectType {
  const TypeRows& rows() const override { return rows_of<Owner>(); }
};

template <typename Value>
class Optional final : public OptionalType {
  using Whole = std::optional<Value>;
  const ValueType& inner() const override { return type_of<Value>(); }
  const void* get(const void* from) const override {
    const Whole& whole = *static_cast<const Whole*>(from);
    return whole ? &*whole : nullptr;
  }
  void* emplace(void* into) const override { return &static_cast<Whole*>(into)->emplace(); }
  void reset(void* into) const override { static_cast<Whole*>(into)->reset(); }
};

template <typename Value>
class List final : public ListType {
  using Whole = std::vector<Value>;
  const ValueType& inner() const override { return type_of<Value>(); }
  std::size_t size(const void* from) const override {
    return static_cast<const Whole*>(from)->size();
  }
  const void* get(const void* from, std::size_t at) const override {
    return &(*static_cast<const Whole*>(from))[at];
  }
  void* append(void* into) const override { return &static_cast<Whole*>(into)->emplace_back(); }
};

template <typename First, typename Second>
class Either final : public EitherType {
  using Whole = std::variant<First, Second>;
  const ValueType& inner(std::size_t at) const override {
    return at == 0 ? type_of<First>() : type_of<Second>();
  }
  std::size_t at(const void* from) const override {
    return static_cast<const Whole*>(from)->index();
  }
  const void* get(const void* from) const override {
    return std::visit([](const auto& value) -> const void* { return &value; },
                      *static_cast<const Whole*>(from));
  }
  void* emplace(void* into, std::size_t at) const override {
    Whole& whole = *static_cast<Whole*>(into);
    if (at == 0) return &whole.template emplace<0>();
    return &whole.template emplace<1>();
  }
};

template <typename Whole, typename Value>
class Named final : public NamedType {
  const ValueType& inner() const override { return type_of<Value>(); }
  bool is_empty(const void* from) const override {
    return static_cast<const Whole*>(from)->empty();
  }
  void each(const void* from, const Visit& visit) const override {
    for (const auto& item : *static_cast<const Whole*>(from)) {
      if constexpr (std::is_same_v<Whole, std::vector<NamedAt<Value>>>) {
        visit(item.name, &item.value);
      } else {
        visit(item.first, &item.second);
      }
    }
  }
  void* put(void* into, const std::string& name, TextPosition at) const override {
    Whole& whole = *static_cast<Whole*>(into);
    if constexpr (std::is_same_v<Whole, std::vector<NamedAt<Value>>>) {
      return &whole.emplace_back(NamedAt<Value>{name, at}).value;
    } else if constexpr (std::is_same_v<Whole, NamedList<Value>>) {
      return &whole.emplace_back(name, Value{}).second;
    } else {
      return &whole[name];
    }
  }
};

template <typename Value>
class Placed final : public ValueType {
 public:
  bool is_there(const void* value) const override { return inner().is_there(&of(value).value); }
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& row, void* into) const override {
    auto& placed = *static_cast<At<Value>*>(into);
    placed.at = value.position;
    inner().read(reader, value, what, row, &placed.value);
  }
  void write(const void* from, ValueSink& sink) const override {
    inner().write(&of(from).value, sink);
  }
  void describe(const Row& row, const void* otherwise, ValueSink& schema) const override {
    inner().describe(row, otherwise == nullptr ? nullptr : &of(otherwise).value, schema);
  }
  JsonValue::Kind kind() const override { return inner().kind(); }

 private:
  static const ValueType& inner() { return type_of<Value>(); }
  static const At<Value>& of(const void* value) { return *static_cast<const At<Value>*>(value); }
};

/// A value of a report that has one of several forms.
template <typename... Forms>
class OneOf final : public WrittenType {
 public:
  void write(const void* from, ValueSink& sink) const override {
    const auto write_form = [&]<typename Form>(const Form& form) {
      type_of<Form>().write(&form, sink);
    };
    std::visit(write_form, static_cast<const std::variant<Forms...>&>(
                               *static_cast<const OneFormOf<Forms...>*>(from)));
  }
  void describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const override {
    schema.key("oneOf");
    schema.open_list();
    for (const ValueType* form : {&type_of<Forms>()...}) {
      schema.open_object();
      form->describe(row, nullptr, schema);
      schema.close();
    }
    schema.close();
  }
};

template <typename Value>
struct Choice {
  using Type = std::conditional_t<std::is_enum_v<Value>, Words<Value>, Object<Value>>;
};
template <typename Value>
struct Choice<std::optional<Value>> {
  using Type = Optional<Value>;
};
template <typename Value>
struct Choice<At<Value>> {
  using Type = Placed<Value>;
};
template <typename Value>
struct Choice<std::vector<Value>> {
  using Type = List<Value>;
};
template <typename First, typename Second>
struct Choice<std::variant<First, Second>> {
  using Type = Either<First, Second>;
};
template <typename... Forms>
struct Choice<OneFormOf<Forms...>> {
  using Type = OneOf<Forms...>;
};
template <typename Value>
struct Choice<std::map<std::string, Value>> {
  using Type = Named<std::map<std::string, Value>, Value>;
};
template <typename Value>
struct Choice<NamedList<Value>> {
  using Type = Named<NamedList<Value>, Value>;
};
template <typename Value>
struct Choice<std::vector<NamedAt<Value>>> {
  using Type = Named<std::vector<NamedAt<Value>>, Value>;
};

/// What a report has of a whole, and no file.
template <typename Owner, typename Result>
class Computed final : public WrittenType {
 public:
  explicit Computed(Result (*value)(const Owner&)) : value_(value) {}
  void write(const void* from, ValueSink& sink) const override {
    const auto& value = value_(*static_cast<const Owner*>(from));
    inner().write(&value, sink);
  }
  void describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const override {
    inner().describe(row, nullptr, schema);
  }

 private:
  static const ValueType& inner() { return type_of<std::remove_cvref_t<Result>>(); }
  Result (*value_)(const Owner&);
};

/// The same of a member function.
template <typename Owner, typename Result>
class Answered final : public WrittenType {
 public:
  explicit Answered(Result (Owner::*value)() const) : value_(value) {}
  void write(const void* from, ValueSink& sink) const override {
    const auto& value = (static_cast<const Owner*>(from)->*value_)();
    inner().write(&value, sink);
  }
  void describe(const Row& row, const void* /*otherwise*/, ValueSink& schema) const override {
    inner().describe(row, nullptr, schema);
  }

 private:
  static const ValueType& inner() { return type_of<std::remove_cvref_t<Result>>(); }
  Result (Owner::*value_)() const;
};

}  // namespace described

template <typename Value>
const ValueType& type_of() {
  static const typename described::Choice<Value>::Type type;
  return type;
}

/// A value that has a form of its own.
template <typename Owner>
struct OwnForm {
  void (*read)(const JsonReader& reader, const JsonValue& value,
               Owner& into) = nullptr;  ///< null of reports, which nothing reads
  void (*write)(const Owner& from,
                ValueSink& sink) = nullptr;  ///< null of files, which nothing writes
  void (*describe)(ValueSink& schema);       ///< keys of its schema, beside its description
};

namespace described {

template <typename Owner>
class Formed final : public ValueType {
 public:
  explicit Formed(const OwnForm<Owner>& form) : form_(form) {}
  void read(const JsonReader& reader, const JsonValue& value, const std::string& /*what*/,
            const Row& /*row*/, void* into) const override {
    form_.read(reader, value, *static_cast<Owner*>(into));
  }
  void write(const void* from, ValueSink& sink) const override {
    form_.write(*static_cast<const Owner*>(from), sink);
  }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    form_.describe(schema);
  }

 private:
  OwnForm<Owner> form_;
};

}  // namespace described

/// Where a member begins, in bytes.
template <typename Owner, typename Value>
std::ptrdiff_t offset_of(Value Owner::*member) {
  static const Owner whole{};
  const auto* begin = reinterpret_cast<const std::byte*>(&whole);
  return reinterpret_cast<const std::byte*>(&(whole.*member)) - begin;
}

/// A row of a member.
template <typename Owner, typename Value>
Row row(std::string_view key, Value Owner::*member, RowFacts facts = {}) {
  // Types of values live as long as the program.
  return {key, facts, {std::shared_ptr<const ValueType>(), &type_of<Value>()}, offset_of(member)};
}

/// A row of a text that is a word of a list, which lives as long as the program.
Row listed_row(Row row, std::span<const std::string_view> words);

/// A row of a member that a file has to have.
template <typename Owner, typename Value>
Row needed(std::string_view key, Value Owner::*member, RowFacts facts = {}) {
  facts.required = true;
  return row(key, member, facts);
}

/// A row that a file has to have.
Row needed(Row row);

/// A row of a member that is what a function of its owner gives where a file does not say it.
template <typename Owner, typename Value, typename Function>
Row derived(std::string_view key, Value Owner::*member, Function value, RowFacts facts = {}) {
  Row derived = row(key, member, facts);
  derived.is_member = false;  // what the default owner has is no default of a file
  derived.derive = [=](void* owner) {
    auto& whole = *static_cast<Owner*>(owner);
    whole.*member = value(std::as_const(whole));
  };
  derived.is_derived = [=](const void* owner) {
    const auto& whole = *static_cast<const Owner*>(owner);
    return whole.*member == value(whole);
  };
  return derived;
}

/// A row of a report: what a function of its owner gives.
template <typename Owner, typename Function>
Row computed(std::string_view key, Function function, RowFacts facts = {}) {
  using Result = std::invoke_result_t<Function, const Owner&>;
  Result (*const value)(const Owner&) = function;
  return {key, facts, std::make_shared<described::Computed<Owner, Result>>(value), 0, false};
}

template <typename Owner, typename Result>
Row row(std::string_view key, Result (Owner::*value)() const, RowFacts facts = {}) {
  return {key, facts, std::make_shared<described::Answered<Owner, Result>>(value), 0, false};
}

/// A row of a report: an object of such rows of the same owner.
Row group(std::string_view key, std::vector<Row> rows, RowFacts facts = {});

/// Rows of what an owner leads to, as rows of the owner.
template <typename Owner, typename Function>
std::vector<Row> through(Function /*leads*/, std::vector<Row> rows) {
  for (Row& row : rows) {
    row.leads_to = [](const void* owner) -> const void* {
      return &Function{}(*static_cast<const Owner*>(owner));
    };
  }
  return rows;
}

/// Rows of a member that is written as a part of its owner.
template <typename Owner, typename Part>
std::vector<Row> inside(Part Owner::*part, std::vector<Row> rows) {
  const std::ptrdiff_t offset = offset_of(part);
  for (Row& row : rows) row.part += offset;
  return rows;
}

/// A row that only some owners have.
template <typename Owner, typename Function>
Row where(Function /*applies*/, Row row) {
  row.applies = [](const void* owner) { return Function{}(*static_cast<const Owner*>(owner)); };
  return row;
}

/// A row that is null for some owners.
template <typename Owner, typename Function>
Row nullable(Function /*is_known*/, Row row) {
  row.is_known = [](const void* owner) { return Function{}(*static_cast<const Owner*>(owner)); };
  return row;
}

/// Rows that are not written where a file without their keys means the same.
std::vector<Row> terse(std::vector<Row> rows);

/// The same type, whose objects may have other keys, which mean nothing.
TypeRows with_labels(TypeRows type);

/// One list of several, in their order.
std::vector<Row> joined(std::vector<std::vector<Row>> lists);

/// A row of a form of its own.
template <typename Owner>
Row formed(std::string_view key, const OwnForm<Owner>& form, RowFacts facts = {}) {
  return {key, facts, std::make_shared<described::Formed<Owner>>(form), 0, false};
}

/// The name of a file's format, which a file need not have: "waferloom/system/1".
Row format_row(std::string_view name);
/// A key of a report whose text is always the same.
Row fixed_row(std::string_view key, std::string_view text, std::string_view meaning);
/// A text that is read, and kept nowhere.
Row remark_row(std::string_view key);

/// The key "whole" that ends a file which tasks leave. Whoever writes the file writes it.
Row whole_row();

/// A key of a report that never has a value: null.
Row null_row(std::string_view key, std::string_view meaning);
/// A row that every file has now, and that files of older programs may lack.
Row later_row(Row row);

/// What a report was made by and from, which the command line writes behind the report.
Row made_by_row();

/// The rows of a type that reports alone have.
TypeRows report_rows(std::vector<Row> rows);
/// The rows of a report that is a file of its own: its format's name, `rows`, and made_by.
TypeRows report_file(std::string_view format, std::vector<Row> rows);

/// The rows of a type, and a function that demands what no row alone can.
template <typename Owner>
TypeRows rows_for(std::string noun, std::vector<Row> rows,
                  void (*check)(const JsonReader&, const JsonValue&, Owner&) = nullptr) {
  static const Owner defaults{};
  TypeRows type{std::move(noun), std::move(rows), &defaults};
  if (check != nullptr) {
    type.check = [check](const JsonReader& reader, const JsonValue& value, void* into) {
      check(reader, value, *static_cast<Owner*>(into));
    };
  }
  return type;
}

/// The JSON of a row's value on one line: "17", "null", "\"mesh\"".
std::string value_text(const Row& row, const void* owner);
/// A report by its rows.
Report rows_report(const TypeRows& type, const void* from);
template <typename Owner>
Report described_report(const Owner& owner) {
  return rows_report(rows_of<Owner>(), &owner);
}

/// An object of a file that has rows.
template <typename Owner>
Owner read_described(const JsonReader& reader, const JsonValue& value) {
  Owner owner{};
  read_rows(reader, value, rows_of<Owner>().noun, rows_of<Owner>(), &owner);
  return owner;
}

}  // namespace waferloom
