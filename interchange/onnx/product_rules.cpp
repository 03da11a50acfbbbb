#include <fmt/format.h>

#include <algorithm>

#include "interchange/onnx/einsum.h"
#include "interchange/onnx/inference.h"

// Rules of operators that sum over a size: products of matrices, reductions, recurrent layers.
namespace waferloom::interchange {
namespace {

/// Where the right side of a product of matrices is among the inputs.
std::size_t right_side(const Inference& at) { return at.node().op == "QLinearMatMul" ? 3 : 1; }

/// The axes that are reduced; nothing where nobody knows.
bool reduced_axes(const Inference& at, std::vector<bool>& is_reduced) {
  const std::size_t rank = is_reduced.size();
  const auto* axes = at.wholes(1, "axes");
  if (axes == nullptr && at.has_input(1)) return false;
  if (axes == nullptr || axes->empty()) {
    is_reduced.assign(rank, at.whole("noop_with_empty_axes", 0) == 0);
    return true;
  }
  for (const std::int64_t axis : *axes) is_reduced[at.axis(axis, rank)] = true;
  return true;
}

Sizes reduced(const Inference& at, const Sizes& sizes, const std::vector<bool>& is_reduced) {
  const bool keeps = at.whole("keepdims", 1) != 0;
  Sizes out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!is_reduced[i]) {
      out.push_back(sizes[i]);
    } else if (keeps) {
      out.push_back(1);
    }
  }
  return out;
}

}  // namespace

void infer_matrix_product(Inference& at) {
  Sizes left = at.sizes_of_rank(0, 1);
  Sizes right = at.sizes_of_rank(right_side(at), 1);
  const bool is_row = left.size() == 1;
  const bool is_column = right.size() == 1;
  if (is_row) left.insert(left.begin(), 1);
  if (is_column) right.push_back(1);
  if (left.back() != right[right.size() - 2]) {
    at.fail("expected matrices that can be multiplied, found " + sizes_text(at.sizes(0)) + " and " +
            sizes_text(at.sizes(right_side(at))));
  }
  Sizes out = broadcast(at, {left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
  if (!is_row) out.push_back(left[left.size() - 2]);
  if (!is_column) out.push_back(right.back());
  at.set(0, std::move(out));
  at.set_type(0, at.node().op == "MatMulInteger" ? ElementType::int32 : at.input(0).type);
}

void infer_gemm(Inference& at) {
  // Before operator set 7 inputs of more sizes were flattened.
  const Sizes& a = at.sizes_of_rank(0, 2);
  const Sizes& b = at.sizes_of_rank(1, 2);
  const bool turns_a = at.whole("transA", 0) != 0;
  const bool turns_b = at.whole("transB", 0) != 0;
  const std::int64_t wide = elements_of({a.begin() + 1, a.end()});
  const std::int64_t inner = turns_a ? a[0] : wide;
  if (b.size() != 2 || inner != b[turns_b ? 1 : 0]) {
    at.fail("expected matrices that can be multiplied, found " + sizes_text(a) +
            (turns_a ? " turned" : "") + " and " + sizes_text(b) + (turns_b ? " turned" : ""));
  }
  at.set(0, {turns_a ? wide : a[0], b[turns_b ? 0 : 1]});
  at.set_type(0, at.input(0).type);
}

void infer_einsum(Inference& at) {
  const EinsumEquation equation = einsum_equation(at.graph(), at.node());
  Sizes out;
  for (const char letter : equation.output) out.push_back(equation.sizes.at(letter));
  at.set(0, std::move(out));
  at.set_type(0, at.input(0).type);
}

void infer_recurrence(Inference& at) {
  const Sizes& x = at.sizes_of_rank(0, 3);
  const Sizes& weights = at.sizes_of_rank(2, 3);
  const std::int64_t hidden = weights[2];
  const std::int64_t directions = weights[0];
  const bool is_batch_first = at.whole("layout", 0) != 0;
  const std::int64_t steps = is_batch_first ? x[1] : x[0];
  const std::int64_t samples = is_batch_first ? x[0] : x[1];
  const Sizes last =
      is_batch_first ? Sizes{samples, directions, hidden} : Sizes{directions, samples, hidden};
  at.set(0, is_batch_first ? Sizes{samples, steps, directions, hidden}
                           : Sizes{steps, directions, samples, hidden});
  at.set(1, last);
  at.set(2, last);
}

void infer_reduction(Inference& at) {
  const Sizes& sizes = at.sizes(0);
  std::vector<bool> is_reduced(sizes.size(), false);
  at.set_type(0, at.input(0).type);
  if (!reduced_axes(at, is_reduced)) return;
  at.set(0, reduced(at, sizes, is_reduced));
  const Constant* numbers = at.constant(0);
  const bool is_whole = numbers != nullptr && !numbers->is_real;
  if (!is_whole || std::count(is_reduced.begin(), is_reduced.end(), false) > 0) return;
  const std::string& op = at.node().op;
  std::int64_t made = op == "ReduceProd" ? 1 : 0;
  for (const std::int64_t number : numbers->wholes) {
    const bool overflows = op == "ReduceProd" ? __builtin_mul_overflow(made, number, &made)
                                              : __builtin_add_overflow(made, number, &made);
    if (overflows) return;
  }
  if (op == "ReduceProd" || op == "ReduceSum") at.set_constant(0, {{made}, {}, false});
}

void infer_arg_reduction(Inference& at) {
  const Sizes& sizes = at.sizes(0);
  std::vector<bool> is_reduced(sizes.size(), false);
  if (!sizes.empty()) is_reduced[at.axis(at.whole("axis", 0), sizes.size())] = true;
  at.set(0, reduced(at, sizes, is_reduced));
  at.set_type(0, ElementType::int64);
}

void infer_determinant(Inference& at) {
  const Sizes& sizes = at.sizes_of_rank(0, 2);
  at.set(0, {sizes.begin(), sizes.end() - 2});
}

}  // namespace waferloom::interchange
