#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "planner/system_plan.h"

// Problem: planners take operators, and a graph of kernels has figures of its own.
// Idea: a kernel is the operator that has its extents, if its figures are that operator's. What
// differs would be priced by sizes that the kernel does not have, so it is refused.
// Source: ours. Cost: O(kernels + tensors) for each repeat.
namespace waferloom::planner {
namespace {

/// Numbers of files are decimals: equal but for rounding.
bool is_near(double value, double other) {
  constexpr double kClose = 1e-9;
  return std::abs(value - other) <= kClose * std::max(std::abs(value), std::abs(other));
}

[[noreturn]] void refuse(const DataflowKernel& kernel, const std::string& why) {
  throw RequestError("kernel " + kernel.name + ": " + why);
}

std::int64_t whole(const DataflowKernel& kernel, double number, const char* what) {
  constexpr double kMost = 1LL << 60;
  if (number >= 1 && number <= kMost && is_near(number, std::round(number))) {
    return std::llround(number);
  }
  refuse(kernel, fmt::format("expected a whole number of {}, found {}", what, number));
}

/// C = A · B with weights as A, or with both coming in.
OperatorKind product_of(const DataflowKernel& kernel, double element_bytes) {
  const Extents& at = kernel.extents;
  const double flop = 2.0 * static_cast<double>(at.outer) * static_cast<double>(at.m) *
                      static_cast<double>(at.k) * static_cast<double>(at.n);
  if (!is_near(kernel.flop, flop)) {
    refuse(kernel, fmt::format("expected the {} FLOP of its extents, found {}", flop, kernel.flop));
  }
  const bool has_weights = kernel.weight_bytes > 0;
  const double weights = static_cast<double>(at.outer) * static_cast<double>(at.m) *
                         static_cast<double>(at.k) * element_bytes;
  if (has_weights && !is_near(kernel.weight_bytes, weights)) {
    refuse(kernel, fmt::format("expected the {} bytes of weights of its extents, found {}", weights,
                               kernel.weight_bytes));
  }
  if (at.outer == 1 && has_weights) return LinearOperator{at.n, at.k, at.m, false};
  if (has_weights) return GemmOperator{at.outer, at.m, at.k, at.n, true};
  return ProductOperator{at.outer, at.m, at.k, at.n};
}

OperatorKind operator_of(const DataflowKernel& kernel, double element_bytes) {
  if (kernel.dram_bytes > 0) refuse(kernel, "dram_bytes are of one chip, expected none");
  // An exchange sends half of what an all-reduce of as many bytes does (docs/dfmodel.md).
  if (kernel.type == KernelType::communication) {
    return ExchangeOperator{
        whole(kernel, 2 * kernel.all_reduce_bytes / element_bytes, "elements it exchanges")};
  }
  if (kernel.all_reduce_bytes > 0) {
    refuse(kernel, "all_reduce_bytes are of chips that share it already, expected none");
  }
  if (is_product(kernel)) return product_of(kernel, element_bytes);
  if (kernel.type != KernelType::element_wise || kernel.weight_bytes > 0) {
    refuse(kernel,
           "expected a product without more weights than its extents, an operation on "
           "elements, or a communication");
  }
  const std::int64_t count =
      whole(kernel, kernel.output_bytes / element_bytes, "elements of its output");
  const double each = kernel.flop / static_cast<double>(count);
  if (each >= 1 && is_near(each, std::round(each))) {
    return ElementOperator{count, std::llround(each)};
  }
  // As many operations as FLOP, rounded up: there are no parts of one.
  return ElementOperator{count, std::max<std::int64_t>(1, std::llround(std::ceil(each)))};
}

}  // namespace

Workload kernels_as_operators(const DataflowGraph& graph) {
  Workload workload;
  workload.name = graph.name;
  const std::int64_t repeats = std::max<std::int64_t>(1, std::llround(graph.repeats));
  if (static_cast<double>(graph.kernels.size()) * graph.repeats >
      static_cast<double>(kMaxOperators)) {
    throw RequestError(fmt::format("{} kernels, {} times, are more than {} operators",
                                   graph.kernels.size(), graph.repeats, kMaxOperators));
  }
  std::vector<OperatorKind> kinds;
  for (const DataflowKernel& kernel : graph.kernels) {
    kinds.push_back(operator_of(kernel, graph.element_bytes));
  }
  std::vector<std::vector<std::size_t>> before(kinds.size());
  for (const DataflowTensor& tensor : graph.tensors) before[tensor.to].push_back(tensor.from);
  for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
    const std::size_t begin = workload.operators.size();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      Operator op{graph.kernels[i].name, kinds[i], {}};
      if (repeats > 1) op.name += fmt::format(".{}", repeat + 1);
      for (const std::size_t from : before[i]) op.after.push_back(begin + from);
      // A layer's sources take what the layer before it made last.
      if (op.after.empty() && begin > 0) op.after = {begin - 1};
      workload.operators.push_back(std::move(op));
    }
  }
  return workload;
}

}  // namespace waferloom::planner
