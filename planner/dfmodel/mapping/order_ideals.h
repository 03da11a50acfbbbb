#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/workload.h"

namespace waferloom::planner {

/// A pair of kernels, the first of which comes no later.
struct Precedence {
  std::size_t first = 0;
  std::size_t second = 0;
  bool operator==(const Precedence&) const = default;
};

/// All order ideals of a graph: sets of kernels that hold, with each kernel, all those before it.
/// What a chip has done after a partition is one, so mappings are chains of ideals from {} to all.
struct OrderIdeals {
  /// From an ideal to one that has a kernel more.
  struct Step {
    std::uint32_t kernel = 0;
    std::uint32_t to = 0;
  };
  std::size_t words = 1;             ///< 64-bit words of an ideal
  std::vector<std::uint64_t> bits;   ///< of all ideals, smaller ones first; ideal 0 is {}
  std::vector<std::uint32_t> first;  ///< steps[first[i]] … steps[first[i + 1] - 1] leave ideal i
  std::vector<Step> steps;           ///< of an ideal: by kernel, ascending
  std::size_t count() const { return first.size() - 1; }
  bool contains(std::size_t ideal, std::size_t kernel) const {
    return (bits[ideal * words + kernel / 64] >> (kernel % 64) & 1) != 0;
  }
};

/// Enumerates them size by size. Nothing if there are more than `limit`. Kernels have to stand
/// behind those before them, in the graph and in `orders`, which are constraints besides tensors.
/// O(ideals · (V + E)).
std::optional<OrderIdeals> order_ideals(const DataflowGraph& graph,
                                        const std::vector<Precedence>& orders, std::size_t limit);

}  // namespace waferloom::planner
