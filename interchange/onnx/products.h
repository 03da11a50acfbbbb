#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interchange/onnx/graph.h"

namespace waferloom::interchange {

/// A convolution or a product of matrices as filters that are laid on images: a product of
/// [rows × in] and [in × out] is a filter of one pixel on `rows` pixels. All values are at least 1,
/// but for a product without elements, which has a 0.
struct Product {
  std::int64_t images = 1;  ///< of all samples; products side by side
  std::int64_t height = 1;  ///< rows of places where a filter is laid on
  std::int64_t width = 1;
  std::int64_t field_height = 1;  ///< taps of the filter, whatever lies between them
  std::int64_t field_width = 1;
  std::int64_t channels_in = 1;  ///< that a filter reads: those of a group
  std::int64_t channels_out = 1;
  std::int64_t stride_y = 1;  ///< 1 of a transposed convolution, whose filters lie on its input
  std::int64_t stride_x = 1;
  std::size_t image = 0;    ///< the value that filters are laid on, the left side
  std::size_t filters = 0;  ///< the value that they are, the right side

  /// Throws std::overflow_error beyond 2^60.
  std::int64_t multiply_adds() const;
};

/// What a node multiplies, once sizes are known; nothing where it multiplies nothing, or the sizes
/// are not known, or where Einsum has not two operands.
std::optional<Product> product_of(const Graph& graph, const Node& node);

/// What a model computes and holds.
struct GraphCount {
  std::int64_t multiply_adds = 0;  ///< of all samples that the file computes at once
  std::int64_t parameters = 0;
  std::int64_t elements = 0;  ///< that nodes make
};

/// Counts all nodes; what is the same for every sample is made once, and no work. Parameters are
/// the elements of initialisers with fractions, or quantised ones, that a node computes with:
/// filters, matrices, biases, scales, tables; not running means, masks and single numbers. Each
/// counts once. Throws InputError beyond 2^60.
GraphCount count_graph(const Graph& graph);

}  // namespace waferloom::interchange
