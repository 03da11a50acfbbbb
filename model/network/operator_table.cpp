#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/describe.h"
#include "model/text.h"
#include "model/workload.h"

namespace waferloom {
namespace {

struct ShapeOf {
  using Shape = std::vector<std::int64_t>;
  Shape operator()(const LinearOperator& at) const {
    return {at.rows, at.in_features, at.out_features};
  }
  Shape operator()(const ConvOperator& at) const {
    Shape shape{at.window.in_height, at.window.in_width, at.in_channels, at.out_channels};
    add_window(at.window, shape);
    if (at.groups > 1 || at.transposed) shape.push_back(at.transposed ? -at.groups : at.groups);
    return shape;
  }
  Shape operator()(const PoolOperator& at) const {
    Shape shape{at.window.in_height, at.window.in_width, at.channels};
    add_window(at.window, shape);
    return shape;
  }
  Shape operator()(const TransformerOperator& at) const {
    Shape shape{at.sequence, at.hidden, at.heads, at.key_value_heads, at.feed_forward};
    // Shapes of tables know the layers of today's tables alone: what a layer has besides makes its
    // shape longer, so that no measured one is taken for it.
    if (at.query_features() != at.hidden) shape.push_back(at.features_of_head());
    if (at.attention_window > 0) shape.push_back(-at.attention_window);
    if (at.experts) {
      shape.insert(shape.end(),
                   {at.experts->count, at.experts->active_features(), at.experts->all_features()});
    }
    if (at.latent) {
      shape.insert(shape.end(), {at.latent->query_rank, at.latent->key_value_rank,
                                 at.latent->rope_size, at.latent->value_size});
    }
    return shape;
  }
  Shape operator()(const EmbeddingOperator& at) const {
    return with_projection({at.sequence, at.vocabulary, at.hidden}, at.projection);
  }
  Shape operator()(const HeadOperator& at) const {
    return with_projection({at.sequence, at.vocabulary, at.hidden}, at.projection);
  }
  Shape operator()(const AddOperator& at) const { return {at.elements}; }
  Shape operator()(const ProductOperator& at) const {
    return {at.batch, at.rows, at.in_features, at.out_features};
  }
  Shape operator()(const GemmOperator& at) const {
    return {at.batch, at.m, at.k, at.n, at.weights ? 1 : 0};
  }
  Shape operator()(const ElementOperator& at) const { return {at.elements, at.operations}; }
  Shape operator()(const ReduceOperator& at) const { return {at.elements, at.out}; }
  Shape operator()(const SortOperator& at) const { return {at.elements}; }
  Shape operator()(const ExchangeOperator& at) const { return {at.elements}; }
  Shape operator()(const PatchesOperator& at) const {
    return {at.in_height, at.in_width, at.channels, at.patch_height, at.patch_width, at.hidden};
  }

 private:
  /// Filter, stride and padding; what is not the same in both directions makes a shape longer.
  static void add_window(const Window& window, Shape& shape) {
    const Padding& padding = window.padding;
    const auto pixels = window.even_pixels();
    shape.insert(shape.end(),
                 {window.height, window.width, window.vertical_stride, pixels.value_or(0)});
    if (window.horizontal_stride != window.vertical_stride) {
      shape.push_back(window.horizontal_stride);
    }
    if (!pixels) {
      shape.insert(shape.end(), {padding.top, padding.left, padding.bottom, padding.right});
    }
    if (window.vertical_dilation > 1 || window.horizontal_dilation > 1) {
      shape.insert(shape.end(), {-window.vertical_dilation, -window.horizontal_dilation});
    }
  }
  static Shape with_projection(Shape shape, std::int64_t projection) {
    if (projection > 0) shape.push_back(projection);
    return shape;
  }
};

/// How many sizes a shape has, in the order of kOperatorKindNames.
constexpr std::array<std::size_t, kOperatorKindNames.size()> kShapeSizes{3, 8, 7, 5, 3, 3, 1,
                                                                         6, 4, 5, 2, 2, 1, 1};

constexpr RealRange kSeconds{0, 1e9};
constexpr NumberRange kElements{0, 1'000'000'000'000};
constexpr NumberRange kBatch{1, 1'000'000'000};
constexpr std::int64_t kMostEntries = 100'000;

void check_shape(const JsonReader& reader, const JsonValue& item, MeasuredOperator& measured) {
  const auto kind = std::find(kOperatorKindNames.begin(), kOperatorKindNames.end(), measured.kind);
  const std::size_t sizes =
      kShapeSizes.at(static_cast<std::size_t>(kind - kOperatorKindNames.begin()));
  if (measured.shape.size() == sizes) return;
  reader.fail(reader.at(item, "shape"),
              fmt::format("shape with {} sizes of {}", sizes, measured.kind));
}

void check_once(const JsonReader& reader, const JsonValue& file, OperatorTable& table) {
  std::map<std::tuple<std::string, std::vector<std::int64_t>, std::int64_t>, std::size_t> known;
  for (std::size_t i = 0; i < table.operators.size(); ++i) {
    const MeasuredOperator& measured = table.operators[i];
    const auto [at, is_new] = known.try_emplace({measured.kind, measured.shape, measured.batch}, i);
    if (is_new) continue;
    reader.fail(
        reader.at(file, "operators").items[i].position,
        fmt::format("expected each kind, shape and batch once, found those of entry {} again",
                    at->second + 1));
  }
}

double between(double left, double right, double part) { return left + (right - left) * part; }

}  // namespace

std::vector<std::int64_t> shape_of(const OperatorKind& kind) { return std::visit(ShapeOf(), kind); }

std::optional<OperatorTime> measured_time(const OperatorTable& table, const OperatorKind& kind,
                                          std::int64_t batch) {
  const MeasuredOperator* below = nullptr;
  const MeasuredOperator* above = nullptr;
  const std::vector<std::int64_t> shape = shape_of(kind);
  for (const MeasuredOperator& measured_operator : table.operators) {
    if (measured_operator.kind != kind_name(kind) || measured_operator.shape != shape) continue;
    if (measured_operator.batch <= batch &&
        (below == nullptr || measured_operator.batch > below->batch))
      below = &measured_operator;
    if (measured_operator.batch >= batch &&
        (above == nullptr || measured_operator.batch < above->batch))
      above = &measured_operator;
  }
  if (below == nullptr || above == nullptr) return std::nullopt;
  if (below == above) return OperatorTime{below->forward_s, below->backward_s};
  const double part =
      static_cast<double>(batch - below->batch) / static_cast<double>(above->batch - below->batch);
  return OperatorTime{between(below->forward_s, above->forward_s, part),
                      between(below->backward_s, above->backward_s, part)};
}

template <>
const TypeRows& rows_of<MeasuredOperator>() {
  using Measured = MeasuredOperator;
  static const TypeRows rows = rows_for<Measured>(
      "a measured operator",
      {listed_row(needed("kind", &Measured::kind, {"kind of operator, as in a workload"}),
                  kOperatorKindNames),
       needed(
           "shape", &Measured::shape,
           {.meaning = "sizes of the operator, in the order that its kind has (docs/centimani.md)",
            .range = kElements,
            .items = {1, kCount.most},
            .item = "a size"}),
       needed("batch", &Measured::batch, {"samples that it works on at once", kBatch}),
       needed("forward_s", &Measured::forward_s, {"measured seconds of forward", kSeconds}),
       needed("backward_s", &Measured::backward_s, {"measured seconds of backward", kSeconds})},
      check_shape);
  return rows;
}

template <>
const TypeRows& rows_of<MeasuredHost>() {
  constexpr RealRange kRate{1, 1e24};
  static const TypeRows rows = rows_for<MeasuredHost>(
      "host", {needed("load_s", &MeasuredHost::load_s,
                      {"measured seconds that a sample takes from the host to a chip", kSeconds}),
               needed("preprocess_s", &MeasuredHost::preprocess_s,
                      {"measured seconds in which the host makes a sample ready", kSeconds}),
               needed("link_bytes_per_s", &MeasuredHost::link_bytes_per_s,
                      {"bytes a second of the link that was measured", kRate}),
               needed("cpu_flop_per_s", &MeasuredHost::cpu_flop_per_s,
                      {"peak of the host that was measured, FLOP/s", kRate})});
  return rows;
}

template <>
const TypeRows& rows_of<OperatorTable>() {
  static const TypeRows rows = rows_for<OperatorTable>(
      "measurements",
      {format_row("waferloom/measurements/1"),
       row("name", &OperatorTable::name, {"name of the table, for reports"}),
       needed("operators", &OperatorTable::operators,
              {.meaning = "measured operators; each kind, shape and batch once; times between two "
                          "batches are interpolated",
               .items = {0, kMostEntries}}),
       row("host", &OperatorTable::host,
           {.meaning = "what was measured of the host that feeds the chip; other hosts take times "
                       "in proportion",
            .or_null = false}),
       remark_row("comment")},
      check_once);
  return rows;
}

OperatorTable read_operator_table(std::string_view text, const std::string& source) {
  return read_described<OperatorTable>(JsonReader(source, "measurements"),
                                       parse_json(text, source));
}

std::string measurements_schema() {
  return schema_text(rows_of<OperatorTable>(), "Tables of measured operators");
}

}  // namespace waferloom
