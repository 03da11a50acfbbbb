#pragma once

#include <cstdint>
#include <string_view>

#include "interchange/onnx/graph.h"
#include "interchange/onnx/inference.h"

namespace waferloom::interchange {

/// What an operator does with its tensors.
enum class Role : std::uint8_t {
  product,  ///< a convolution or a product of matrices
  window,   ///< a pool or another change of height and width
  element,  ///< something to each number, or to a few together
  move,     ///< numbers lie elsewhere
  concat,   ///< tensors side by side
  part,     ///< parts of a tensor
  sizes,    ///< a constant, or the sizes of a tensor
  other     ///< its sizes may be known; what it takes is not
};

/// What is known of an operator of the standard.
struct OperatorRow {
  std::string_view name;
  SizeRule infer;
  Role role;
  /// Inputs that may be learned, a bit each: the lowest is input 0.
  std::uint32_t learned = 0;
};

/// The row of a node's operator; nothing where nobody knows it.
const OperatorRow* operator_row(const Node& node);
/// What it does; `other` where nobody knows it.
Role role_of(const Node& node);

}  // namespace waferloom::interchange
