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
  void write(const Row& /*row*/, const void* from, ValueSink& sink) const override {
    write_exact(to_string(*static_cast<const Int128*>(from)), sink);
  }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_exact("^[0-9]+$", schema);
  }
};

class ExactDecimalType final : public WrittenType {
 public:
  void write(const Row& /*row*/, const void* from, ValueSink& sink) const override {
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
