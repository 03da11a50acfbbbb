#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace waferloom::optimize {

/// What a candidate is worth: samples a second, more is better; picoseconds until the first sample
/// (of training: micro-batch) is through, and bytes, less is better. Bytes that nobody knows count
/// as alike.
struct Metrics {
  double samples_per_s = 0;
  std::int64_t latency_ps = 0;
  std::optional<std::int64_t> memory_bytes{};
};

/// Whether `a` is nowhere worse than `b` and somewhere better.
bool dominates(const Metrics& a, const Metrics& b);

/// The indices of those that nothing dominates, ascending; of equals the first. O(n²).
std::vector<std::size_t> pareto_front(const std::vector<Metrics>& all);

}  // namespace waferloom::optimize
