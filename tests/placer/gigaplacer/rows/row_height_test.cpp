#include "placer/gigaplacer/rows/row_height.h"

#include <doctest/doctest.h>

#include <functional>
#include <optional>

#include "tests/placer/gigaplacer/rows/row_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

namespace {

/// Calls visit for every execution within the kernel's limits.
void for_each_execution(const Kernel& kernel, const std::function<void(const Execution&)>& visit) {
  Execution execution;
  const std::function<void(int)> split = [&](int i) {
    if (i == kernel.convolution_count) {
      visit(execution);
      return;
    }
    const auto slot = static_cast<std::size_t>(i);
    for (std::int64_t c = 1; c <= kernel.convolutions[slot].in4 / 4; ++c) {
      for (std::int64_t k = 1; k <= kernel.convolutions[slot].out4 / 4; ++k) {
        execution.c[slot] = c;
        execution.k[slot] = k;
        split(i + 1);
      }
    }
  };
  for (execution.h = 1; execution.h <= kernel.height; ++execution.h) {
    for (execution.w = 1; execution.w <= kernel.width; ++execution.w) split(0);
  }
}

/// Least width of the kernel in a row of each height up to the wafer's, by trying everything.
std::vector<std::int64_t> widths_by_trial(const Problem& problem, const Kernel& kernel,
                                          std::int64_t time) {
  const std::int64_t never = problem.wafer().width + 1;
  std::vector<std::int64_t> widths(static_cast<std::size_t>(problem.wafer().height) + 1, never);
  for_each_execution(kernel, [&](const Execution& execution) {
    if (compute_time(kernel, execution, problem.time_denominator()) > time) return;
    if (memory_words(kernel, execution) > problem.memory_limit()) return;
    const Extent size = extent(kernel, execution);
    for (std::size_t height = 0; height < widths.size(); ++height) {
      const auto room = static_cast<std::int64_t>(height);
      if (size.height <= room) widths[height] = std::min(widths[height], size.width);
      if (size.width <= room) widths[height] = std::min(widths[height], size.height);
    }
  });
  return widths;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// GigaPlacer's rotated kernel: columns shared in proportion to work (Eq. 10), then the least c
/// (Eqs. 11, 12). Height of the unrotated kernel, so the width of the rotated one; 0 if none.
std::int64_t rotated_by_proportion(const Kernel& kernel, const KernelLimits& limits,
                                   std::int64_t row_height, std::int64_t h, std::int64_t w) {
  const auto count = static_cast<std::size_t>(kernel.convolution_count);
  std::vector<std::int64_t> work(count);
  std::int64_t all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Convolution& conv = kernel.convolutions[i];
    work[i] = ceil_div(conv.height4, 4 * h) * ceil_div(conv.width4, 4 * w) * conv.field_height *
              conv.field_width * conv.in4 * conv.out4 * 4 / conv.stride_area;
    all += work[i];
  }
  std::int64_t width = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t k = std::clamp<std::int64_t>(row_height * work[i] / (3 * all), 1,
                                                    kernel.convolutions[i].out4 / 4);
    const std::int64_t c = least_c(kernel.convolutions[i], FeatureSplit{h, w, k}, limits);
    if (c == 0) return 0;
    width = std::max(width, h * w * (c + 1));
  }
  return width;
}

}  // namespace

TEST_CASE("row height: two equal dense layers by hand") {
  // Time ≤ 4 for 4 × 4: (c, k) = (4, 1) is 5 high and 3 wide, (2, 2) 3 × 6, (1, 4) 2 × 12.
  RowCase row(problem_data({dense(4, 4), dense(4, 4)}, chain(2), Wafer{6, 20}));
  const RowTable wide = row.table(4);
  CHECK(wide.width(0, 5) == 3);
  CHECK(wide.width(0, 4) == 5);  // rotated
  CHECK(wide.width(0, 2) == 7);  // nothing within 6: room width + 1
  CHECK(least_row_height(wide, RowSpan{0, 1}) == 3);
  CHECK(least_row_height(wide, RowSpan{0, 2}) == 5);
  RowCase narrow(problem_data({dense(4, 4), dense(4, 4)}, chain(2), Wafer{5, 20}));
  CHECK(least_row_height(narrow.table(4), RowSpan{0, 2}) == 12);  // 2 + 2 wide, rotated
  CHECK(least_row_height(narrow.table(3), RowSpan{0, 2}) == 0);
}

TEST_CASE("row height: agrees with trying every execution of every kernel") {
  Draw draw(20);
  for (int round = 0; round < 25; ++round) {
    CAPTURE(round);
    std::vector<KernelFormal> formals;
    for (int i = 0; i < 3; ++i) {
      const std::int64_t stride = draw.between(1, 2);
      formals.push_back(ConvFormal{draw.between(1, 4), draw.between(1, 4), 1, 1, draw.between(1, 6),
                                   draw.between(1, 6), stride, stride});
    }
    formals.push_back(DblockFormal{draw.between(1, 2), draw.between(1, 2), 4 * draw.between(1, 2)});
    RowCase row(problem_data(formals, chain(4), Wafer{draw.between(8, 30), draw.between(8, 30)}));
    const std::int64_t time = draw.between(4, 60) * row.problem.time_denominator();
    const RowTable table = row.table(time);
    std::vector<std::vector<std::int64_t>> widths;
    for (const KernelIndex kernel : row.order.kernels) {
      widths.push_back(widths_by_trial(row.problem, row.problem.kernel(kernel), time));
    }
    for (const RowSpan span : {RowSpan{0, 1}, RowSpan{1, 3}, RowSpan{0, 4}}) {
      std::int64_t expected = 0;
      for (std::int64_t height = row.problem.wafer().height; height >= 1; --height) {
        std::int64_t sum = 0;
        for (std::size_t p = span.first; p < span.last; ++p) {
          sum += widths[p][static_cast<std::size_t>(height)];
        }
        if (sum <= row.problem.wafer().width) expected = height;
      }
      CHECK(least_row_height(table, span) == expected);
    }
  }
}

TEST_CASE("row height: no rotated kernel of Eqs. 10-12 is narrower than the curve's") {
  Draw draw(21);
  int compared = 0;
  for (int round = 0; round < 40; ++round) {
    const KernelFormal formal = random_formal(draw);
    RowCase row(problem_data({formal}, {}, Wafer{60, 60}));
    const std::int64_t time = draw.between(4, 200) * row.problem.time_denominator();
    const RowTable table = row.table(time);
    const Kernel& kernel = row.problem.kernel(0);
    for (const std::int64_t h : distinct_cuts(kernel.height)) {
      for (const std::int64_t w : distinct_cuts(kernel.width)) {
        for (std::int64_t height = std::int64_t{3} * kernel.convolution_count; height <= 60;
             height += 4) {
          const std::int64_t width =
              rotated_by_proportion(kernel, row.library.common_limits(time), height, h, w);
          if (width == 0 || width > 60) continue;
          ++compared;
          CHECK(table.width(0, height) <= width);
        }
      }
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("row height: the narrowest shape has the table's width and fits the row") {
  RowCase row(problem_data({DblockFormal{4, 4, 8}, dense(6, 9)}, chain(2), Wafer{50, 50}));
  const RowTable table = row.table(40);
  for (std::size_t position = 0; position < 2; ++position) {
    for (std::int64_t height = 1; height <= 50; ++height) {
      if (table.width(position, height) > 50) continue;
      const FittedShape fitted = narrowest_shape(table, position, height);
      const Extent size = fitted.shape.size;
      CHECK((fitted.rotated ? size.height : size.width) == table.width(position, height));
      CHECK((fitted.rotated ? size.width : size.height) <= height);
    }
  }
}
