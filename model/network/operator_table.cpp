#include <algorithm>

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
constexpr std::size_t kMostEntries = 100'000;

class TableReader {
 public:
  explicit TableReader(const std::string& source) : reader_(source, "measurements") {}

  OperatorTable read(const JsonValue& file) const {
    reader_.expect_keys(file, "measurements as an object with operators",
                        {"schema", "name", "operators", "host", "comment"});
    reader_.check_schema(file, "waferloom/measurements/1");
    OperatorTable table;
    if (const JsonValue* name = JsonReader::find(file, "name")) {
      table.name = reader_.string(*name, "name");
    }
    if (const JsonValue* comment = JsonReader::find(file, "comment")) {
      reader_.string(*comment, "comment");
    }
    const JsonValue& list = reader_.at(file, "operators");
    const auto& items = reader_.array(list, "operators as an array");
    if (items.size() > kMostEntries) {
      reader_.fail(list, "at most " + std::to_string(kMostEntries) + " operators");
    }
    for (const JsonValue& item : items) {
      table.operators.push_back(entry(item));
      check_new(table.operators, item);
    }
    if (const JsonValue* host = JsonReader::find(file, "host")) table.host = measured_host(*host);
    return table;
  }

 private:
  MeasuredOperator entry(const JsonValue& item) const {
    reader_.expect_keys(item, "a measured operator as an object",
                        {"kind", "shape", "batch", "forward_s", "backward_s"});
    MeasuredOperator measured_operator;
    const JsonValue& word = reader_.at(item, "kind");
    measured_operator.kind = reader_.string(word, "kind");
    const auto kind =
        std::find(kOperatorKindNames.begin(), kOperatorKindNames.end(), measured_operator.kind);
    if (kind == kOperatorKindNames.end()) {
      reader_.fail(word, "kind as " + alternatives(kOperatorKindNames));
    }
    const JsonValue& shape = reader_.at(item, "shape");
    for (const JsonValue& size : reader_.array(shape, "shape as an array")) {
      measured_operator.shape.push_back(reader_.whole(size, "a size", kElements));
    }
    const std::size_t sizes =
        kShapeSizes.at(static_cast<std::size_t>(kind - kOperatorKindNames.begin()));
    if (measured_operator.shape.size() != sizes) {
      reader_.fail(shape,
                   "shape with " + std::to_string(sizes) + " sizes of " + measured_operator.kind);
    }
    measured_operator.batch = reader_.whole(reader_.at(item, "batch"), "batch", kBatch);
    measured_operator.forward_s =
        reader_.real(reader_.at(item, "forward_s"), "forward_s", kSeconds);
    measured_operator.backward_s =
        reader_.real(reader_.at(item, "backward_s"), "backward_s", kSeconds);
    return measured_operator;
  }

  void check_new(const std::vector<MeasuredOperator>& all, const JsonValue& item) const {
    const MeasuredOperator& measured_operator = all.back();
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      if (all[i].batch != measured_operator.batch || all[i].kind != measured_operator.kind ||
          all[i].shape != measured_operator.shape) {
        continue;
      }
      reader_.fail(item.position,
                   "expected each kind, shape and batch once, found those of entry " +
                       std::to_string(i + 1) + " again");
    }
  }

  MeasuredHost measured_host(const JsonValue& item) const {
    reader_.expect_keys(item, "host as an object",
                        {"load_s", "preprocess_s", "link_bytes_per_s", "cpu_flop_per_s"});
    constexpr RealRange kRate{1, 1e24};
    const auto number = [&](std::string_view key, RealRange range) {
      return reader_.real(reader_.at(item, key), std::string(key), range);
    };
    return {number("load_s", kSeconds), number("preprocess_s", kSeconds),
            number("link_bytes_per_s", kRate), number("cpu_flop_per_s", kRate)};
  }

  JsonReader reader_;
};

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

OperatorTable read_operator_table(std::string_view text, const std::string& source) {
  return TableReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
