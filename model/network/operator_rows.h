#pragma once

#include <memory>
#include <tuple>

#include "model/describe.h"
#include "model/workload.h"

// Rows of operators, as files of workloads have them. Private to model/.

namespace waferloom {

inline constexpr NumberRange kOperatorSize{1, 1'000'000'000};
/// Of tensors that all chips share, and of tables.
inline constexpr NumberRange kManyElements{1, 1'000'000'000'000};
inline constexpr NumberRange kOperatorSizeOrNone{0, kOperatorSize.most};

/// A part of an owner that a file need not have, by rows of its own.
template <typename Owner, auto part, const TypeRows& (*rows)()>
inline constexpr OwnForm<Owner> kPart{
    [](const JsonReader& reader, const JsonValue& value, Owner& owner) {
      read_rows(reader, value, rows().noun, rows(), &(owner.*part).emplace());
    },
    [](const Owner& owner, ValueSink& sink) {
      if (!(owner.*part)) return sink.nothing();
      write_rows(rows(), &*(owner.*part), sink);
    },
    [](ValueSink& schema) { describe_rows(rows(), schema); }};

/// A key whose value is [height, width], or a number for both.
template <typename Owner>
class SidesType final : public ValueType {
 public:
  SidesType(std::int64_t Owner::*height, std::int64_t Owner::*width)
      : height_(height), width_(width) {}
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* into) const override {
    Owner& owner = *static_cast<Owner*>(into);
    std::tie(owner.*height_, owner.*width_) = reader.sides(value, what, kOperatorSize);
  }
  void write(const void* from, ValueSink& sink) const override {
    const Owner& owner = *static_cast<const Owner*>(from);
    if (owner.*height_ == owner.*width_) return sink.whole(owner.*height_);
    sink.open_list();
    sink.whole(owner.*height_);
    sink.whole(owner.*width_);
    sink.close();
  }
  void describe(const Row& /*row*/, const void* otherwise, ValueSink& schema) const override {
    const Row size{{}, {.range = kOperatorSize}, {}};
    schema.key("anyOf");
    schema.open_list();
    schema.open_object();
    describe_pair(kOperatorSize, schema);
    schema.close();
    schema.open_object();
    type_of<std::int64_t>().describe(size, nullptr, schema);
    schema.close();
    schema.close();
    if (otherwise == nullptr) return;
    schema.key("default");
    write(otherwise, schema);
  }

 private:
  std::int64_t Owner::*height_;
  std::int64_t Owner::*width_;
};

template <typename Owner>
Row sides_row(std::string_view key, std::int64_t Owner::*height, std::int64_t Owner::*width,
              RowFacts facts) {
  return {key, facts, std::make_shared<SidesType<Owner>>(height, width)};
}

template <>
const TypeRows& rows_of<LinearOperator>();
template <>
const TypeRows& rows_of<ConvOperator>();
template <>
const TypeRows& rows_of<PoolOperator>();
template <>
const TypeRows& rows_of<TransformerOperator>();
template <>
const TypeRows& rows_of<EmbeddingOperator>();
template <>
const TypeRows& rows_of<HeadOperator>();
template <>
const TypeRows& rows_of<AddOperator>();
template <>
const TypeRows& rows_of<PatchesOperator>();
template <>
const TypeRows& rows_of<ProductOperator>();
template <>
const TypeRows& rows_of<GemmOperator>();
template <>
const TypeRows& rows_of<ElementOperator>();
template <>
const TypeRows& rows_of<ReduceOperator>();
template <>
const TypeRows& rows_of<SortOperator>();
template <>
const TypeRows& rows_of<ExchangeOperator>();

}  // namespace waferloom
