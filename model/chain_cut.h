#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waferloom {

/// A chain (operators, layers, kernels in an order) cut into consecutive stages.
template <typename Cost>
struct ChainCut {
  std::vector<std::size_t> first{};  ///< element that each stage begins with; the first is 0
  Cost longest{};                    ///< cost of the costliest stage
};

/// Cuts a chain into exactly `stages` stages, none of them empty. A stage costs the sum of its
/// elements, and the costliest stage costs the least possible (DFModel's objective of stages,
/// section IV-B). Of those cuts the first stages are as long as they may be. Cost is std::int64_t
/// or double. Exact: a binary search over all values of Cost for the least maximum that a greedy
/// cut keeps, at most 64 rounds of O(stages log n). Throws RequestError unless
/// 1 <= stages <= n, std::logic_error for costs below 0 or not finite.
template <typename Cost>
ChainCut<Cost> cut_chain(const std::vector<Cost>& costs, std::size_t stages);

extern template ChainCut<double> cut_chain(const std::vector<double>& costs, std::size_t stages);
extern template ChainCut<std::int64_t> cut_chain(const std::vector<std::int64_t>& costs,
                                                 std::size_t stages);

/// Throws RequestError unless 1 <= stages <= elements.
void check_chain(std::size_t elements, std::size_t stages);

/// The sums of the first 0, 1, … n costs. Cost as above. Throws std::logic_error for costs below 0
/// or not finite.
template <typename Cost>
std::vector<Cost> prefix_sums(const std::vector<Cost>& costs);

extern template std::vector<double> prefix_sums(const std::vector<double>& costs);

}  // namespace waferloom
