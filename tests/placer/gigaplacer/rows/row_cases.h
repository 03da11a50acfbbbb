#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/gigaplacer/rows/row_table.h"
#include "tests/support/small_problems.h"

namespace waferloom::test {

/// A problem with all that row planning asks of it. Not movable: its parts point at each other.
struct RowCase {
  explicit RowCase(ProblemData data)
      : problem(std::move(data)),
        costs(problem),
        order(placer::kernel_order(problem)),
        library(problem),
        cache(library) {}
  RowCase(const RowCase&) = delete;
  RowCase& operator=(const RowCase&) = delete;

  placer::RowTable table(std::int64_t time) {
    return placer::RowTable(order, Extent{problem.wafer().width, problem.wafer().height}, time,
                            cache);
  }

  Problem problem;
  CostModel costs;
  placer::KernelOrder order;
  placer::ShapeLibrary library;
  placer::ShapeCache cache;
};

/// Calls visit(plan without heights) for all ways to cut `count` kernels into consecutive rows.
template <typename Visit>
void for_each_partition(std::size_t count, const Visit& visit) {
  for (std::size_t cuts = 0; cuts < (std::size_t{1} << (count - 1)); ++cuts) {
    std::vector<placer::RowSpan> spans{{0, 0}};
    for (std::size_t p = 0; p < count; ++p) {
      spans.back().last = p + 1;
      if (p + 1 < count && (cuts >> p & 1U) != 0) spans.push_back({p + 1, p + 1});
    }
    visit(spans);
  }
}

}  // namespace waferloom::test
