#include "placer/gigaplacer/rows/kernel_order.h"

#include <doctest/doctest.h>

#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("kernel order: links by position, and how many cross between two positions") {
  // 2 → 0 → 1 with a skip 2 → 1 given twice.
  const Problem problem(problem_data({dense(2, 2), dense(2, 2), dense(2, 2)},
                                     {{2, 0}, {0, 1}, {2, 1}, {2, 1}}, Wafer{20, 20}));
  const KernelOrder order = kernel_order(problem);
  CHECK(order.kernels == std::vector<KernelIndex>{2, 0, 1});
  using Link = KernelOrder::Link;
  CHECK(order.links == std::vector<Link>{{0, 1}, {0, 2}, {0, 2}, {1, 2}});
  CHECK(order.links_cut == std::vector<std::int64_t>{0, 3, 3, 0});
  CHECK(order.first_link == std::vector<std::size_t>{0, 0, 1, 4});
}

TEST_CASE("kernel order: empty for a cycle") {
  const Problem problem(problem_data({dense(2, 2), dense(2, 2)}, {{0, 1}, {1, 0}}, Wafer{20, 20}));
  CHECK(kernel_order(problem).size() == 0);
}

TEST_CASE("kernel order: height of a plan") {
  CHECK(total_height({}) == 0);
  CHECK(total_height({{RowSpan{0, 2}, 7}, {RowSpan{2, 3}, 4}}) == 11);
}
