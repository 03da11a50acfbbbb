#include "interchange/onnx/products.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "interchange/onnx/einsum.h"
#include "interchange/onnx/inference.h"
#include "interchange/onnx/operators.h"
#include "kernels/int128.h"
#include "model/errors.h"

namespace waferloom::interchange {
namespace {

constexpr Int128 kMostCounted = Int128{1} << 60;
constexpr std::size_t kDirections = 2;

std::int64_t counted(Int128 value) {
  if (value > kMostCounted) throw std::overflow_error("more than 2^60");
  return static_cast<std::int64_t>(value);
}

const Sizes* sizes_at(const Graph& graph, std::size_t value) {
  if (value == kNoValue || !graph.values[value].sizes) return nullptr;
  return &*graph.values[value].sizes;
}

std::int64_t group_count(const Node& node) {
  const auto at = node.attributes.find("group");
  return at == node.attributes.end() ? 1 : at->second.whole;
}

/// The sizes along all directions but the last, folded into one, and the last.
struct Plane {
  std::int64_t height = 1;
  std::int64_t width = 1;
};

Plane plane_of(const Sizes& sizes) {
  return {elements_of({sizes.begin() + kDirections, sizes.end() - 1}), sizes.back()};
}

/// The strides of the last two directions.
void set_strides(const Node& node, std::size_t directions, Product& product) {
  const auto at = node.attributes.find("strides");
  if (at == node.attributes.end()) return;
  const std::vector<std::int64_t>& strides = at->second.wholes;
  if (strides.size() != directions) return;
  product.stride_x = strides.back();
  if (directions > 1) product.stride_y = strides[directions - 2];
}

std::optional<Product> convolution_of(const Graph& graph, const Node& node) {
  const std::size_t filters = node.input(node.op == "QLinearConv" ? 3 : 1);
  const std::size_t output = node.outputs.empty() ? kNoValue : node.outputs[0];
  const Sizes* image = sizes_at(graph, node.input(0));
  const Sizes* filter = sizes_at(graph, filters);
  const Sizes* out = sizes_at(graph, output);
  if (image == nullptr || filter == nullptr || out == nullptr) return std::nullopt;
  // Where sizes are guessed nobody has looked whether they fit.
  if (image->size() <= kDirections || filter->size() != image->size() ||
      out->size() != image->size() || group_count(node) < 1) {
    return std::nullopt;
  }
  const bool is_transposed = node.op == "ConvTranspose";
  const Plane places = plane_of(is_transposed ? *image : *out);
  const Plane field = plane_of(*filter);
  Product product;
  product.images = (*image)[0];
  product.height = places.height;
  product.width = places.width;
  product.field_height = field.height;
  product.field_width = field.width;
  product.channels_in = (*image)[1] / group_count(node);
  product.channels_out = (*out)[1];
  if (!is_transposed) set_strides(node, filter->size() - kDirections, product);
  product.image = node.input(0);
  product.filters = filters;
  return product;
}

std::optional<Product> matrices_of(const Graph& graph, const Node& node) {
  const std::size_t right = node.input(node.op == "QLinearMatMul" ? 3 : 1);
  const std::size_t output = node.outputs.empty() ? kNoValue : node.outputs[0];
  const Sizes* a = sizes_at(graph, node.input(0));
  const Sizes* b = sizes_at(graph, right);
  const Sizes* out = sizes_at(graph, output);
  if (a == nullptr || b == nullptr || out == nullptr || a->empty() || b->empty()) {
    return std::nullopt;
  }
  const std::size_t least = node.op == "Gemm" ? 2 : b->size() == 1 ? 0 : 1;
  if (out->size() < least) return std::nullopt;
  Product product;
  product.image = node.input(0);
  product.filters = right;
  product.channels_in = a->back();
  product.channels_out = b->size() == 1 ? 1 : out->back();
  if (node.op == "Gemm") {
    const auto turned = node.attributes.find("transA");
    const bool turns = turned != node.attributes.end() && turned->second.whole != 0;
    product.channels_in = turns ? (*a)[0] : elements_of({a->begin() + 1, a->end()});
    product.channels_out = (*out)[1];
  }
  const std::int64_t elements = elements_of(*out);
  const std::int64_t rows = product.channels_out == 0 ? 0 : elements / product.channels_out;
  // A matrix is a sample's; those side by side are images.
  const bool is_stack = node.op != "Gemm" && a->size() > 1 && b->size() > 1 && out->size() > 2;
  product.height = is_stack ? (*out)[out->size() - 2] : rows;
  product.images = is_stack && product.height > 0 ? rows / product.height : 1;
  return product;
}

/// Einsum of two operands: letters that only the right one and the output have are columns.
std::optional<Product> sum_of(const Graph& graph, const Node& node) {
  const std::size_t output = node.outputs.empty() ? kNoValue : node.outputs[0];
  if (node.inputs.size() != 2) return std::nullopt;
  for (const std::size_t number : {node.inputs[0], node.inputs[1], output}) {
    if (sizes_at(graph, number) == nullptr) return std::nullopt;
  }
  const EinsumEquation equation = einsum_equation(graph, node);
  Int128 rows = 1;
  Int128 columns = 1;
  Int128 summed = 1;
  for (const auto& [letter, size] : equation.sizes) {
    const bool is_made = equation.has(equation.output, letter);
    const bool is_left = equation.has(equation.operands[0], letter);
    Int128& factor = !is_made ? summed : is_left ? rows : columns;
    factor = counted(factor * size);
  }
  Product product;
  product.image = node.input(0);
  product.filters = node.input(1);
  product.height = static_cast<std::int64_t>(rows);
  product.channels_in = static_cast<std::int64_t>(summed);
  product.channels_out = static_cast<std::int64_t>(columns);
  return product;
}

/// The initialisers that fixed values are made of, and which of them count.
class ParameterCounter {
 public:
  explicit ParameterCounter(const Graph& graph) : graph_(graph), maker_(graph.values.size()) {
    for (const Node& node : graph.nodes) {
      for (const std::size_t output : node.outputs) {
        if (output != kNoValue) maker_[output] = &node;
      }
    }
  }

  Int128 count() {
    for (const Node& node : graph_.nodes) {
      const OperatorRow* row = operator_row(node);
      if (row == nullptr || row->learned == 0 || makes_fixed(node)) continue;
      const bool is_arithmetic = row->role == Role::element && row->learned == 0b11;
      constexpr std::size_t kBits = 32;
      for (std::size_t i = 0; i < std::min(node.inputs.size(), kBits); ++i) {
        const std::size_t input = node.inputs[i];
        if ((row->learned >> i & 1U) == 0 || input == kNoValue) continue;
        const Value& value = graph_.values[input];
        const bool is_number = !value.sizes || value.sizes->empty() ||
                               (is_arithmetic && elements_of(*value.sizes) == 1);
        if (value.is_fixed && !is_number) {
          add_roots(input, row->role != Role::element && row->role != Role::concat);
        }
      }
    }
    return counted_;
  }

 private:
  bool makes_fixed(const Node& node) const {
    return std::all_of(node.outputs.begin(), node.outputs.end(), [&](std::size_t output) {
      return output == kNoValue || graph_.values[output].is_fixed;
    });
  }

  /// Counts what a value is made of. What nodes make of nothing counts as weights alone.
  void add_roots(std::size_t start, bool is_weight) {
    std::vector<std::size_t> open{start};
    while (!open.empty()) {
      const std::size_t value = open.back();
      open.pop_back();
      if (!seen_.insert(value).second) continue;
      const Node* maker = maker_[value];
      if (maker == nullptr || (is_weight && role_of(*maker) == Role::sizes)) {
        add(graph_.values[value], is_weight);
        continue;
      }
      const bool has_scales = maker->op == "DequantizeLinear" || maker->op == "Reshape" ||
                              maker->op == "Gather" || maker->op == "Slice";
      for (std::size_t i = 0; i < (has_scales ? 1 : maker->inputs.size()); ++i) {
        if (maker->input(i) != kNoValue) open.push_back(maker->input(i));
      }
    }
  }

  void add(const Value& value, bool is_weight) {
    const bool is_counted = is_real(value.type) || (is_weight && is_narrow(value.type));
    if (is_counted && value.sizes && !value.sizes->empty()) counted_ += elements_of(*value.sizes);
  }

  const Graph& graph_;
  std::vector<const Node*> maker_;
  std::set<std::size_t> seen_;
  Int128 counted_ = 0;
};

}  // namespace

std::int64_t Product::multiply_adds() const {
  Int128 made = 1;
  for (const std::int64_t factor :
       {images, height, width, field_height, field_width, channels_in, channels_out}) {
    made = counted(made * factor);
  }
  return counted(made);
}

std::optional<Product> product_of(const Graph& graph, const Node& node) {
  if (role_of(node) != Role::product) return std::nullopt;
  if (node.op == "Einsum") return sum_of(graph, node);
  return node.op.find("Conv") != std::string::npos ? convolution_of(graph, node)
                                                   : matrices_of(graph, node);
}

GraphCount count_graph(const Graph& graph) {
  Int128 multiply_adds = 0;
  Int128 elements = 0;
  for (const Node& node : graph.nodes) {
    try {
      const auto product = product_of(graph, node);
      if (product && !graph.values[node.outputs[0]].is_fixed) {
        multiply_adds = counted(multiply_adds + product->multiply_adds());
      }
      for (const std::size_t output : node.outputs) {
        const Sizes* sizes = sizes_at(graph, output);
        if (sizes != nullptr) elements = counted(elements + elements_of(*sizes));
      }
    } catch (const std::overflow_error&) {
      fail_at(graph, node, "expected at most 2^60 operations and elements, found more");
    }
  }
  const Int128 parameters = ParameterCounter(graph).count();
  if (parameters > kMostCounted) {
    throw InputError(graph.source, kWholeSource, "expected at most 2^60 parameters, found more");
  }
  return {static_cast<std::int64_t>(multiply_adds), static_cast<std::int64_t>(parameters),
          static_cast<std::int64_t>(elements)};
}

}  // namespace waferloom::interchange
