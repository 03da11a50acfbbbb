#include <array>
#include <charconv>

#include "model/describe.h"
#include "model/report.h"
#include "model/text.h"

// Numbers that a double may not hold.

namespace waferloom {
namespace {

/// An exact number, or its text.
void write_exact(const std::string& decimal, ValueSink& sink) {
  const std::variant<std::int64_t, double, std::string> exact = exact_number(decimal);
  if (const auto* whole = std::get_if<std::int64_t>(&exact)) {
    sink.whole(*whole);
  } else if (const auto* real = std::get_if<double>(&exact)) {
    sink.real(*real);
  } else {
    sink.text(decimal);
  }
}

void describe_exact(std::string_view pattern, ValueSink& schema) {
  schema.key("anyOf");
  schema.open_list();
  schema.open_object();
  schema.pair("type", "number");
  schema.pair("minimum", 0);
  schema.close();
  schema.open_object();
  schema.pair("type", "string");
  schema.pair("pattern", pattern);
  schema.close();
  schema.close();
}

class ExactWholeType final : public WrittenType {
 public:
  void write(const void* from, ValueSink& sink) const override {
    write_exact(to_string(*static_cast<const Int128*>(from)), sink);
  }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_exact("^[0-9]+$", schema);
  }
};

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "12", "0.5".
bool is_plain_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  return is_digits(text.substr(0, point)) &&
         (point == std::string_view::npos || is_digits(text.substr(point + 1)));
}

/// Without an exponent, which the shortest text of a double may have.
std::string without_exponent(double value) {
  std::array<char, 400> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return {text.data(), written.ptr};
}

class ExactDecimalType final : public ValueType {
 public:
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* into) const override {
    std::string& text = static_cast<ExactDecimal*>(into)->text;
    text = value.text;
    if (value.kind == JsonValue::Kind::number) {
      const double number = reader.real(value, what, kAmount);
      if (!is_plain_decimal(text)) text = without_exponent(number);
    } else if (value.kind != JsonValue::Kind::string || !is_plain_decimal(text)) {
      reader.fail(value, what + " as a number from 0, or its digits");
    }
  }
  void write(const void* from, ValueSink& sink) const override {
    write_exact(static_cast<const ExactDecimal*>(from)->text, sink);
  }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_exact(R"(^[0-9]+(\.[0-9]+)?$)", schema);
  }
};

}  // namespace

template <>
const ValueType& type_of<Int128>() {
  static const ExactWholeType type;
  return type;
}
template <>
const ValueType& type_of<ExactDecimal>() {
  static const ExactDecimalType type;
  return type;
}

}  // namespace waferloom
