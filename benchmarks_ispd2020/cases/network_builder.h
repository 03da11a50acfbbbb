#pragma once

#include <cstdint>
#include <string>

#include "benchmarks_ispd2020/cases.h"
#include "model/problem.h"

namespace waferloom::ispd2020 {

/// Steps from which the families build their graphs; each node takes the next number. One input,
/// first, one output, last.

/// A problem with these settings and nothing but the input, number 0.
ProblemData start_network(const ProblemSettings& settings, const TensorShape& input);
/// Adds a kernel; its formal parameters must be in [1, kMaxParameter].
KernelIndex add_kernel(ProblemData& data, const KernelFormal& formal);
/// Adds a kernel behind the one that was added last, or behind the input if it is the first;
/// `tensor` is what flows into it.
KernelIndex add_chained(ProblemData& data, const KernelFormal& formal, const TensorShape& tensor);
void add_output(ProblemData& data, const TensorShape& shape);

/// The two ends of an edge, so that they cannot be exchanged by accident.
struct Link {
  KernelIndex from = 0;
  KernelIndex to = 0;
};
void add_link(ProblemData& data, const Link& link, const TensorShape& tensor);
void add_input_link(ProblemData& data, KernelIndex consumer, const TensorShape& tensor);
/// To the output that was added last.
void add_output_link(ProblemData& data, KernelIndex producer, const TensorShape& tensor);

/// A tensor on a square image.
TensorShape square_tensor(std::int64_t image, std::int64_t channels);

/// Throws RequestError with the message unless the condition holds.
void demand(bool condition, const std::string& message);

/// base · 2^doublings, checked: base in [1, kMaxParameter], doublings in [0, 16], and so is the
/// result, else RequestError that names `what`.
std::int64_t doubled(std::int64_t base, std::int64_t doublings, const std::string& what);

inline constexpr std::int64_t kMaxDoublings = 16;

}  // namespace waferloom::ispd2020
