#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace waferloom::planner {

/// A chain (layers, or kernels in an order) cut into consecutive stages.
struct StageCut {
  std::vector<std::size_t> first{};  ///< element that each stage begins with; the first is 0
  double longest = 0;                ///< cost of the costliest stage
};

/// What elements [first, last) cost as one stage; last > first. Must not fall when the range grows
/// to either side: more layers take no less time.
using StageCost = std::function<double(std::size_t first, std::size_t last)>;

/// Cuts `count` elements into exactly `stages` stages, none of them empty, so that the costliest
/// one costs the least (DFModel's objective of stages, section IV-B). Exact: binary search over
/// doubles themselves for the least maximum that a greedy cut keeps, at most 64 rounds of O(count
/// log count) costs. Among equals the first stages are as long as they may be. Throws
/// RequestError unless 1 <= stages <= count, std::logic_error for costs below 0 or not finite.
StageCut cut_chain(std::size_t count, std::size_t stages, const StageCost& cost);

/// The same where a stage costs the sum of its elements.
StageCut cut_chain(const std::vector<double>& costs, std::size_t stages);

/// Where passing on an element's output costs too: max(sum, passed[first - 1], passed[last - 1]),
/// DFModel's critical time of a stage (Eq. 7) with the network's own share in `costs`. Such a cost
/// may fall when a range grows, so this one is a dynamic program: O(count^2 · stages).
StageCut cut_chain(const std::vector<double>& costs, const std::vector<double>& passed,
                   std::size_t stages);

}  // namespace waferloom::planner
