#pragma once

#include <cstdint>
#include <vector>

#include "model/problem.h"

namespace waferloom::placer {

/// Kernels in a topological order, and the connections as that order sees them.
struct KernelOrder {
  /// A connection between two positions of the order, from < to.
  struct Link {
    std::size_t from = 0;
    std::size_t to = 0;
    bool operator==(const Link&) const = default;
  };

  std::vector<KernelIndex> kernels;     ///< kernels[position]
  std::vector<Link> links;              ///< ascending `to`, then `from`
  std::vector<std::int64_t> links_cut;  ///< [p]: links that lead from below p to p or above
  std::vector<std::size_t> first_link;  ///< [p]: first of the links with to = p; size + 1 entries

  std::size_t size() const { return kernels.size(); }
};

/// Empty for a cyclic problem. O(n log n + m log m).
KernelOrder kernel_order(const Problem& problem);

/// Positions first … last-1 of an order, the content of a row.
struct RowSpan {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t size() const { return last - first; }
  bool operator==(const RowSpan&) const = default;
};

/// A row of kernels that is planned but not laid: which, and how high, in tiles.
struct PlannedRow {
  RowSpan span;
  std::int64_t height = 0;
  bool operator==(const PlannedRow&) const = default;
};

/// Rows from the bottom of the wafer upwards. Spans are consecutive and cover the order; an empty
/// plan means that there is none.
using RowPlan = std::vector<PlannedRow>;

std::int64_t total_height(const RowPlan& plan);

}  // namespace waferloom::placer
